// Selects a kernel, and defines the ops that work on every kind of number: compare, select, clamp,
// convert.
#include "halo/eval/lanes/lane_kernels.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "halo/eval/lanes/lane_convert.h"

namespace halo {
namespace {

using Complex = std::complex<double>;

Comparison ComparisonOf(std::string_view direction) {
  if (direction == "NE") return Comparison::kNe;
  if (direction == "GE") return Comparison::kGe;
  if (direction == "GT") return Comparison::kGt;
  if (direction == "LE") return Comparison::kLe;
  if (direction == "LT") return Comparison::kLt;
  return Comparison::kEq;
}

template <class T>
void CompareOrdered(Comparison comparison, const T* a, const T* b, uint64_t* out, size_t n) {
  switch (comparison) {
    case Comparison::kEq:
      for (size_t i = 0; i < n; ++i) out[i] = a[i] == b[i] ? 1 : 0;
      return;
    case Comparison::kNe:
      for (size_t i = 0; i < n; ++i) out[i] = a[i] != b[i] ? 1 : 0;
      return;
    case Comparison::kGe:
      for (size_t i = 0; i < n; ++i) out[i] = a[i] >= b[i] ? 1 : 0;
      return;
    case Comparison::kGt:
      for (size_t i = 0; i < n; ++i) out[i] = a[i] > b[i] ? 1 : 0;
      return;
    case Comparison::kLe:
      for (size_t i = 0; i < n; ++i) out[i] = a[i] <= b[i] ? 1 : 0;
      return;
    case Comparison::kLt:
      for (size_t i = 0; i < n; ++i) out[i] = a[i] < b[i] ? 1 : 0;
      return;
  }
}

// Maps -NaN < -inf < ... < -0 < +0 < ... < inf < NaN to integers in the same order.
int64_t TotalOrderKey(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? static_cast<int64_t>(~static_cast<uint64_t>(bits) | (1ULL << 63)) : bits;
}

template <class T>
void CompareKernel(const LaneOp& op, const void* const* in, void* out, size_t n) {
  CompareOrdered(op.comparison, static_cast<const T*>(in[0]), static_cast<const T*>(in[1]),
                 static_cast<uint64_t*>(out), n);
}

void CompareTotal(const LaneOp& op, const void* const* in, void* out, size_t n) {
  const auto* a = static_cast<const double*>(in[0]);
  const auto* b = static_cast<const double*>(in[1]);
  auto* to = static_cast<uint64_t*>(out);
  for (size_t i = 0; i < n; ++i) {
    const int64_t x = TotalOrderKey(a[i]);
    const int64_t y = TotalOrderKey(b[i]);
    CompareOrdered(op.comparison, &x, &y, to + i, 1);
  }
}

void CompareComplex(const LaneOp& op, const void* const* in, void* out, size_t n) {
  const auto* a = static_cast<const Complex*>(in[0]);
  const auto* b = static_cast<const Complex*>(in[1]);
  auto* to = static_cast<uint64_t*>(out);
  const bool wanted = op.comparison != Comparison::kNe;
  for (size_t i = 0; i < n; ++i) to[i] = (a[i] == b[i]) == wanted ? 1 : 0;
}

template <class T>
void SelectKernel(const LaneOp& /*op*/, const void* const* in, void* out, size_t n) {
  const auto* which = static_cast<const uint64_t*>(in[0]);
  const auto* yes = static_cast<const T*>(in[1]);
  const auto* no = static_cast<const T*>(in[2]);
  auto* to = static_cast<T*>(out);
  for (size_t i = 0; i < n; ++i) to[i] = which[i] != 0 ? yes[i] : no[i];
}

template <class T>
void ClampKernel(const LaneOp& /*op*/, const void* const* in, void* out, size_t n) {
  const auto* low = static_cast<const T*>(in[0]);
  const auto* x = static_cast<const T*>(in[1]);
  const auto* high = static_cast<const T*>(in[2]);
  auto* to = static_cast<T*>(out);
  for (size_t i = 0; i < n; ++i) to[i] = SmallerLane(LargerLane(x[i], low[i]), high[i]);
}

template <class T>
void CopyKernel(const LaneOp& /*op*/, const void* const* in, void* out, size_t n) {
  std::memmove(out, in[0], n * sizeof(T));
}

void ConvertKernel(const LaneOp& op, const void* const* in, void* out, size_t n) {
  ConvertLanes(op.type, op.result, in[0], out, n);
}

void MakeComplex(const LaneOp& /*op*/, const void* const* in, void* out, size_t n) {
  const auto* real = static_cast<const double*>(in[0]);
  const auto* imag = static_cast<const double*>(in[1]);
  auto* to = static_cast<Complex*>(out);
  for (size_t i = 0; i < n; ++i) to[i] = Complex(real[i], imag[i]);
}

LaneKernel ByKind(LaneKind kind, LaneKernel ints, LaneKernel uints, LaneKernel floats,
                  LaneKernel complexes) {
  switch (kind) {
    case LaneKind::kInt: return ints;
    case LaneKind::kUint: return uints;
    case LaneKind::kFloat: return floats;
    case LaneKind::kComplex: return complexes;
  }
  return nullptr;
}

}  // namespace

LaneOp LaneOpOf(const Module& module, const Inst& inst, Opcode opcode, ElementType result,
                ElementType first, ElementType second) {
  LaneOp op;
  op.opcode = opcode;
  op.result = result;
  op.type = opcode == Opcode::kSelect || opcode == Opcode::kClamp ? second : first;
  switch (opcode) {
    case Opcode::kCompare:
      op.comparison = ComparisonOf(module.TextOr(inst.attrs, AttrKey::k_direction));
      op.total_order = module.TextOr(inst.attrs, AttrKey::k_type) == "TOTALORDER" ||
                       module.TextOr(inst.attrs, AttrKey::k_order) == "TOTAL";
      break;
    case Opcode::kReducePrecision:
      op.exponent_bits = static_cast<int>(module.IntOr(inst.attrs, AttrKey::k_exponent_bits, 8));
      op.mantissa_bits = static_cast<int>(module.IntOr(inst.attrs, AttrKey::k_mantissa_bits, 23));
      break;
    default: break;
  }
  return op;
}

LaneKind OperandKind(const LaneOp& op, size_t index) {
  if (op.opcode == Opcode::kSelect && index == 0) return LaneKind::kUint;
  if (op.opcode == Opcode::kStochasticConvert && index == 1) return LaneKind::kUint;
  return LaneKindOf(op.type);
}

LaneKernel FindLaneKernel(const LaneOp& op) {
  const LaneKind kind = LaneKindOf(op.type);
  switch (op.opcode) {
    case Opcode::kCompare:
      if (op.total_order && kind == LaneKind::kFloat) return CompareTotal;
      return ByKind(kind, CompareKernel<int64_t>, CompareKernel<uint64_t>, CompareKernel<double>,
                    CompareComplex);
    case Opcode::kSelect:
      return ByKind(kind, SelectKernel<int64_t>, SelectKernel<uint64_t>, SelectKernel<double>,
                    SelectKernel<Complex>);
    case Opcode::kClamp:
      return ByKind(kind, ClampKernel<int64_t>, ClampKernel<uint64_t>, ClampKernel<double>,
                    nullptr);
    case Opcode::kCopy:
      return ByKind(kind, CopyKernel<int64_t>, CopyKernel<uint64_t>, CopyKernel<double>,
                    CopyKernel<Complex>);
    case Opcode::kConvert: return ConvertKernel;
    case Opcode::kComplex: return kind == LaneKind::kFloat ? MakeComplex : nullptr;
    default: break;
  }
  switch (kind) {
    case LaneKind::kInt: return FindIntKernel(op.opcode);
    case LaneKind::kUint: return FindUintKernel(op.opcode);
    case LaneKind::kFloat: return FindFloatKernel(op.opcode);
    case LaneKind::kComplex:
      return op.opcode == Opcode::kDivide && op.type == ElementType::kC64
                 ? FloatQuotientKernel()
                 : FindComplexKernel(op.opcode);
  }
  return nullptr;
}

}  // namespace halo
