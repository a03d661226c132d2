// The op table's rows, its names, and the attribute order it gives.
#include "halo/ir/opcode.h"

#include <array>
#include <vector>

#include "halo/base/check.h"
#include "halo/ir/name_table.h"

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

using OwnAttrs = std::array<std::vector<AttrKey>, kOps.size()>;

OwnAttrs MakeOwnAttrs() {
  OwnAttrs own;
  for (size_t op = 0; op < kOps.size(); ++op) {
    std::string_view rest = kOwnAttrTexts[op];
    while (!rest.empty()) {
      const size_t end = rest.find(' ');
      const auto key = AttrKeyFromText(rest.substr(0, end));
      HALO_CHECK(key.has_value());
      own[op].push_back(*key);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  }
  return own;
}

}  // namespace

const OpInfo& InfoOf(Opcode opcode) { return kOps[static_cast<size_t>(opcode)]; }
size_t OpcodeCount() { return kOps.size() - 1; }

std::optional<Opcode> OpcodeFromText(std::string_view text) {
  static const NameTable table([](size_t i) { return kOps[i].text; }, OpcodeCount());
  const int found = table.Find(text);
  if (found < 0) return std::nullopt;
  return static_cast<Opcode>(found);
}

std::span<const AttrKey> OwnAttrsOf(Opcode opcode) {
  static const OwnAttrs own = MakeOwnAttrs();
  return own[static_cast<size_t>(opcode)];
}

int PrintRank(Opcode opcode, AttrKey key) {
  const std::span<const AttrKey> own = OwnAttrsOf(opcode);
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] == key) return static_cast<int>(i);
  }
  return 1000 + static_cast<int>(key);
}

bool MayHave(Opcode opcode, AttrKey key) {
  if (InfoOf(key).place == AttrPlace::kAny) return true;
  for (const AttrKey own : OwnAttrsOf(opcode)) {
    if (own == key) return true;
  }
  return false;
}

bool HasOwnAsyncForm(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kCollectivePermute:
    case Opcode::kCopy:
    case Opcode::kSend:
    case Opcode::kRecv:
      return true;
    default:
      return false;
  }
}

}  // namespace halo
