// Folds blocks of lanes, one member after the other.
#include "halo/eval/collectives/member_fold.h"

#include <algorithm>
#include <array>
#include <complex>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

using Inputs = std::span<const uint8_t* const>;

// Totals are rounded when they are stored, unless `combine` rounds them earlier.
template <class Combine>
void FoldBlocks(ElementType type, Inputs in, uint8_t* out, size_t count, const Combine& combine) {
  const size_t bytes = StoredBytes(type);
  LaneBlock total;
  LaneBlock next;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t n = std::min(kBlock, count - begin);
    LoadLanes(type, in[0] + begin * bytes, 1, n, total.bytes);
    for (const uint8_t* from : in.subspan(1)) {
      LoadLanes(type, from + begin * bytes, 1, n, next.bytes);
      combine(total, next, n);
    }
    StoreLanes(type, total.bytes, n, out + begin * bytes);
  }
}

// Sums in wide numbers, without intermediate rounding.
template <class Lane>
void SumBlocks(ElementType type, Inputs in, uint8_t* out, size_t count) {
  FoldBlocks(type, in, out, count, [](LaneBlock& total, const LaneBlock& next, size_t n) {
    for (size_t i = 0; i < n; ++i) total.as<Lane>()[i] += next.as<Lane>()[i];
  });
}

}  // namespace

bool FoldsType(const LaneProgram& program, ElementType type) {
  return program.parameter_types().size() == 2 && program.result_types().size() == 1 &&
         program.parameter_types()[0] == type && program.parameter_types()[1] == type &&
         program.result_types()[0] == type;
}

void FoldMembers(LaneProgram& program, ElementType type, Inputs in, uint8_t* out, size_t count) {
  const LaneKind kind = LaneKindOf(type);
  const bool sums = program.simple_binary() == Opcode::kAdd;
  if (sums && kind == LaneKind::kFloat) return SumBlocks<double>(type, in, out, count);
  if (sums && kind == LaneKind::kComplex) {
    return SumBlocks<std::complex<double>>(type, in, out, count);
  }
  FoldBlocks(type, in, out, count, [&](LaneBlock& total, const LaneBlock& next, size_t n) {
    const std::array<const void*, 2> arguments = {total.bytes, next.bytes};
    const std::array<void*, 1> results = {total.bytes};
    program.Run(arguments, results, n);
  });
}

}  // namespace halo
