// Opcodes: the op table of ops.def as an enum and its rows. What an op computes is defined
// elsewhere.
#ifndef HALO_IR_OPCODE_H_
#define HALO_IR_OPCODE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "halo/ir/attributes/attr.h"

namespace halo {

enum class Opcode : uint8_t {
#define HALO_OP(name, text, operands, traits, attrs) k##name,
#include "halo/ir/ops.def"
  kUnknown,  // an opcode unknown to this version; the instruction keeps its text
};

enum OpTraits : uint32_t {
  kNoTraits = 0,
  kElementwise = 1 << 0,
  kCollective = 1 << 1,
  kAsyncStart = 1 << 2,
  kAsyncUpdate = 1 << 3,
  kAsyncDone = 1 << 4,
  kRemoved = 1 << 5,
};

struct OpInfo {
  std::string_view text;
  int operands;  // -1: any number
  uint32_t traits;
};

const OpInfo& InfoOf(Opcode opcode);
size_t OpcodeCount();  // excludes kUnknown
inline std::string_view TextOf(Opcode opcode) { return InfoOf(opcode).text; }
inline bool HasTrait(Opcode opcode, OpTraits trait) { return (InfoOf(opcode).traits & trait) != 0; }
// True if the devices of a group synchronize at the op.
inline bool IsCollectiveOp(Opcode opcode) {
  return HasTrait(opcode, kCollective) && !HasTrait(opcode, kAsyncDone);
}
std::optional<Opcode> OpcodeFromText(std::string_view text);

// The op's own attributes in printing order.
std::span<const AttrKey> OwnAttrsOf(Opcode opcode);

// Position of `key` when `opcode` prints canonically; smaller values print first.
int PrintRank(Opcode opcode, AttrKey key);

// True if `key` is allowed on `opcode` (its own, or one that any instruction takes).
bool MayHave(Opcode opcode, AttrKey key);

// "X-start" may abbreviate an async-start that wraps X, except for ops that have a dedicated start
// form.
bool HasOwnAsyncForm(Opcode opcode);

}  // namespace halo

#endif  // HALO_IR_OPCODE_H_
