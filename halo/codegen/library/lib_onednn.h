// oneDNN with the interface of version 3; version 2, which Debian ships, is adapted to it here.
// Users of this header catch dnnl::error, so that nothing is thrown past them.
#ifndef HALO_CODEGEN_LIBRARY_LIB_ONEDNN_H_
#define HALO_CODEGEN_LIBRARY_LIB_ONEDNN_H_

#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "halo/ir/types/element_type.h"

namespace halo::onednn {

// The CPU engine, and a stream on it that executes immediately.
inline dnnl::engine& Cpu() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}
inline dnnl::stream& Queue() {
  thread_local dnnl::stream stream(Cpu());
  return stream;
}

inline std::optional<dnnl::memory::data_type> TypeOf(ElementType type) {
  using T = dnnl::memory::data_type;
  switch (type) {
    case ElementType::kF32: return T::f32;
    case ElementType::kBF16: return T::bf16;
    case ElementType::kS32: return T::s32;
    case ElementType::kS8: return T::s8;
    case ElementType::kU8: return T::u8;
    default: return std::nullopt;
  }
}

inline dnnl::memory::desc Strided(std::span<const int64_t> dims, ElementType type,
                                  std::span<const int64_t> strides) {
  return {{dims.begin(), dims.end()}, *TypeOf(type), {strides.begin(), strides.end()}};
}
// oneDNN chooses the memory format.
inline dnnl::memory::desc AnyOrder(std::span<const int64_t> dims, ElementType type) {
  return {{dims.begin(), dims.end()}, *TypeOf(type), dnnl::memory::format_tag::any};
}

inline void AppendLinear(dnnl::post_ops& ops, float alpha) {
#if DNNL_VERSION_MAJOR >= 3
  ops.append_eltwise(dnnl::algorithm::eltwise_linear, alpha, 0.0F);
#else
  ops.append_eltwise(1.0F, dnnl::algorithm::eltwise_linear, alpha, 0.0F);
#endif
}

inline dnnl::matmul::primitive_desc Matmul(const dnnl::memory::desc& a, const dnnl::memory::desc& b,
                                           const dnnl::memory::desc& c,
                                           const dnnl::primitive_attr& attr) {
#if DNNL_VERSION_MAJOR >= 3
  return {Cpu(), a, b, c, attr};
#else
  return {dnnl::matmul::desc(a, b, c), attr, Cpu()};
#endif
}

// The three convolutions. `a`, `b` and `c` are input, filter and output, or their gradients.
struct ConvWindow {
  dnnl::memory::dims strides, dilations, pad_low, pad_high;
};

inline dnnl::convolution_forward::primitive_desc ConvForward(const dnnl::memory::desc& a,
                                                             const dnnl::memory::desc& b,
                                                             const dnnl::memory::desc& c,
                                                             const ConvWindow& w,
                                                             const dnnl::primitive_attr& attr) {
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  return {Cpu(),     dnnl::prop_kind::forward_inference,
          kDirect,   a,
          b,         c,
          w.strides, w.dilations,
          w.pad_low, w.pad_high,
          attr};
#else
  return {dnnl::convolution_forward::desc(dnnl::prop_kind::forward_inference, kDirect, a, b, c,
                                          w.strides, w.dilations, w.pad_low, w.pad_high),
          attr, Cpu()};
#endif
}

inline dnnl::convolution_backward_data::primitive_desc ConvBackwardData(
    const dnnl::memory::desc& a, const dnnl::memory::desc& b, const dnnl::memory::desc& c,
    const ConvWindow& w, const dnnl::primitive_attr& attr,
    const dnnl::convolution_forward::primitive_desc& forward) {
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  return {Cpu(), kDirect, a, b, c, w.strides, w.dilations, w.pad_low, w.pad_high, forward, attr};
#else
  return {dnnl::convolution_backward_data::desc(kDirect, a, b, c, w.strides, w.dilations, w.pad_low,
                                                w.pad_high),
          attr, Cpu(), forward};
#endif
}

inline dnnl::convolution_backward_weights::primitive_desc ConvBackwardWeights(
    const dnnl::memory::desc& a, const dnnl::memory::desc& b, const dnnl::memory::desc& c,
    const ConvWindow& w, const dnnl::primitive_attr& attr,
    const dnnl::convolution_forward::primitive_desc& forward) {
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  return {Cpu(), kDirect, a, b, c, w.strides, w.dilations, w.pad_low, w.pad_high, forward, attr};
#else
  return {dnnl::convolution_backward_weights::desc(kDirect, a, b, c, w.strides, w.dilations,
                                                   w.pad_low, w.pad_high),
          attr, Cpu(), forward};
#endif
}

// True if oneDNN would only use a reference implementation.
template <class PrimitiveDesc>
bool IsPlainLoops(const PrimitiveDesc& pd) {
  const std::string_view name = pd.impl_info_str();
  return name.starts_with("ref") || name.starts_with("simple");
}

}  // namespace halo::onednn

#endif  // HALO_CODEGEN_LIBRARY_LIB_ONEDNN_H_
