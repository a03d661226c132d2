// convolution: multiplies the input under each placement of the window by the kernel. Padding and
// dilation holes count as zeros. Products are accumulated in double, integers modulo 2^64, and
// rounded once. Each group's input is unrolled, some rows at a time, into a matrix that multiplies
// the kernel.
#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "halo/eval/context/converted.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/run_time_dims.h"
#include "halo/eval/context/strided_copy.h"
#include "halo/eval/context/window_walk.h"
#include "halo/eval/lanes/sum_type.h"
#include "halo/eval/linalg/dot.h"
#include "halo/semantics/facts/conv_labels.h"

namespace halo {

namespace {

using Complex = std::complex<double>;

void Multiply(const double* a, const double* b, double* out, int64_t m, int64_t n, int64_t k) {
  MultiplyAdd(a, b, out, m, n, k);
}

template <class T>
void Multiply(const T* a, const T* b, T* out, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < k; ++j) {
      const T factor = a[i * k + j];
      for (int64_t l = 0; l < n; ++l) out[i * n + l] += factor * b[j * n + l];
    }
  }
}

Dims Order(int64_t first, std::span<const int64_t> spatial, int64_t last) {
  Dims order = {first};
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.push_back(last);
  return order;
}

// Dimension positions in the form that Transposed takes.
int64_t At(size_t placement) { return static_cast<int64_t>(placement); }
Dims At(const std::vector<size_t>& placements) { return {placements.begin(), placements.end()}; }

class Convolution {
 public:
  Convolution(OpContext& cx, const ConvLabels& labels)
      : cx_(cx),
        labels_(labels),
        window_(DecodeWindow(cx.ints(AttrKey::k_window))),
        sum_(SumTypeOf({cx.array(0).type(), cx.array(1).type(), cx.type()})),
        // Input [batch, spatial, feature], kernel [spatial, input feature, output feature].
        input_(Transposed(
            cx, Converted(cx, cx.array(0), sum_),
            Order(At(labels.input.batch), At(labels.input.spatial), At(labels.input.feature)))),
        kernel_(cx.Make(sum_, {})) {
    Dims order = At(labels.kernel.spatial);
    order.push_back(At(labels.kernel.batch));
    order.push_back(At(labels.kernel.feature));
    kernel_ = Transposed(cx, Converted(cx, cx.array(1), sum_), order);
    const size_t rank = labels.input.spatial.size();
    window_.dims.resize(rank);
    for (size_t i = 0; i < rank; ++i) {
      taps_.push_back(kernel_.dim(i));
      placements_.push_back(PlacementsAlong(i));
    }
    feature_groups_ = std::max<int64_t>(cx.integer(AttrKey::k_feature_group_count, 1), 1);
    batch_groups_ = std::max<int64_t>(cx.integer(AttrKey::k_batch_group_count, 1), 1);
    channels_ = kernel_.dim(rank);
    features_ = kernel_.dim(rank + 1);
    batch_ = input_.dim(0) / batch_groups_;
  }

  Result<Value> Run() {
    const int64_t read = channels_ * feature_groups_;
    const int64_t given = input_features();
    if (auto error = DemandSameDims(cx_, {&read, 1}, {&given, 1})) return *std::move(error);
    if (auto over = cx_.CheckBudget(batch_ * ElementsIn(placements_) * features_ * 16)) {
      return *std::move(over);
    }
    Array sums = cx_.Make(sum_, Order(batch_, placements_, features_));
    if (sums.count() > 0) {
      auto error = sum_ == ElementType::kF64    ? RunAs<double>(sums)
                   : sum_ == ElementType::kC128 ? RunAs<Complex>(sums)
                                                : RunAs<uint64_t>(sums);
      if (error) return *std::move(error);
    }
    // Transposes [batch, spatial, feature] back to the dimension order that the labels give the
    // result.
    Dims order(placements_.size() + 2);
    order[labels_.output.batch] = 0;
    order[labels_.output.feature] = static_cast<int64_t>(placements_.size()) + 1;
    for (size_t i = 0; i < placements_.size(); ++i) {
      order[labels_.output.spatial[i]] = static_cast<int64_t>(i) + 1;
    }
    return Value(Transposed(cx_, Converted(cx_, sums, cx_.type()), order));
  }

 private:
  // Returns the declared number of placements, or fewer if the input is smaller than declared.
  [[nodiscard]] int64_t PlacementsAlong(size_t i) const {
    const size_t in = labels_.input.spatial[i];
    const int64_t declared = cx_.dims()[labels_.output.spatial[i]];
    if (cx_.module.shapes.dims(cx_.operand_shape(0))[in] == cx_.array(0).dim(in)) return declared;
    return std::min(declared, WindowPlacements(window_.dims[i], cx_.array(0).dim(in)));
  }

  template <class T>
  std::optional<Diagnostic> RunAs(Array& sums) {
    const int64_t groups = feature_groups_ * batch_groups_;
    const int64_t width = features_ / groups;
    const int64_t depth = ElementsIn(taps_) * channels_;
    const int64_t rows = batch_ * ElementsIn(placements_);
    const int64_t chunk =
        std::clamp<int64_t>(kUnrolled / std::max<int64_t>(depth, 1), 1, std::max<int64_t>(rows, 1));
    if (auto over = cx_.CheckBudget(static_cast<int64_t>(sizeof(T)) *
                                    (chunk * (depth + width) + depth * width))) {
      return over;
    }
    std::vector<T> unrolled(static_cast<size_t>(chunk * depth));
    std::vector<T> kernel(static_cast<size_t>(depth * width));
    std::vector<T> out(static_cast<size_t>(chunk * width));
    for (int64_t group = 0; group < groups; ++group) {
      TakeKernel(group * width, width, kernel.data());
      for (int64_t first = 0; first < rows; first += chunk) {
        const int64_t n = std::min(chunk, rows - first);
        if (auto over = cx_.Spend(n * depth * std::max<int64_t>(width, 1))) return over;
        std::fill(unrolled.begin(), unrolled.end(), T{});
        for (int64_t i = 0; i < n; ++i) Unroll(first + i, group, unrolled.data() + i * depth);
        std::fill(out.begin(), out.end(), T{});
        Multiply(unrolled.data(), kernel.data(), out.data(), n, width, depth);
        T* to = sums.Mutable<T>().data() + first * features_ + group * width;
        for (int64_t i = 0; i < n; ++i) {
          std::copy_n(out.data() + i * width, width, to + i * features_);
        }
      }
    }
    return std::nullopt;
  }

  // Copies the columns of one group, [taps, channels, width], with the taps in the order in which
  // the window visits them.
  template <class T>
  void TakeKernel(int64_t column, int64_t width, T* to) const {
    const T* from = kernel_.as<T>().data();
    Dims tap(taps_.size(), 0);
    const Dims strides = RowMajorStrides(taps_);
    do {
      int64_t at = 0;
      for (size_t i = 0; i < tap.size(); ++i) {
        at += (window_.dims[i].reversal ? taps_[i] - 1 - tap[i] : tap[i]) * strides[i];
      }
      for (int64_t c = 0; c < channels_; ++c) {
        to = std::copy_n(from + (at * channels_ + c) * features_ + column, width, to);
      }
    } while (NextIndex(taps_, tap));
  }

  // Writes what the window sees at one placement as a row [taps, channels]. The row must be zero on
  // entry.
  template <class T>
  void Unroll(int64_t row, int64_t group, T* to) const {
    Dims placement(placements_.size());
    for (size_t i = placements_.size(); i-- > 0;) {
      placement[i] = row % placements_[i];
      row /= placements_[i];
    }
    const int64_t batch_group = group / feature_groups_;
    const int64_t feature_group = group % feature_groups_;
    const std::span<const int64_t> spatial = input_.dims().subspan(1, placements_.size());
    const T* image = input_.as<T>().data() +
                     (batch_group * batch_ + row) * ElementsIn(spatial) * input_features() +
                     feature_group * channels_;
    Dims tap(taps_.size(), 0);
    do {
      int64_t pixel = 0;
      bool seen = true;
      for (size_t i = 0; i < tap.size() && seen; ++i) {
        const WindowDim& dim = window_.dims[i];
        const int64_t element =
            WindowElement(dim, WindowStart(dim, placement[i]), tap[i], spatial[i]);
        seen = element >= 0;
        pixel = pixel * spatial[i] + element;
      }
      if (seen) std::copy_n(image + pixel * input_features(), channels_, to);
      to += channels_;
    } while (NextIndex(taps_, tap));
  }

  [[nodiscard]] int64_t input_features() const { return input_.dim(input_.rank() - 1); }

  static constexpr int64_t kUnrolled = 1 << 20;  // elements unrolled at a time

  OpContext& cx_;
  const ConvLabels& labels_;
  Window window_;
  ElementType sum_;
  Array input_, kernel_;
  Dims taps_, placements_;
  int64_t feature_groups_ = 1, batch_groups_ = 1;
  int64_t channels_ = 0, features_ = 0, batch_ = 0;
};

}  // namespace

Result<Value> EvalConvolution(OpContext& cx) {
  const std::optional<ConvLabels> labels = ParseConvLabels(cx.text(AttrKey::k_dim_labels));
  if (!labels || labels->input.spatial.size() + 2 != cx.array(0).rank() ||
      labels->input.spatial.size() + 2 != cx.array(1).rank()) {
    return cx.Fail(diag::kCannotEvaluate,
                   "dim_labels do not name every dimension of the convolution once");
  }
  return Convolution(cx, *labels).Run();
}

}  // namespace halo
