// A step is one unit of the bits below the sign.
#include "halo/api/numbers/moved_inputs.h"

#include <random>

#include "halo/analysis/inputs/sum_length.h"
#include "halo/base/hash.h"

namespace halo {
namespace {

// `exponent` are the bits of infinity.
template <class Bits>
void MoveAll(std::span<Bits> elements, Bits exponent, uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  const auto is_finite = [&](Bits bits) { return (bits & exponent) != exponent; };
  for (Bits& each : elements) {
    const auto way = random() % 3;
    if ((each & static_cast<Bits>(~kSign)) == 0 || !is_finite(each) || way == 0) continue;
    const auto moved = static_cast<Bits>(way == 1 ? each + 1 : each - 1);
    if (is_finite(moved)) each = moved;
  }
}

bool IsNarrow(ElementType type) { return type == ElementType::kBF16 || type == ElementType::kF16; }

Array Moved(const Array& array, uint64_t seed) {
  Array moved = array;
  switch (array.type()) {
    case ElementType::kF32:
    case ElementType::kC64: MoveAll<uint32_t>(moved.Mutable<uint32_t>(), 0x7F80'0000, seed); break;
    case ElementType::kF64:
    case ElementType::kC128:
      MoveAll<uint64_t>(moved.Mutable<uint64_t>(), 0x7FF0'0000'0000'0000, seed);
      break;
    case ElementType::kBF16: MoveAll<uint16_t>(moved.Mutable<uint16_t>(), 0x7F80, seed); break;
    case ElementType::kF16: MoveAll<uint16_t>(moved.Mutable<uint16_t>(), 0x7C00, seed); break;
    default: break;
  }
  return moved;
}

// True for ops whose result is rounded.
bool Rounds(const Module& module, const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::kConvert:
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
    case Opcode::kExp:
    case Opcode::kLog:
    case Opcode::kTanh:
    case Opcode::kLogistic:
    case Opcode::kPower:
    case Opcode::kSqrt:
    case Opcode::kRsqrt: return true;
    default: return SumLength(module, inst) > 0;
  }
}

}  // namespace

void RoundingMover::Replace(int64_t device, InstId inst, Value& value) {
  if (!value.is_array() || !IsNarrow(value.array().type())) return;
  if (!Rounds(module_, module_.inst(inst))) return;
  const auto who = static_cast<uint64_t>(inst.index());
  value = Moved(value.array(), HashMix(seed_, who * 64 + static_cast<uint64_t>(device) + 1));
}

std::vector<InputArray> GivenInputs(const RunInput& input) {
  std::vector<InputArray> all;
  for (size_t d = 0; d < input.arrays.size(); ++d) {
    const bool is_only = input.arrays.size() == 1;
    all.push_back({is_only ? input.name : input.name + "_d" + std::to_string(d), input.arrays[d]});
  }
  return all;
}

std::vector<InputArray> MovedInputs(const RunInputs& inputs, uint64_t seed) {
  std::vector<InputArray> all;
  for (size_t leaf = 0; leaf < inputs.list.size(); ++leaf) {
    for (InputArray& given : GivenInputs(inputs.list[leaf])) {
      // A step of 16 bits is too large to be an error of the input.
      if (!IsNarrow(given.array.type())) {
        const uint64_t content = HashBytes(given.array.bytes(), given.array.byte_count());
        given.array = Moved(given.array, HashMix(content ^ seed, leaf + 1));
      }
      all.push_back(std::move(given));
    }
  }
  return all;
}

}  // namespace halo
