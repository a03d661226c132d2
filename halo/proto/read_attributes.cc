// The attributes ops have of their own. Defaults are left out where XLA's printer leaves them out.
#include "halo/proto/read_attributes.h"

#include <algorithm>

#include "halo/ir/aliasing.h"
#include "halo/ir/numeric.h"
#include "halo/ir/window.h"
#include "halo/proto/enum_names.h"
#include "halo/proto/fields.h"
#include "halo/proto/sharding_proto.h"

namespace halo {
namespace {

constexpr size_t kMaxWindowRank = 256;
constexpr int64_t kApiVersionOriginal = 1;

int64_t AtLeastOne(int64_t count) { return std::max<int64_t>(count, 1); }

// How many operands of an op have a precision.
size_t PrecisionCount(const Inst& inst, size_t operands) {
  return inst.opcode == Opcode::kRaggedDot || inst.opcode == Opcode::kScaledDot ? 2 : operands;
}

}  // namespace

bool AttributeReader::Fail(DiagCode code, std::string_view where, std::string message) {
  good_ = false;
  return context_.Report(code, where, std::move(message));
}

bool AttributeReader::Read(const InstructionFields& fields, Inst& inst) {
  f_ = &fields;
  inst_ = &inst;
  good_ = true;
  list_.clear();
  const auto add = [this](const std::optional<Attr>& attr) {
    if (attr) list_.push_back(*attr);
  };
  for (const AttrKey key : OwnAttrsOf(inst.opcode)) add(Own(key));
  if (inst.opcode == Opcode::kUnknown) {
    if (!fields.dimensions.empty()) add(Dimensions(AttrKey::k_dimensions));
    if (!fields.called_ids.empty()) add(CalledList(AttrKey::k_calls, AttrForm::kBare));
  }
  add(Sharding());
  add(ReadFrontendAttributes(context_, fields.frontend_attributes));
  add(ControlPredecessors());
  add(Statistics());
  add(Accuracy());
  add(Origin());
  add(Metadata());
  add(BackendConfig());
  inst.attrs = module_.Attrs(list_);
  return good_;
}

std::optional<Attr> AttributeReader::Own(AttrKey key) {
  const Opcode opcode = inst_->opcode;
  switch (key) {
    // Computations, in the order in which each op lists those it calls.
    case AttrKey::k_to_apply: return opcode == Opcode::kCustomCall ? std::nullopt : Called(key, 0);
    case AttrKey::k_body: return Called(key, 0);
    case AttrKey::k_condition: return Called(key, 1);
    case AttrKey::k_select: return Called(key, 0);
    case AttrKey::k_scatter: return Called(key, 1);
    case AttrKey::k_calls: return CalledList(key, AttrForm::kBare);
    case AttrKey::k_called_computations: return CalledList(key, AttrForm::kPlain);
    case AttrKey::k_true_computation:
    case AttrKey::k_false_computation:
    case AttrKey::k_branch_computations: {
      const auto predicate =
          f_->operand_ids.empty() ? std::nullopt : scope_.shape_of(f_->operand_ids[0]);
      const bool two_way = predicate && module_.shapes.type(*predicate) == ElementType::kPred;
      if (key == AttrKey::k_branch_computations) {
        return two_way ? std::nullopt : CalledList(key, AttrForm::kPlain);
      }
      return two_way ? Called(key, key == AttrKey::k_true_computation ? 0 : 1) : std::nullopt;
    }

    // Numbers and flags.
    case AttrKey::k_index: return module_.MakeInt(key, f_->tuple_index);
    case AttrKey::k_epsilon: {
      TextBuffer text;
      AppendShortFloat(f_->epsilon, text);
      return module_.MakeText(key, text.view());
    }
    case AttrKey::k_feature_index: return module_.MakeInt(key, f_->feature_index);
    case AttrKey::k_exponent_bits: return module_.MakeInt(key, f_->exponent_bits);
    case AttrKey::k_mantissa_bits: return module_.MakeInt(key, f_->mantissa_bits);
    case AttrKey::k_delta: return module_.MakeInt(key, f_->delta);
    case AttrKey::k_k: return module_.MakeInt(key, f_->k);
    case AttrKey::k_largest: return Bool(key, f_->largest);
    case AttrKey::k_num_carries: return module_.MakeInt(key, f_->num_carries);
    case AttrKey::k_is_stable: return IfTrue(key, f_->is_stable);
    case AttrKey::k_is_reverse: return IfTrue(key, f_->is_reverse);
    case AttrKey::k_is_composite: return IfTrue(key, f_->is_composite);
    case AttrKey::k_indices_are_sorted: return IfTrue(key, f_->indices_are_sorted);
    case AttrKey::k_unique_indices: return IfTrue(key, f_->unique_indices);
    case AttrKey::k_constrain_layout: return IfTrue(key, f_->constrain_layout);
    case AttrKey::k_use_global_device_ids: return IfTrue(key, f_->use_global_device_ids);
    case AttrKey::k_has_dynamic_root: return IfTrue(key, f_->has_dynamic_root);
    case AttrKey::k_is_host_transfer: return IfTrue(key, f_->is_host_transfer);
    case AttrKey::k_custom_call_has_side_effect: return IfTrue(key, f_->has_side_effect);
    case AttrKey::k_channel_id: {
      const int64_t channel = f_->channel_id > 0 ? f_->channel_id : f_->all_reduce_id;
      return channel > 0 ? std::optional(module_.MakeInt(key, channel)) : std::nullopt;
    }
    case AttrKey::k_cross_program_prefetch_index:
      if (!f_->has_prefetch_index) return std::nullopt;
      return module_.MakeInt(key, f_->prefetch_index);
    case AttrKey::k_feature_group_count:
      if (AtLeastOne(f_->feature_group_count) == 1) return std::nullopt;
      return module_.MakeInt(key, f_->feature_group_count);
    case AttrKey::k_batch_group_count:
      if (AtLeastOne(f_->batch_group_count) == 1) return std::nullopt;
      return module_.MakeInt(key, f_->batch_group_count);

    // Words.
    case AttrKey::k_direction:
    case AttrKey::k_order:
    case AttrKey::k_type: return Comparison(key);
    case AttrKey::k_kind: return module_.MakeText(key, f_->fusion_kind);
    case AttrKey::k_fft_type: return module_.MakeText(key, EnumWord(FftTypeNames(), f_->fft_type));
    case AttrKey::k_distribution:
      return module_.MakeText(key, EnumWord(DistributionNames(), f_->distribution));
    case AttrKey::k_convolution_kind:
      if (f_->convolution_kind == 0) return std::nullopt;
      return module_.MakeText(key, EnumWord(ConvolutionKindNames(), f_->convolution_kind));
    case AttrKey::k_is_associative:
      if (f_->is_associative == 0) return std::nullopt;
      return module_.MakeText(key, EnumWord(TriStateNames(), f_->is_associative));
    case AttrKey::k_padding_type:
      if (f_->padding_type == 0) return std::nullopt;
      return module_.MakeText(key, EnumWord(PaddingTypeNames(), f_->padding_type));
    case AttrKey::k_schedule:
      if (f_->custom_call_schedule == 0) return std::nullopt;
      return module_.MakeText(key, EnumWord(ScheduleNames(), f_->custom_call_schedule));
    case AttrKey::k_api_version:
      if (f_->custom_call_api_version == kApiVersionOriginal) return std::nullopt;
      return module_.MakeText(key, EnumWord(ApiVersionNames(), f_->custom_call_api_version));
    case AttrKey::k_algorithm: return Algorithm();
    case AttrKey::k_operand_precision: return Precision();

    // Strings.
    case AttrKey::k_custom_call_target: return module_.MakeText(key, f_->custom_call_target);
    case AttrKey::k_async_execution_thread:
      if (f_->async_execution_thread.empty() || f_->async_execution_thread == "main") {
        return std::nullopt;
      }
      return module_.MakeText(key, f_->async_execution_thread);
    case AttrKey::k_infeed_config:
      if (f_->infeed_config.empty()) return std::nullopt;
      return module_.MakeText(key, f_->infeed_config);
    case AttrKey::k_outfeed_config:
      if (f_->outfeed_config.empty()) return std::nullopt;
      return module_.MakeText(key, f_->outfeed_config);

    // Lists and messages.
    case AttrKey::k_dimensions:
    case AttrKey::k_inferred_dimension:
    case AttrKey::k_iota_dimension: return Dimensions(key);
    case AttrKey::k_fft_length: return module_.MakeInts(key, f_->fft_length);
    case AttrKey::k_dynamic_slice_sizes: return module_.MakeInts(key, f_->dynamic_slice_sizes);
    case AttrKey::k_slice_sizes:
      if (opcode != Opcode::kGather) return PermutedSliceSizes();
      return module_.MakeInts(key, f_->gather_slice_sizes);
    case AttrKey::k_lhs_batch_dims:
    case AttrKey::k_lhs_contracting_dims:
    case AttrKey::k_rhs_batch_dims:
    case AttrKey::k_rhs_contracting_dims:
    case AttrKey::k_lhs_ragged_dims:
    case AttrKey::k_rhs_group_dims: return DotDimensions(key);
    case AttrKey::k_offset_dims:
    case AttrKey::k_collapsed_slice_dims:
    case AttrKey::k_start_index_map:
    case AttrKey::k_operand_batching_dims:
    case AttrKey::k_start_indices_batching_dims: return GatherDimensions(key);
    case AttrKey::k_update_window_dims:
    case AttrKey::k_inserted_window_dims:
    case AttrKey::k_scatter_dims_to_operand_dims:
    case AttrKey::k_input_batching_dims:
    case AttrKey::k_scatter_indices_batching_dims: return ScatterDimensions(key);
    case AttrKey::k_index_vector_dim:
      return opcode == Opcode::kGather ? GatherDimensions(key) : ScatterDimensions(key);
    case AttrKey::k_left_side:
    case AttrKey::k_lower:
    case AttrKey::k_unit_diagonal:
    case AttrKey::k_transpose_a: return Solve(key);
    case AttrKey::k_window: return ReadWindow();
    case AttrKey::k_dim_labels: return DimLabels();
    case AttrKey::k_slice: return Slices();
    case AttrKey::k_padding: return Padding();
    case AttrKey::k_replica_groups: return Groups();
    case AttrKey::k_source_target_pairs: return SourceTargets();
    case AttrKey::k_operand_layout_constraints: return OperandShapes();
    case AttrKey::k_output_to_operand_aliasing: return Aliasing();
    case AttrKey::k_sparsity_config: return Sparsity();
    case AttrKey::k_domain: return Domain();
    case AttrKey::k_parameter_replication: return Replication();
    case AttrKey::k_outfeed_shape: {
      ShapeId shape;
      if (!context_.ReadShape(f_->outfeed_shape, shape)) {
        good_ = false;
        return std::nullopt;
      }
      return Attr{key, AttrForm::kPlain, 0, shape.value};
    }
    case AttrKey::k_literal: {
      if (!IsPresent(f_->literal)) return std::nullopt;
      ShapeId shape;
      LiteralId literal;
      if (!context_.ReadLiteralShape(f_->literal, shape) ||
          !context_.ReadLiteral(f_->literal, shape, literal)) {
        good_ = false;
        return std::nullopt;
      }
      return Attr{key, AttrForm::kPlain, 0, literal.value};
    }
    default: return std::nullopt;
  }
}

std::optional<Attr> AttributeReader::Called(AttrKey key, size_t index) {
  if (index >= f_->called_ids.size()) return std::nullopt;
  const auto found = scope_.computations->find(f_->called_ids[index]);
  if (found == scope_.computations->end()) {
    Fail(DiagCode::kProtoBadReference, f_->name,
         "no computation has the id " + std::to_string(f_->called_ids[index]));
    return std::nullopt;
  }
  return Attr{key, AttrForm::kPlain, 0, found->second.value};
}

std::optional<Attr> AttributeReader::CalledList(AttrKey key, AttrForm form) {
  if (f_->called_ids.empty()) return std::nullopt;
  ints_.clear();
  for (size_t i = 0; i < f_->called_ids.size(); ++i) {
    if (const auto called = Called(key, i)) ints_.push_back(called->value);
  }
  return module_.MakeInts(key, ints_, form);
}

std::optional<Attr> AttributeReader::Comparison(AttrKey key) {
  if (key == AttrKey::k_direction) return module_.MakeText(key, f_->comparison_direction);
  const std::string_view written =
      key == AttrKey::k_type ? f_->comparison_type : f_->comparison_order;
  if (written.empty()) return std::nullopt;
  const auto shape = f_->operand_ids.empty() ? std::nullopt : scope_.shape_of(f_->operand_ids[0]);
  std::string_view usual = "FLOAT";
  if (shape) {
    switch (InfoOf(module_.shapes.type(*shape)).klass) {
      case ElementClass::kSigned: usual = "SIGNED"; break;
      case ElementClass::kPred:
      case ElementClass::kUnsigned: usual = "UNSIGNED"; break;
      default: break;
    }
  }
  if (key == AttrKey::k_order) usual = usual == "FLOAT" ? "PARTIAL" : "TOTAL";
  if (written == usual) return std::nullopt;
  return module_.MakeText(key, written);
}

std::optional<Attr> AttributeReader::Dimensions(AttrKey key) {
  if (key == AttrKey::k_dimensions) {
    if (inst_->opcode == Opcode::kAllToAll && f_->dimensions.empty()) return std::nullopt;
    return module_.MakeInts(key, f_->dimensions);
  }
  if (f_->dimensions.empty()) return std::nullopt;
  return module_.MakeInt(key, f_->dimensions[0]);
}

std::optional<Attr> AttributeReader::ListOf(AttrKey key, std::string_view message, uint32_t field,
                                            bool always) {
  ints_.clear();
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.field() == field) reader.Append(ints_);
  }
  if (!context_.Check(reader, message)) good_ = false;
  if (ints_.empty() && !always) return std::nullopt;
  return module_.MakeInts(key, ints_);
}

std::optional<Attr> AttributeReader::IntOf(AttrKey key, std::string_view message, uint32_t field) {
  int64_t value = 0;
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.field() == field) reader.Get(value);
  }
  if (!context_.Check(reader, message)) good_ = false;
  return module_.MakeInt(key, value);
}

std::optional<Attr> AttributeReader::DotDimensions(AttrKey key) {
  using pb::DotDimensionNumbers;
  using pb::RaggedDotDimensionNumbers;
  std::string_view dot = f_->dot;
  if (inst_->opcode == Opcode::kRaggedDot) {
    if (key == AttrKey::k_lhs_ragged_dims) {
      return ListOf(key, f_->ragged_dot, RaggedDotDimensionNumbers::k_lhs_ragged_dimensions, false);
    }
    if (key == AttrKey::k_rhs_group_dims) {
      return ListOf(key, f_->ragged_dot, RaggedDotDimensionNumbers::k_rhs_group_dimensions, false);
    }
    WireReader reader(f_->ragged_dot);
    while (reader.Next()) {
      if (reader.field() == RaggedDotDimensionNumbers::k_dot_dimension_numbers) reader.Get(dot);
    }
  }
  switch (key) {
    case AttrKey::k_lhs_batch_dims:
      return ListOf(key, dot, DotDimensionNumbers::k_lhs_batch_dimensions, false);
    case AttrKey::k_rhs_batch_dims:
      return ListOf(key, dot, DotDimensionNumbers::k_rhs_batch_dimensions, false);
    case AttrKey::k_lhs_contracting_dims:
      return ListOf(key, dot, DotDimensionNumbers::k_lhs_contracting_dimensions, true);
    case AttrKey::k_rhs_contracting_dims:
      return ListOf(key, dot, DotDimensionNumbers::k_rhs_contracting_dimensions, true);
    default: return std::nullopt;
  }
}

std::optional<Attr> AttributeReader::GatherDimensions(AttrKey key) {
  using pb::GatherDimensionNumbers;
  switch (key) {
    case AttrKey::k_offset_dims:
      return ListOf(key, f_->gather, GatherDimensionNumbers::k_offset_dims, true);
    case AttrKey::k_collapsed_slice_dims:
      return ListOf(key, f_->gather, GatherDimensionNumbers::k_collapsed_slice_dims, true);
    case AttrKey::k_start_index_map:
      return ListOf(key, f_->gather, GatherDimensionNumbers::k_start_index_map, true);
    case AttrKey::k_operand_batching_dims:
      return ListOf(key, f_->gather, GatherDimensionNumbers::k_operand_batching_dims, false);
    case AttrKey::k_start_indices_batching_dims:
      return ListOf(key, f_->gather, GatherDimensionNumbers::k_start_indices_batching_dims, false);
    default: return IntOf(key, f_->gather, GatherDimensionNumbers::k_index_vector_dim);
  }
}

std::optional<Attr> AttributeReader::ScatterDimensions(AttrKey key) {
  using pb::ScatterDimensionNumbers;
  switch (key) {
    case AttrKey::k_update_window_dims:
      return ListOf(key, f_->scatter, ScatterDimensionNumbers::k_update_window_dims, true);
    case AttrKey::k_inserted_window_dims:
      return ListOf(key, f_->scatter, ScatterDimensionNumbers::k_inserted_window_dims, true);
    case AttrKey::k_scatter_dims_to_operand_dims:
      return ListOf(key, f_->scatter, ScatterDimensionNumbers::k_scatter_dims_to_operand_dims,
                    true);
    case AttrKey::k_input_batching_dims:
      return ListOf(key, f_->scatter, ScatterDimensionNumbers::k_input_batching_dims, false);
    case AttrKey::k_scatter_indices_batching_dims:
      return ListOf(key, f_->scatter, ScatterDimensionNumbers::k_scatter_indices_batching_dims,
                    false);
    default: return IntOf(key, f_->scatter, ScatterDimensionNumbers::k_index_vector_dim);
  }
}

std::optional<Attr> AttributeReader::Solve(AttrKey key) {
  using pb::TriangularSolveOptions;
  bool left = false, lower = false, unit = false;
  int64_t transpose = 0;
  const bool is_cholesky = inst_->opcode == Opcode::kCholesky;
  const std::string_view options = is_cholesky ? f_->cholesky : f_->triangular_solve;
  WireReader reader(options);
  while (reader.Next()) {
    if (is_cholesky) {
      if (reader.field() == pb::CholeskyOptions::k_lower) reader.Get(lower);
      continue;
    }
    switch (reader.field()) {
      case TriangularSolveOptions::k_left_side: reader.Get(left); break;
      case TriangularSolveOptions::k_lower: reader.Get(lower); break;
      case TriangularSolveOptions::k_unit_diagonal: reader.Get(unit); break;
      case TriangularSolveOptions::k_transpose_a: reader.Get(transpose); break;
      default: break;
    }
  }
  if (!context_.Check(reader, options)) good_ = false;
  switch (key) {
    case AttrKey::k_left_side: return IfTrue(key, left);
    case AttrKey::k_lower: return IfTrue(key, lower);
    case AttrKey::k_unit_diagonal: return IfTrue(key, unit);
    default:
      if (transpose == 0) return std::nullopt;
      return module_.MakeText(key, EnumWord(TransposeNames(), transpose));
  }
}

std::optional<Attr> AttributeReader::ReadWindow() {
  using pb::WindowDimension;
  if (!IsPresent(f_->window)) return std::nullopt;
  Window window;
  WireReader reader(f_->window);
  while (reader.Next()) {
    std::string_view dimension;
    if (reader.field() != pb::Window::k_dimensions || !reader.Get(dimension)) continue;
    WindowDim dim{0, 0, 0, 0, 0, 0, false};
    WireReader fields(dimension);
    while (fields.Next()) {
      switch (fields.field()) {
        case WindowDimension::k_size: fields.Get(dim.size); break;
        case WindowDimension::k_stride: fields.Get(dim.stride); break;
        case WindowDimension::k_padding_low: fields.Get(dim.pad_low); break;
        case WindowDimension::k_padding_high: fields.Get(dim.pad_high); break;
        case WindowDimension::k_window_dilation: fields.Get(dim.rhs_dilate); break;
        case WindowDimension::k_base_dilation: fields.Get(dim.lhs_dilate); break;
        case WindowDimension::k_window_reversal: fields.Get(dim.reversal); break;
        default: break;
      }
    }
    if (!context_.Check(fields, dimension)) good_ = false;
    window.dims.push_back(dim);
    if (window.dims.size() > kMaxWindowRank) {
      Fail(DiagCode::kBadWindow, f_->window, "this window has too many dimensions");
      return std::nullopt;
    }
  }
  if (!context_.Check(reader, f_->window)) good_ = false;
  // Only a custom call may have a window without dimensions.
  if (window.dims.empty() && inst_->opcode != Opcode::kCustomCall) return std::nullopt;
  window.fields = NeededFields(window);
  return module_.MakeInts(AttrKey::k_window, EncodeWindow(window));
}

std::optional<Attr> AttributeReader::DimLabels() {
  using Pb = pb::ConvolutionDimensionNumbers;
  if (!IsPresent(f_->convolution)) return std::nullopt;
  struct Side {
    int64_t first = 0, second = 0;
    std::vector<int64_t> spatial;
  };
  Side input, kernel, output;
  WireReader reader(f_->convolution);
  while (reader.Next()) {
    switch (reader.field()) {
      case Pb::k_input_batch_dimension: reader.Get(input.first); break;
      case Pb::k_input_feature_dimension: reader.Get(input.second); break;
      case Pb::k_input_spatial_dimensions: reader.Append(input.spatial); break;
      case Pb::k_kernel_input_feature_dimension: reader.Get(kernel.first); break;
      case Pb::k_kernel_output_feature_dimension: reader.Get(kernel.second); break;
      case Pb::k_kernel_spatial_dimensions: reader.Append(kernel.spatial); break;
      case Pb::k_output_batch_dimension: reader.Get(output.first); break;
      case Pb::k_output_feature_dimension: reader.Get(output.second); break;
      case Pb::k_output_spatial_dimensions: reader.Append(output.spatial); break;
      default: break;
    }
  }
  if (!context_.Check(reader, f_->convolution)) good_ = false;
  std::string text;
  const auto append = [&](const Side& side, char first, char second) {
    std::vector<std::string> labels;
    const auto set = [&](int64_t dim, std::string label) {
      if (dim < 0 || dim >= static_cast<int64_t>(kMaxWindowRank)) return false;
      if (static_cast<size_t>(dim) >= labels.size())
        labels.resize(static_cast<size_t>(dim) + 1, "?");
      labels[static_cast<size_t>(dim)] = std::move(label);
      return true;
    };
    bool fine = set(side.first, {first}) && set(side.second, {second});
    for (size_t i = 0; i < side.spatial.size() && fine; ++i) {
      fine = set(side.spatial[i], std::to_string(i));
    }
    for (const std::string& label : labels) text += label;
    return fine;
  };
  bool fine = append(input, 'b', 'f');
  text += '_';
  fine = append(kernel, 'i', 'o') && fine;
  text += "->";
  fine = append(output, 'b', 'f') && fine;
  if (!fine) {
    Fail(DiagCode::kBadDimLabels, f_->convolution, "a dimension number is out of range");
    return std::nullopt;
  }
  return module_.MakeText(AttrKey::k_dim_labels, text);
}

std::optional<Attr> AttributeReader::Slices() {
  using pb::SliceDimensions;
  ints_.clear();
  bool all_one = true;
  for (const std::string_view slice : f_->slices) {
    int64_t start = 0, limit = 0, stride = 0;
    WireReader reader(slice);
    while (reader.Next()) {
      if (reader.field() == SliceDimensions::k_start) reader.Get(start);
      if (reader.field() == SliceDimensions::k_limit) reader.Get(limit);
      if (reader.field() == SliceDimensions::k_stride) reader.Get(stride);
    }
    if (!context_.Check(reader, slice)) good_ = false;
    all_one &= stride == 1;
    ints_.insert(ints_.end(), {start, limit, stride});
  }
  // Strides are written only if one differs from 1.
  for (size_t i = 2; all_one && i < ints_.size(); i += 3) ints_[i] = 0;
  return module_.MakeInts(AttrKey::k_slice, ints_);
}

std::optional<Attr> AttributeReader::Padding() {
  using pb::PaddingConfigDimension;
  ints_.clear();
  bool interior_written = false;
  WireReader reader(f_->padding);
  while (reader.Next()) {
    std::string_view dimension;
    if (reader.field() != pb::PaddingConfig::k_dimensions || !reader.Get(dimension)) continue;
    int64_t low = 0, high = 0, interior = 0;
    WireReader fields(dimension);
    while (fields.Next()) {
      if (fields.field() == PaddingConfigDimension::k_edge_padding_low) fields.Get(low);
      if (fields.field() == PaddingConfigDimension::k_edge_padding_high) fields.Get(high);
      if (fields.field() == PaddingConfigDimension::k_interior_padding) fields.Get(interior);
    }
    if (!context_.Check(fields, dimension)) good_ = false;
    interior_written |= interior != 0;
    ints_.insert(ints_.end(), {low, high, interior});
  }
  if (!context_.Check(reader, f_->padding)) good_ = false;
  return module_.MakeInts(AttrKey::k_padding, ints_,
                          interior_written ? AttrForm::kNested : AttrForm::kPlain);
}

std::optional<Attr> AttributeReader::Precision() {
  std::vector<int64_t> precisions;
  WireReader reader(f_->precision);
  while (reader.Next()) {
    if (reader.field() == pb::PrecisionConfig::k_operand_precision) reader.Append(precisions);
  }
  if (!context_.Check(reader, f_->precision)) good_ = false;
  precisions.resize(PrecisionCount(*inst_, f_->operand_ids.size()));
  if (std::all_of(precisions.begin(), precisions.end(), [](int64_t p) { return p == 0; })) {
    return std::nullopt;
  }
  for (int64_t& precision : precisions) {
    precision = module_.Str(EnumWord(PrecisionNames(), precision)).value;
  }
  return module_.MakeInts(AttrKey::k_operand_precision, precisions);
}

std::optional<Attr> AttributeReader::Algorithm() {
  if (inst_->opcode == Opcode::kRngBitGenerator) {
    return module_.MakeText(AttrKey::k_algorithm, EnumWord(RngAlgorithmNames(), f_->rng_algorithm));
  }
  int64_t algorithm = 0;
  WireReader reader(f_->precision);
  while (reader.Next()) {
    if (reader.field() == pb::PrecisionConfig::k_algorithm) reader.Get(algorithm);
  }
  if (algorithm == 0) return std::nullopt;
  return module_.MakeText(AttrKey::k_algorithm, EnumWord(DotAlgorithmNames(), algorithm));
}

std::optional<Attr> AttributeReader::Groups() {
  std::optional<ReplicaGroups> groups;
  std::vector<std::string_view> lists = f_->old_groups;
  if (IsPresent(f_->counting_groups)) {
    groups = ReadCountingGroups(f_->counting_groups);
  } else if (IsPresent(f_->mesh_groups)) {
    groups = ReadMeshGroups(f_->mesh_groups);
  } else {
    // The list once stood in the instruction itself, and a counting form once inside the list.
    std::string_view counting;
    lists.reserve(lists.size() +
                  CountFields(f_->listed_groups, pb::CollectiveDeviceListProto::k_replica_groups));
    WireReader reader(f_->listed_groups);
    while (reader.Next()) {
      if (reader.field() == pb::CollectiveDeviceListProto::k_iota_replica_group_list) {
        reader.Get(counting);
      }
      if (reader.field() == pb::CollectiveDeviceListProto::k_replica_groups &&
          f_->old_groups.empty()) {
        reader.Append(lists);
      }
    }
    if (!context_.Check(reader, f_->listed_groups)) good_ = false;
    groups = IsPresent(counting) ? ReadCountingGroups(counting) : ReadListedGroups(lists);
  }
  if (!groups) {
    Fail(DiagCode::kBadReplicaGroups, f_->name, "the replica groups cannot be read");
    return std::nullopt;
  }
  SimplifyOrder(groups->order);
  SimplifyOrder(groups->mesh.order);
  TextBuffer text;
  PrintReplicaGroups(*groups, text);
  return module_.MakeText(AttrKey::k_replica_groups, text.view());
}

std::optional<Attr> AttributeReader::SourceTargets() {
  ints_.assign(1, 0);
  for (const std::string_view pair : f_->source_targets) {
    int64_t source = 0, target = 0;
    WireReader reader(pair);
    while (reader.Next()) {
      if (reader.field() == pb::SourceTarget::k_source) reader.Get(source);
      if (reader.field() == pb::SourceTarget::k_target) reader.Get(target);
    }
    if (!context_.Check(reader, pair)) good_ = false;
    ints_[0] += 1;
    ints_.insert(ints_.end(), {2, source, target});
  }
  if (f_->source_targets.empty()) return module_.MakeInts(AttrKey::k_source_target_pairs, {});
  return module_.MakeInts(AttrKey::k_source_target_pairs, ints_, AttrForm::kNested);
}

// All sizes stand in one list; the ranks of the values being moved say where each slice ends.
std::optional<Attr> AttributeReader::PermutedSliceSizes() {
  if (f_->dynamic_slice_sizes.empty()) return std::nullopt;
  const auto input = scope_.shape_of(f_->operand_ids.empty() ? -1 : f_->operand_ids[0]);
  std::vector<size_t> ranks;
  if (input && module_.shapes.is_tuple(*input)) {
    for (const ShapeId part : module_.shapes.elements(*input)) {
      ranks.push_back(module_.shapes.dims(part).size());
    }
  } else if (input) {
    ranks.push_back(module_.shapes.dims(*input).size());
  }
  size_t whole = 0;
  for (const size_t rank : ranks) whole += rank;
  const auto& sizes = f_->dynamic_slice_sizes;
  if (whole == 0 || sizes.size() % whole != 0) {
    Fail(DiagCode::kProtoBadValue, f_->name, "the slice sizes do not match the operand");
    return std::nullopt;
  }
  // An operand that is moved in several slices has all of them before the next operand's.
  const size_t slices = sizes.size() / whole;
  ints_.assign(1, 0);
  size_t at = 0;
  for (const size_t rank : ranks) {
    for (size_t i = 0; i < slices; ++i) {
      ints_[0] += 1;
      ints_.push_back(static_cast<int64_t>(rank));
      for (size_t k = 0; k < rank; ++k) ints_.push_back(sizes[at++]);
    }
  }
  return module_.MakeInts(AttrKey::k_slice_sizes, ints_, AttrForm::kNested);
}

std::optional<Attr> AttributeReader::OperandShapes() {
  if (!f_->constrain_layout) return std::nullopt;
  ints_.clear();
  for (const std::string_view proto : f_->operand_shapes) {
    ShapeId shape;
    if (context_.ReadShape(proto, shape)) {
      ints_.push_back(shape.value);
    } else {
      good_ = false;
    }
  }
  return module_.MakeInts(AttrKey::k_operand_layout_constraints, ints_);
}

std::optional<Attr> AttributeReader::Aliasing() {
  using pb::OutputOperandAliasing;
  if (f_->aliasing.empty()) return std::nullopt;
  std::vector<AliasEntry> entries;
  std::string_view previous;
  for (const std::string_view proto : f_->aliasing) {
    if (proto == previous && !entries.empty()) continue;
    previous = proto;
    AliasEntry& entry = entries.emplace_back();
    WireReader reader(proto);
    while (reader.Next()) {
      switch (reader.field()) {
        case OutputOperandAliasing::k_output_shape_index: reader.Append(entry.output_index); break;
        case OutputOperandAliasing::k_operand_index: reader.Get(entry.number); break;
        case OutputOperandAliasing::k_operand_shape_index: reader.Append(entry.input_index); break;
        default: break;
      }
    }
    if (!context_.Check(reader, proto)) good_ = false;
  }
  return module_.MakeInts(AttrKey::k_output_to_operand_aliasing, EncodeAliases(entries));
}

std::optional<Attr> AttributeReader::Sparsity() {
  using pb::TensorSparsityConfig;
  std::string_view sides[2];
  WireReader reader(f_->sparsity);
  while (reader.Next()) {
    if (reader.field() == pb::SparsityConfig::k_lhs) reader.Get(sides[0]);
    if (reader.field() == pb::SparsityConfig::k_rhs) reader.Get(sides[1]);
  }
  if (!IsPresent(sides[0]) && !IsPresent(sides[1])) return std::nullopt;
  TextBuffer text;
  text << '{';
  for (int side = 0; side < 2; ++side) {
    if (!IsPresent(sides[side])) continue;
    int64_t kept = 0, block = 0, dimension = 0, stride = 0, index = 0;
    WireReader fields(sides[side]);
    while (fields.Next()) {
      switch (fields.field()) {
        case TensorSparsityConfig::k_num_non_zero: fields.Get(kept); break;
        case TensorSparsityConfig::k_block_size: fields.Get(block); break;
        case TensorSparsityConfig::k_dimension: fields.Get(dimension); break;
        case TensorSparsityConfig::k_stride: fields.Get(stride); break;
        case TensorSparsityConfig::k_idx: fields.Get(index); break;
        default: break;
      }
    }
    if (side == 1 && IsPresent(sides[0])) text << ' ';
    text << (side == 0 ? "lhs" : "rhs") << "={sparsity=" << kept << 'x' << block
         << " dimension=" << dimension << " stride=" << stride << " idx=" << index << '}';
  }
  text << '}';
  return module_.MakeText(AttrKey::k_sparsity_config, text.view());
}

std::optional<Attr> AttributeReader::Domain() {
  // The proto names the sides after the operand, the text after the domain.
  const auto side = [this](std::string_view proto, std::string& text) {
    StrId id;
    text = "{}";
    if (!IsPresent(proto)) return;
    if (context_.ReadShardingText(proto, 0, id)) {
      text = module_.text(id);
    } else {
      good_ = false;
    }
  };
  std::string entry, exit;
  side(f_->domain_exit, entry);
  side(f_->domain_entry, exit);
  return module_.MakeText(AttrKey::k_domain,
                          "{kind=\"sharding\", entry=" + entry + ", exit=" + exit + "}");
}

std::optional<Attr> AttributeReader::Replication() {
  ints_.clear();
  WireReader reader(f_->parameter_replication);
  while (reader.Next()) {
    if (reader.field() == pb::ParameterReplication::k_replicated_at_leaf_buffers) {
      reader.Append(ints_);
    }
  }
  if (!context_.Check(reader, f_->parameter_replication)) good_ = false;
  if (ints_.empty()) return std::nullopt;
  for (int64_t& flag : ints_) flag = flag != 0 ? 1 : 0;
  return module_.MakeInts(AttrKey::k_parameter_replication, ints_);
}

}  // namespace halo
