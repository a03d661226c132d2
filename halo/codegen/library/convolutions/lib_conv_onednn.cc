// oneDNN's convolutions. oneDNN prefers its own memory formats: arrays whose features are
// contiguous are passed in place; others are reordered to the format it asks for and back. Filters
// always are.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>

#include "halo/base/capped.h"
#include "halo/codegen/library/convolutions/lib_conv.h"
#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/lib_onednn.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

using Forward = dnnl::convolution_forward::primitive_desc;
using BackwardData = dnnl::convolution_backward_data::primitive_desc;
using BackwardWeights = dnnl::convolution_backward_weights::primitive_desc;

// How one array gets from its memory layout to what the primitive takes.
struct Passage {
  std::optional<Move> move;  // to or from dense memory, in a type oneDNN supports
  int64_t move_at = 0;
  int64_t origin = 0;         // offset of index zero, in elements, if strides are negative
  dnnl::memory::desc stored;  // after the move
  dnnl::memory::desc wanted;  // by the primitive
  std::optional<dnnl::reorder> reorder;
  int64_t reorder_at = 0;
};

onednn::ConvWindow WindowOf(const ConvProblem& problem) {
  onednn::ConvWindow w;
  for (size_t i = 0; i < problem.window.size(); ++i) {
    const ConvDim& dim = problem.window[i];
    const int64_t in = problem.arrays[kConvInput].dims[2 + i];
    const int64_t taps = problem.arrays[kConvFilter].dims[3 + i];
    const int64_t out = problem.arrays[kConvOutput].dims[2 + i];
    w.strides.push_back(dim.stride);
    w.dilations.push_back(dim.dilation - 1);
    w.pad_low.push_back(dim.pad);
    // The padding that the sizes imply for the other end.
    w.pad_high.push_back((out - 1) * dim.stride + (taps - 1) * dim.dilation + 1 - in - dim.pad);
  }
  return w;
}

// Places at a distance of one another, each of which sees elements of the input at a distance.
struct Sight {
  int64_t places, place_step;
  int64_t steps, step;
};

// More places or steps than this are not looked at one by one.
constexpr int64_t kMostPlaces = 1 << 16;

// True if some place sees nothing of the input, which begins `pad` after the first place. If the
// steps may jump over a small input and there are too many places to try, it counts as true.
bool SeesNothing(const Sight& sight, int64_t pad, int64_t in) {
  const int64_t last_place = MultiplyCapped(sight.places - 1, sight.place_step) - pad;
  const int64_t reach = MultiplyCapped(sight.steps - 1, sight.step);
  if (last_place >= in || reach - pad < 0) return true;
  if (sight.step <= in) return false;
  if (sight.places > kMostPlaces) return true;
  for (int64_t place = 0; place < sight.places; ++place) {
    const int64_t first = place * sight.place_step - pad;
    // The first of its steps that is not before the input.
    const int64_t at = first >= 0 ? first : (sight.step + first % sight.step) % sight.step;
    if (at >= in || at > AddCapped(first, reach)) return true;
  }
  return false;
}

// True if along a dimension some window position, or some tap at all positions, sees only padding.
// For those oneDNN 2.6 reads beyond its input or leaves their part of a filter unwritten.
bool MeetsOnlyPadding(const ConvProblem& problem, size_t dim) {
  const ConvDim& window = problem.window[dim];
  const int64_t in = problem.arrays[kConvInput].dims[2 + dim];
  const int64_t taps = problem.arrays[kConvFilter].dims[3 + dim];
  const int64_t out = problem.arrays[kConvOutput].dims[2 + dim];
  return SeesNothing({out, window.stride, taps, window.dilation}, window.pad, in) ||
         SeesNothing({taps, window.dilation, out, window.stride}, window.pad, in);
}

// oneDNN goes through the pairs of a window and a tap of a dimension when it makes a primitive;
// more than these take longer than a moment.
constexpr int64_t kMostPairs = int64_t{1} << 29;

bool HasManyPairs(const ConvProblem& problem, size_t dim) {
  return MultiplyCapped(problem.arrays[kConvOutput].dims[2 + dim],
                        problem.arrays[kConvFilter].dims[3 + dim]) > kMostPairs;
}

// Without VNNI, oneDNN halves the weights of signed integers so that sums of two products fit into
// 16 bits, which loses a bit.
bool HasExactIntegerProducts() {
#if defined(__x86_64__)
  return BestCpuLevel() == CpuLevel::kAvx512 && __builtin_cpu_supports("avx512vnni") > 0;
#else
  return false;
#endif
}

class OneDnnConvolution : public ConvKernel {
 public:
  explicit OneDnnConvolution(const ConvProblem& problem) : problem_(problem) {}

  // Returns false if oneDNN has no fast implementation.
  bool Prepare() {
    const auto is = [&](ConvRole role, ElementType type) {
      return problem_.arrays[role].type == type;
    };
    using enum ElementType;
    if (problem_.result == kConvOutput && is(kConvInput, kS8) && is(kConvFilter, kS8) &&
        is(kConvOutput, kS32) && HasExactIntegerProducts()) {
      return PrepareAs(true, true) || PrepareAs(true, false);
    }
    if (SumsBytesExactly()) return PrepareAs(false, true) || PrepareAs(false, false);
    bool narrow = true;
    for (const ConvRole role : {kConvInput, kConvFilter, kConvOutput}) {
      if (!is(role, kF32) && !is(role, kBF16) && !is(role, kF16)) return false;
      narrow = narrow && (is(role, kBF16) || (role == problem_.result && is(role, kF32)));
    }
    for (const bool in_stored_order : {true, false}) {
      if (narrow && PrepareAs(true, in_stored_order)) return true;
      if (PrepareAs(false, in_stored_order)) return true;
    }
    return false;
  }

  bool Run(const std::array<void*, 3>& arrays, void* scratch) const override {
    auto* workspace = static_cast<uint8_t*>(scratch);
    const LibraryThreadsScope threads(false);
    try {
      std::array<dnnl::memory, 3> memories;
      for (const ConvRole role : {kConvInput, kConvFilter, kConvOutput}) {
        memories[role] = Enter(role, arrays[role], workspace);
      }
      constexpr int kArgs[3][3] = {{DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
                                   {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST},
                                   {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}};
      const auto& args = kArgs[problem_.result];
      primitive_.execute(onednn::Queue(),
                         {{args[0], memories[0]},
                          {args[1], memories[1]},
                          {args[2], memories[2]},
                          {DNNL_ARG_SCRATCHPAD,
                           dnnl::memory(scratchpad_, onednn::Cpu(), workspace + scratchpad_at_)}});
      Leave(memories[problem_.result], arrays[problem_.result], workspace);
      onednn::Queue().wait();
      return true;
    } catch (const dnnl::error&) {
      return false;
    }
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return plan_.bytes(); }
  [[nodiscard]] std::string Text() const override {
    constexpr const char* kNames[] = {"back to the input", "back to the filter", "forward"};
    return std::string("oneDNN convolution ") + kNames[problem_.result] + " " +
           problem_.SizeText() + " " + name_;
  }

 private:
  [[nodiscard]] uint8_t* At(ConvRole role, void* array) const {
    const int64_t bytes = static_cast<int64_t>(StoredBytes(problem_.arrays[role].type));
    return static_cast<uint8_t*>(array) + passages_[role].origin * bytes;
  }

  dnnl::memory Enter(ConvRole role, void* array, uint8_t* workspace) const {
    const Passage& p = passages_[role];
    const bool is_result = role == problem_.result;
    void* at = array;
    if (p.move) {
      at = workspace + p.move_at;
      if (!is_result) p.move->Run(At(role, array), at);
    }
    dnnl::memory stored(p.stored, onednn::Cpu(), at);
    if (!p.reorder) return stored;
    dnnl::memory wanted(p.wanted, onednn::Cpu(), workspace + p.reorder_at);
    if (!is_result) p.reorder->execute(onednn::Queue(), stored, wanted);
    return wanted;
  }

  void Leave(dnnl::memory& computed, void* array, uint8_t* workspace) const {
    const Passage& p = passages_[problem_.result];
    void* at = p.move ? workspace + p.move_at : array;
    if (p.reorder) {
      dnnl::memory stored(p.stored, onednn::Cpu(), at);
      p.reorder->execute(onednn::Queue(), computed, stored);
    }
    if (p.move) p.move->Run(at, At(problem_.result, array));
  }

  bool PrepareAs(bool narrow, bool in_stored_order) {
    plan_ = {};
    passages_ = {};
    const LibraryThreadsScope threads(false);
    try {
      std::array<dnnl::memory::desc, 3> asked;
      for (const ConvRole role : {kConvInput, kConvFilter, kConvOutput}) {
        asked[role] = Describe(role, narrow, in_stored_order);
      }
      const onednn::ConvWindow window = WindowOf(problem_);
      dnnl::primitive_attr attr;
      attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
      const auto& [a, b, c] = asked;
      if (problem_.result == kConvOutput) {
        return Accept(onednn::ConvForward(a, b, c, window, attr), [](const Forward& pd) {
          return std::array{pd.src_desc(), pd.weights_desc(), pd.dst_desc()};
        });
      }
      const auto any = [&](ConvRole role) {
        return onednn::AnyOrder(DimsOf(role), TypeOf(role, narrow));
      };
      const Forward forward =
          onednn::ConvForward(any(kConvInput), any(kConvFilter), any(kConvOutput), window, {});
      if (problem_.result == kConvInput) {
        return Accept(
            onednn::ConvBackwardData(a, b, c, window, attr, forward), [](const BackwardData& pd) {
              return std::array{pd.diff_src_desc(), pd.weights_desc(), pd.diff_dst_desc()};
            });
      }
      return Accept(onednn::ConvBackwardWeights(a, b, c, window, attr, forward),
                    [](const BackwardWeights& pd) {
                      return std::array{pd.src_desc(), pd.diff_weights_desc(), pd.diff_dst_desc()};
                    });
    } catch (const dnnl::error&) {
      return false;
    }
  }

  template <class PrimitiveDesc, class Descs>
  bool Accept(const PrimitiveDesc& pd, const Descs& descs) {
    if (onednn::IsPlainLoops(pd)) return false;
    const std::array<dnnl::memory::desc, 3> wanted = descs(pd);
    for (const ConvRole role : {kConvInput, kConvFilter, kConvOutput}) {
      Passage& p = passages_[role];
      p.wanted = wanted[role];
      if (p.wanted == p.stored) continue;
      const bool is_result = role == problem_.result;
      const auto& from = is_result ? p.wanted : p.stored;
      const auto& to = is_result ? p.stored : p.wanted;
      p.reorder.emplace(dnnl::reorder::primitive_desc(onednn::Cpu(), from, onednn::Cpu(), to));
      p.reorder_at = plan_.Take(static_cast<int64_t>(p.wanted.get_size()));
    }
    scratchpad_ = pd.scratchpad_desc();
    scratchpad_at_ = plan_.Take(static_cast<int64_t>(scratchpad_.get_size()));
    primitive_ = dnnl::primitive(pd.get());
    name_ = pd.impl_info_str();
    return true;
  }

  // True for a convolution of bytes whose sums f32 holds exactly.
  [[nodiscard]] bool SumsBytesExactly() const {
    using enum ElementType;
    int64_t most = 1;
    for (const ConvRole role : {kConvInput, kConvFilter}) {
      const ElementType type = problem_.arrays[role].type;
      if (type != kS8 && type != kU8) return false;
      most *= type == kS8 ? 128 : 255;
    }
    const Dims& filter = problem_.arrays[kConvFilter].dims;
    for (size_t i = 2; i < filter.size(); ++i) {
      if (filter[i] > (int64_t{1} << 24) / most) return false;
      most *= filter[i];
    }
    return problem_.result == kConvOutput && problem_.arrays[kConvOutput].type == kS32;
  }

  [[nodiscard]] ElementType TypeOf(ConvRole role, bool narrow) const {
    return narrow ? problem_.arrays[role].type : ElementType::kF32;
  }

  // A filter with a single group has no group dimension.
  [[nodiscard]] bool HasGroups() const { return problem_.arrays[kConvFilter].dims[0] > 1; }
  [[nodiscard]] std::span<const int64_t> WithoutGroup(ConvRole role, const Dims& list) const {
    return std::span(list).subspan(role == kConvFilter && !HasGroups() ? 1 : 0);
  }
  [[nodiscard]] std::span<const int64_t> DimsOf(ConvRole role) const {
    return WithoutGroup(role, problem_.arrays[role].dims);
  }

  // Describes the memory of the array, to be moved first if oneDNN cannot express it, and returns
  // what to request from the primitive.
  dnnl::memory::desc Describe(ConvRole role, bool narrow, bool in_stored_order) {
    const ConvArray& array = problem_.arrays[role];
    const ElementType type = TypeOf(role, narrow);
    Passage& p = passages_[role];
    Dims strides = array.strides;
    bool reversed = false;
    for (size_t i = 0; i < strides.size(); ++i) {
      if (strides[i] >= 0) continue;
      reversed = true;
      p.origin -= strides[i] * (array.dims[i] - 1);
    }
    const size_t feature = role == kConvFilter ? 2 : 1;
    if (reversed || array.type != type) {
      strides = Dense(array, feature);
      const bool is_result = role == problem_.result;
      p.move = is_result ? Move(type, array.type, array.dims, strides, array.strides)
                         : Move(array.type, type, array.dims, array.strides, strides);
      p.move_at = plan_.Take(array.count() * static_cast<int64_t>(StoredBytes(type)));
    }
    p.stored = onednn::Strided(DimsOf(role), type, WithoutGroup(role, strides));
    const bool keeps = in_stored_order && role != kConvFilter && strides[feature] == 1;
    return keeps ? p.stored : onednn::AnyOrder(DimsOf(role), type);
  }

  // Dense strides with features minor-most.
  static Dims Dense(const ConvArray& array, size_t feature) {
    Dims strides(array.dims.size());
    strides[feature] = 1;
    int64_t step = array.dims[feature];
    for (size_t i = strides.size(); i-- > 0;) {
      if (i == feature) continue;
      strides[i] = step;
      step *= array.dims[i];
    }
    return strides;
  }

  ConvProblem problem_;
  std::array<Passage, 3> passages_;
  dnnl::primitive primitive_;
  dnnl::memory::desc scratchpad_;
  int64_t scratchpad_at_ = 0;
  ScratchLayout plan_;
  std::string name_;
};

}  // namespace

std::string ConvProblem::SizeText() const {
  const auto list = [](const Dims& dims) {
    std::string text;
    for (const int64_t dim : dims) text += (text.empty() ? "" : ",") + std::to_string(dim);
    return "[" + text + "]";
  };
  return list(arrays[kConvInput].dims) + list(arrays[kConvFilter].dims);
}

std::unique_ptr<ConvKernel> MakeOneDnnConvolution(const ConvProblem& problem) {
  if (problem.window.empty() || problem.window.size() > 3) return nullptr;
  for (const ConvArray& array : problem.arrays) {
    if (array.count() == 0) return nullptr;
  }
  for (size_t i = 0; i < problem.window.size(); ++i) {
    if (problem.window[i].pad < 0 || HasManyPairs(problem, i) || MeetsOnlyPadding(problem, i)) {
      return nullptr;
    }
  }
  auto kernel = std::make_unique<OneDnnConvolution>(problem);
  if (!kernel->Prepare()) return nullptr;
  return kernel;
}

}  // namespace halo
