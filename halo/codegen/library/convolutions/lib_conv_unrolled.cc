// Groups are processed one after the other; each multiplies its own columns of the filter.
#include "halo/codegen/library/convolutions/lib_conv_unrolled.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "halo/eval/context/window_walk.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

constexpr int64_t kUnrolled = 1 << 20;  // elements at a time

Dims Picked(const Dims& list, const ConvSide& side) {
  Dims out = {list[side.batch]};
  for (const size_t dim : side.spatial) out.push_back(list[dim]);
  out.push_back(list[side.feature]);
  return out;
}

}  // namespace

std::optional<UnrolledConvolution> UnrolledConvolution::Make(const ConvInstruction& conv) {
  UnrolledConvolution out;
  const size_t rank = conv.labels.spatial();
  out.window_ = conv.window;
  out.window_.dims.resize(rank);
  out.feature_groups_ = conv.feature_groups;
  out.batch_groups_ = conv.batch_groups;
  for (size_t i = 0; i < rank; ++i) {
    out.spatial_.push_back(conv.input.dims[conv.labels.input.spatial[i]]);
    out.taps_.push_back(conv.kernel.dims[conv.labels.kernel.spatial[i]]);
    out.placements_.push_back(conv.output.dims[conv.labels.output.spatial[i]]);
  }
  out.channels_ = conv.kernel.dims[conv.labels.kernel.batch];
  out.features_ = conv.kernel.dims[conv.labels.kernel.feature];
  out.input_features_ = conv.input.dims[conv.labels.input.feature];
  out.batch_ = conv.input.dims[conv.labels.input.batch] / conv.batch_groups;
  const int64_t groups = conv.feature_groups * conv.batch_groups;
  if (out.channels_ * conv.feature_groups != out.input_features_ || out.features_ % groups != 0 ||
      conv.output.count() == 0) {
    return std::nullopt;
  }
  out.width_ = out.features_ / groups;
  out.depth_ = ElementsIn(out.taps_) * out.channels_;
  const int64_t rows = out.batch_ * ElementsIn(out.placements_);
  out.chunk_ = std::clamp<int64_t>(kUnrolled / std::max<int64_t>(out.depth_, 1), 1, rows);
  out.in_bytes_ = static_cast<int64_t>(StoredBytes(conv.input.type));
  out.kernel_bytes_ = static_cast<int64_t>(StoredBytes(conv.kernel.type));
  out.out_bytes_ = static_cast<int64_t>(StoredBytes(conv.output.type));

  const Dims input_dims = Picked(conv.input.dims, conv.labels.input);
  out.move_input_ =
      Move(conv.input.type, conv.input.type, input_dims,
           Picked(conv.input.strides, conv.labels.input), RowMajorStrides(input_dims));
  Dims output_dims = Picked(conv.output.dims, conv.labels.output);
  out.move_output_ =
      Move(conv.output.type, conv.output.type, output_dims, RowMajorStrides(output_dims),
           Picked(conv.output.strides, conv.labels.output));
  // Taps in the order in which the window traverses them.
  std::vector<MoveAxis> axes;
  int64_t step = out.channels_ * out.width_;
  for (size_t i = rank; i-- > 0;) {
    int64_t from = conv.kernel.strides[conv.labels.kernel.spatial[i]];
    if (out.window_.dims[i].reversal) {
      out.kernel_origin_ += from * (out.taps_[i] - 1);
      from = -from;
    }
    axes.push_back({out.taps_[i], from, step});
    step *= out.taps_[i];
  }
  const int64_t feature_step = conv.kernel.strides[conv.labels.kernel.feature];
  axes.push_back({out.channels_, conv.kernel.strides[conv.labels.kernel.batch], out.width_});
  axes.push_back({groups, feature_step * out.width_, step});
  axes.push_back({out.width_, feature_step, 1});
  out.move_kernel_ = Move(conv.kernel.type, conv.kernel.type, std::move(axes));

  const auto product = [&](int64_t n) {
    return DotKernel::Make(RowMajor(conv.input.type, {n, out.depth_}),
                           RowMajor(conv.kernel.type, {out.depth_, out.width_}),
                           RowMajor(conv.output.type, {n, out.width_}), {{}, {}, {1}, {0}});
  };
  out.product_ = product(out.chunk_);
  const int64_t left = rows % out.chunk_;
  out.last_product_ = left == 0 ? out.product_ : product(left);
  if (!out.product_ || !out.last_product_) return std::nullopt;
  out.input_at_ = out.scratch_.Take(conv.input.bytes());
  out.kernel_at_ = out.scratch_.Take(conv.kernel.bytes());
  out.rows_at_ = out.scratch_.Take(out.chunk_ * out.depth_ * out.in_bytes_);
  out.sums_at_ = out.scratch_.Take(out.chunk_ * out.width_ * out.out_bytes_);
  out.output_at_ = out.scratch_.Take(conv.output.bytes());
  out.product_at_ = out.scratch_.Take(
      std::max(out.product_->scratch_bytes(), out.last_product_->scratch_bytes()));
  return out;
}

bool UnrolledConvolution::Run(const void* input, const void* kernel, void* output,
                              void* scratch) const {
  auto* workspace = static_cast<uint8_t*>(scratch);
  move_input_.Run(input, workspace + input_at_);
  move_kernel_.Run(static_cast<const uint8_t*>(kernel) + kernel_origin_ * kernel_bytes_,
                   workspace + kernel_at_);
  const int64_t rows = batch_ * ElementsIn(placements_);
  for (int64_t group = 0; group < feature_groups_ * batch_groups_; ++group) {
    const uint8_t* filter = workspace + kernel_at_ + group * depth_ * width_ * kernel_bytes_;
    for (int64_t first = 0; first < rows; first += chunk_) {
      const int64_t n = std::min(chunk_, rows - first);
      Unroll(workspace + input_at_, group, first, n, workspace + rows_at_);
      const DotKernel& product = n == chunk_ ? *product_ : *last_product_;
      if (!product.Run(workspace + rows_at_, filter, workspace + sums_at_, workspace + product_at_))
        return false;
      for (int64_t i = 0; i < n; ++i) {
        std::memcpy(
            workspace + output_at_ + ((first + i) * features_ + group * width_) * out_bytes_,
            workspace + sums_at_ + i * width_ * out_bytes_,
            static_cast<size_t>(width_ * out_bytes_));
      }
    }
  }
  move_output_.Run(workspace + output_at_, output);
  return true;
}

void UnrolledConvolution::Unroll(const uint8_t* input, int64_t group, int64_t first, int64_t rows,
                                 uint8_t* to) const {
  constexpr int64_t kWorthAThread = 1 << 14;
  TeamFor(rows, std::max<int64_t>(1, kWorthAThread / std::max<int64_t>(depth_, 1)),
          [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              UnrollRow(input, group, first + i, to + i * depth_ * in_bytes_);
            }
          });
}

// What the window sees at one position, [taps, channels]; zeros in the padding.
void UnrolledConvolution::UnrollRow(const uint8_t* input, int64_t group, int64_t row,
                                    uint8_t* to) const {
  Dims start(placements_.size());
  for (size_t i = placements_.size(); i-- > 0;) {
    start[i] = WindowStart(window_.dims[i], row % placements_[i]);
    row /= placements_[i];
  }
  const int64_t image = group / feature_groups_ * batch_ + row;
  const uint8_t* from = input + (image * ElementsIn(spatial_) * input_features_ +
                                 group % feature_groups_ * channels_) *
                                    in_bytes_;
  const auto bytes = static_cast<size_t>(channels_ * in_bytes_);
  if (ElementsIn(taps_) == 0) return;
  Dims tap(taps_.size(), 0);
  do {
    int64_t pixel = 0;
    bool seen = true;
    for (size_t i = 0; i < tap.size() && seen; ++i) {
      const int64_t element = WindowElement(window_.dims[i], start[i], tap[i], spatial_[i]);
      seen = element >= 0;
      pixel = pixel * spatial_[i] + element;
    }
    if (seen) {
      std::memcpy(to, from + pixel * input_features_ * in_bytes_, bytes);
    } else {
      std::memset(to, 0, bytes);
    }
    to += bytes;
  } while (NextIndex(taps_, tap));
}

std::string UnrolledConvolution::Text() const {
  return "convolution unrolled, " + product_->Text();
}

}  // namespace halo
