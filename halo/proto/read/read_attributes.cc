// Reads the ops' own attributes. Defaults are omitted where XLA's printer omits them.
#include "halo/proto/read/read_attributes.h"

#include <algorithm>

#include "halo/ir/types/numeric.h"
#include "halo/proto/wire/enum_names.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/proto_diagnostics.h"

namespace halo {
namespace {

constexpr int64_t kApiVersionOriginal = 1;

int64_t AtLeastOne(int64_t count) { return std::max<int64_t>(count, 1); }

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
    // Computations, in the order in which each op lists its callees.
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
    case AttrKey::k_has_dynamic_root:
      // XLA prints it on every collective-reduce; on a collective-broadcast, not in every version.
      if (opcode == Opcode::kCollectiveReduce) return Bool(key, f_->has_dynamic_root);
      return IfTrue(key, f_->has_dynamic_root);
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
    Fail(diag::kProtoBadReference, f_->name,
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
  std::string_view usual =
      ImpliedComparisonType(shape ? module_.shapes.type(*shape) : ElementType::kF32);
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

}  // namespace halo
