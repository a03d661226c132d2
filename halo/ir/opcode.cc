// The rows of the op table, name lookup, and the attribute order that follows from it.
#include "halo/ir/opcode.h"

#include <array>
#include <bitset>
#include <vector>

#include "halo/base/check.h"
#include "halo/ir/attributes/name_table.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr std::array kOps = {
#define HALO_OP(name, text, operands, traits, attrs) OpInfo{text, operands, traits},
#include "halo/ir/ops.def"
    OpInfo{"", -1, kNoTraits},
};

constexpr std::array<std::string_view, kOps.size()> kOwnAttrTexts = {
#define HALO_OP(name, text, operands, traits, attrs) attrs,
#include "halo/ir/ops.def"
    "",
};

constexpr NameTable kTable([](size_t i) { return kOps[i].text; }, kOps.size() - 1);

// Each op's own attributes in printing order, and a bit for every attribute it may have.
struct OwnAttrs {
  std::array<std::vector<AttrKey>, kOps.size()> in_order;
  std::array<std::bitset<256>, kOps.size()> allowed;

  OwnAttrs() {
    HALO_CHECK(AttrKeyCount() <= 256);
    for (size_t op = 0; op < kOps.size(); ++op) {
      std::string_view rest = kOwnAttrTexts[op];
      while (!rest.empty()) {
        const size_t end = rest.find(' ');
        const auto key = AttrKeyFromText(rest.substr(0, end));
        HALO_CHECK(key.has_value());
        in_order[op].push_back(*key);
        allowed[op].set(static_cast<size_t>(*key));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      }
      for (size_t key = 0; key < AttrKeyCount(); ++key) {
        if (InfoOf(static_cast<AttrKey>(key)).scope == AttrScope::kAny) allowed[op].set(key);
      }
    }
  }
};

const OwnAttrs& TheOwnAttrs() {
  static const OwnAttrs own;
  return own;
}

}  // namespace

const OpInfo& InfoOf(Opcode opcode) { return kOps[static_cast<size_t>(opcode)]; }
size_t OpcodeCount() { return kOps.size() - 1; }

std::optional<Opcode> OpcodeFromText(std::string_view text) {
  const int found = kTable.Find(text);
  if (found < 0) return std::nullopt;
  return static_cast<Opcode>(found);
}

std::span<const AttrKey> OwnAttrsOf(Opcode opcode) {
  return TheOwnAttrs().in_order[static_cast<size_t>(opcode)];
}

int PrintRank(Opcode opcode, AttrKey key) {
  const std::span<const AttrKey> own = OwnAttrsOf(opcode);
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] == key) return static_cast<int>(i);
  }
  return 1000 + static_cast<int>(key);
}

bool MayHave(Opcode opcode, AttrKey key) {
  return TheOwnAttrs().allowed[static_cast<size_t>(opcode)].test(static_cast<size_t>(key));
}

bool HasOwnAsyncForm(Opcode opcode) {
  static const std::bitset<kOps.size()> kHave = [] {
    std::bitset<kOps.size()> have;
    for (size_t op = 0; op < OpcodeCount(); ++op) {
      have.set(static_cast<size_t>(PropertiesOf(static_cast<Opcode>(op)).sync));
    }
    return have.reset(static_cast<size_t>(Opcode::kUnknown));
  }();
  return kHave.test(static_cast<size_t>(opcode));
}

}  // namespace halo
