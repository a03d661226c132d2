// The elementwise ops on lanes: for an opcode and the kind of its operands, the loop that computes
// it. Results are not rounded here; see lanes.h.
#ifndef HALO_EVAL_LANES_LANE_KERNELS_H_
#define HALO_EVAL_LANES_LANE_KERNELS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "halo/eval/lanes/lanes.h"
#include "halo/ir/module.h"

namespace halo {

enum class Comparison : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };

// An elementwise instruction without its operands.
struct LaneOp {
  Opcode opcode = Opcode::kUnknown;
  ElementType type = ElementType::kPred;  // type in which operands are compared or computed
  ElementType result = ElementType::kPred;
  Comparison comparison = Comparison::kEq;
  bool total_order = false;
  int exponent_bits = 0, mantissa_bits = 0;
};

// The exponent bits of the format in which reduce-precision works on a value of this type. As in
// XLA's CPU compiler, types narrower than 16 bits are first converted to f16, and bf16 to f32.
int ReducedExponentBits(ElementType type);

using LaneKernel = void (*)(const LaneOp& op, const void* const* in, void* out, size_t n);

// Returns null if the op is not elementwise, or not defined on this kind of number.
LaneKernel FindLaneKernel(const LaneOp& op);
LaneKernel FindIntKernel(Opcode opcode);
LaneKernel FindUintKernel(Opcode opcode);
LaneKernel FindFloatKernel(Opcode opcode);
LaneKernel FindComplexKernel(Opcode opcode);
LaneKernel FloatQuotientKernel();  // of complex numbers of floats

// Describes an instruction. `type` is that of its first operand or, for select and clamp, that of
// the second, which is also the type of their result.
LaneOp LaneOpOf(const Module& module, const Inst& inst, Opcode opcode, ElementType result,
                ElementType first, ElementType second);

// Returns the kind of lane in which operand `index` must be passed.
LaneKind OperandKind(const LaneOp& op, size_t index);

// HLO's maximum and minimum: NaN if either is NaN, and -0 is less than 0, as in XLA's CPU compiler.
template <class T>
T LargerLane(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return std::signbit(a) ? b : a;
    return a > b || std::isnan(a) ? a : b;
  } else {
    return a >= b ? a : b;
  }
}
template <class T>
T SmallerLane(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return std::signbit(a) ? a : b;
    return a < b || std::isnan(a) ? a : b;
  } else {
    return a <= b ? a : b;
  }
}

template <class In, class Out, auto Function>
void UnaryLanes(const LaneOp& /*op*/, const void* const* in, void* out, size_t n) {
  const auto* a = static_cast<const In*>(in[0]);
  auto* to = static_cast<Out*>(out);
  for (size_t i = 0; i < n; ++i) to[i] = Function(a[i]);
}

template <class In, auto Function>
void BinaryLanes(const LaneOp& /*op*/, const void* const* in, void* out, size_t n) {
  const auto* a = static_cast<const In*>(in[0]);
  const auto* b = static_cast<const In*>(in[1]);
  auto* to = static_cast<In*>(out);
  for (size_t i = 0; i < n; ++i) to[i] = Function(a[i], b[i]);
}

// For integer ops that depend on the width of the type.
template <class In, auto Function>
void UnaryBits(const LaneOp& op, const void* const* in, void* out, size_t n) {
  const auto* a = static_cast<const In*>(in[0]);
  auto* to = static_cast<In*>(out);
  const int bits = op.type == ElementType::kPred ? 1 : InfoOf(op.type).bits;
  for (size_t i = 0; i < n; ++i) to[i] = Function(a[i], bits);
}

template <class In, auto Function>
void BinaryBits(const LaneOp& op, const void* const* in, void* out, size_t n) {
  const auto* a = static_cast<const In*>(in[0]);
  const auto* b = static_cast<const In*>(in[1]);
  auto* to = static_cast<In*>(out);
  const int bits = op.type == ElementType::kPred ? 1 : InfoOf(op.type).bits;
  for (size_t i = 0; i < n; ++i) to[i] = Function(a[i], b[i], bits);
}

}  // namespace halo

#endif  // HALO_EVAL_LANES_LANE_KERNELS_H_
