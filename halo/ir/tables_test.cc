// The tables of opcodes, attributes and element types are consistent internally and with one
// another.
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "halo/ir/attributes/attr.h"
#include "halo/ir/opcode.h"
#include "halo/ir/types/element_type.h"

namespace halo {
namespace {

TEST(OpTable, TextsAreUniqueAndLeadBack) {
  std::set<std::string_view> texts;
  for (size_t i = 0; i < OpcodeCount(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_TRUE(texts.insert(TextOf(opcode)).second) << TextOf(opcode);
    EXPECT_EQ(OpcodeFromText(TextOf(opcode)), opcode);
  }
  EXPECT_EQ(OpcodeFromText("softplus"), std::nullopt);
  EXPECT_EQ(OpcodeFromText(""), std::nullopt);
}

TEST(OpTable, HasTheNewestListAndThreeThatWentAway) {
  size_t removed = 0;
  for (size_t i = 0; i < OpcodeCount(); ++i) {
    if (HasTrait(static_cast<Opcode>(i), kRemoved)) ++removed;
  }
  EXPECT_EQ(removed, 3u);
  EXPECT_EQ(OpcodeCount() - removed, 134u);
}

TEST(OpTable, OwnAttributesAreOpAttributes) {
  std::set<AttrKey> used;
  for (size_t i = 0; i < OpcodeCount(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    std::set<AttrKey> mine;
    int rank = -1;
    for (const AttrKey key : OwnAttrsOf(opcode)) {
      EXPECT_EQ(InfoOf(key).scope, AttrScope::kOp) << TextOf(opcode) << " " << TextOf(key);
      EXPECT_TRUE(mine.insert(key).second)
          << TextOf(opcode) << " names " << TextOf(key) << " twice";
      EXPECT_TRUE(MayHave(opcode, key));
      EXPECT_GT(PrintRank(opcode, key), rank);
      rank = PrintRank(opcode, key);
      used.insert(key);
    }
    // Attributes that any op takes print after the op's own.
    EXPECT_GT(PrintRank(opcode, AttrKey::k_sharding), rank);
    EXPECT_TRUE(MayHave(opcode, AttrKey::k_metadata));
  }
  for (size_t i = 0; i < AttrKeyCount(); ++i) {
    const auto key = static_cast<AttrKey>(i);
    if (InfoOf(key).scope == AttrScope::kOp)
      EXPECT_TRUE(used.contains(key)) << "no op takes " << TextOf(key);
  }
}

TEST(OpTable, AsyncTraitsFollowNames) {
  for (size_t i = 0; i < OpcodeCount(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const std::string_view text = TextOf(opcode);
    const bool transfer = text == "send" || text == "recv";
    EXPECT_EQ(HasTrait(opcode, kAsyncStart), text.ends_with("-start") || transfer) << text;
    EXPECT_EQ(HasTrait(opcode, kAsyncUpdate), text.ends_with("-update")) << text;
    EXPECT_EQ(HasTrait(opcode, kAsyncDone), text.ends_with("-done")) << text;
  }
}

TEST(AttrTable, TextsAreUniqueAndLeadBack) {
  std::set<std::string_view> texts;
  for (size_t i = 0; i < AttrKeyCount(); ++i) {
    const auto key = static_cast<AttrKey>(i);
    EXPECT_TRUE(texts.insert(TextOf(key)).second) << TextOf(key);
    if (key != AttrKey::k_unknown) EXPECT_EQ(AttrKeyFromText(TextOf(key)), key) << TextOf(key);
  }
  EXPECT_EQ(TextOf(AttrKey::k_control_predecessors), "control-predecessors");
  // A text may contain unknown={...}; it is an unknown attribute like any other.
  EXPECT_EQ(AttrKeyFromText("unknown"), std::nullopt);
}

TEST(ElementTypes, TextsAndProtoNumbersAreUnique) {
  std::set<std::string_view> texts;
  std::set<int> numbers;
  for (size_t i = 0; i < ElementTypeCount(); ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_TRUE(texts.insert(TextOf(type)).second) << TextOf(type);
    EXPECT_TRUE(numbers.insert(InfoOf(type).proto_number).second) << TextOf(type);
    EXPECT_EQ(ElementTypeFromText(TextOf(type)), type);
    EXPECT_EQ(ElementTypeFromProto(InfoOf(type).proto_number), type);
  }
  EXPECT_EQ(ElementTypeFromText("f33"), std::nullopt);
  EXPECT_EQ(ElementTypeFromProto(0), std::nullopt);
}

TEST(ElementTypes, WidthsFollowNames) {
  EXPECT_EQ(StoredBytes(ElementType::kPred), 1u);
  EXPECT_EQ(StoredBytes(ElementType::kS4), 1u);
  EXPECT_EQ(StoredBytes(ElementType::kF6E3M2FN), 1u);
  EXPECT_EQ(StoredBytes(ElementType::kBF16), 2u);
  EXPECT_EQ(StoredBytes(ElementType::kC128), 16u);
  for (size_t i = 0; i < ElementTypeCount(); ++i) {
    const auto type = static_cast<ElementType>(i);
    if (!IsIntegerType(type)) continue;
    EXPECT_EQ(std::to_string(InfoOf(type).bits), std::string(TextOf(type).substr(1)));
  }
}

}  // namespace
}  // namespace halo
