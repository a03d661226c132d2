// Writes one instruction: the fields that all have, those that XLA requires for its op even where
// the text omits them, and its attributes.
#include <array>
#include <charconv>

#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/attributes/window.h"
#include "halo/ir/sharding/replica_groups.h"
#include "halo/ir/unknown_attribute.h"
#include "halo/proto/parts/groups_proto.h"
#include "halo/proto/parts/kept_sharding.h"
#include "halo/proto/wire/enum_names.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/proto_diagnostics.h"
#include "halo/proto/write/write_context.h"

namespace halo {
namespace {

using Pb = pb::HloInstructionProto;

constexpr int64_t kApiVersionOriginal = 1;

bool IsDot(Opcode opcode) {
  return opcode == Opcode::kDot || opcode == Opcode::kScaledDot || opcode == Opcode::kRaggedDot;
}

float ParseFloat(std::string_view text) {
  float value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

void ProtoWriter::WriteInstruction(InstId id, WireWriter& out) {
  const Inst& inst = module_.inst(id);
  out.Bytes(Pb::k_name, NameOf(id));
  out.Bytes(Pb::k_opcode, module_.opcode_text(inst));
  WriteShape(Pb::k_shape, inst.shape, out);
  if (inst.opcode == Opcode::kConstant) WriteConstant(inst, out);
  if (inst.opcode == Opcode::kParameter) {
    out.IntIf(Pb::k_parameter_number, static_cast<int64_t>(inst.extra));
  }
  out.Int(Pb::k_id, inst_ids_[id.index()]);
  std::vector<int64_t> ids;
  for (const InstId operand : module_.operands_of(inst)) {
    if (operand.valid()) ids.push_back(inst_ids_[operand.index()]);
  }
  out.PackedInts(Pb::k_operand_ids, ids);
  WriteCalled(inst, out);
  WriteNeeded(inst, out);
  for (const Attr& attr : module_.attrs_of(inst)) {
    if (InfoOf(attr.key).scope == AttrScope::kAny) {
      WriteShared(inst, attr, out);
    } else {
      WriteOwn(inst, attr, out);
    }
  }
}

void ProtoWriter::WriteConstant(const Inst& inst, WireWriter& out) {
  const LiteralId literal(inst.extra);
  if (module_.literals.is_elided(literal)) {
    // XLA loads a constant without a value as one with an unknown value.
    diagnostics_.Add(
        MakeBinaryDiagnostic(diag::kElidedConstant, 0,
                             "the value of '" + std::string(module_.name_of(inst).substr(0, 80)) +
                                 "' is elided in the dump and omitted from the proto"));
    return;
  }
  const size_t mark = out.Begin(Pb::k_literal);
  WriteLiteral(literal, inst.shape, out);
  out.End(mark);
}

// The order in which ops list their callees.
void ProtoWriter::WriteCalled(const Inst& inst, WireWriter& out) {
  constexpr std::array kOrder = {AttrKey::k_to_apply,
                                 AttrKey::k_body,
                                 AttrKey::k_condition,
                                 AttrKey::k_select,
                                 AttrKey::k_scatter,
                                 AttrKey::k_true_computation,
                                 AttrKey::k_false_computation,
                                 AttrKey::k_branch_computations,
                                 AttrKey::k_calls,
                                 AttrKey::k_called_computations};
  std::vector<int64_t> ids;
  for (const AttrKey key : kOrder) {
    const Attr* attr = module_.Find(inst, key);
    if (attr == nullptr) continue;
    if (InfoOf(key).kind == AttrKind::kComp) {
      ids.push_back(comp_ids_[attr->value]);
    } else {
      for (const int64_t comp : module_.list(attr->value)) {
        ids.push_back(comp_ids_[static_cast<size_t>(comp)]);
      }
    }
  }
  out.PackedInts(Pb::k_called_computation_ids, ids);
}

// Fields that XLA's loader requires even if the text omits them.
void ProtoWriter::WriteNeeded(const Inst& inst, WireWriter& out) {
  switch (inst.opcode) {
    case Opcode::kConvolution:
      WriteWindow(inst, out);
      out.Int(Pb::k_feature_group_count, Int(inst, AttrKey::k_feature_group_count, 1));
      out.Int(Pb::k_batch_group_count, Int(inst, AttrKey::k_batch_group_count, 1));
      break;
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter: WriteWindow(inst, out); break;
    case Opcode::kCustomCall:
      if (Has(inst, AttrKey::k_window)) WriteWindow(inst, out);
      out.Int(Pb::k_feature_group_count, Int(inst, AttrKey::k_feature_group_count, 1));
      out.Int(Pb::k_batch_group_count, Int(inst, AttrKey::k_batch_group_count, 1));
      if (!Has(inst, AttrKey::k_api_version)) {
        out.Int(Pb::k_custom_call_api_version, kApiVersionOriginal);
      }
      break;
    case Opcode::kGather: WriteGather(inst, out); break;
    case Opcode::kScatter: WriteScatter(inst, out); break;
    case Opcode::kTriangularSolve:
    case Opcode::kCholesky: WriteSolve(inst, out); break;
    case Opcode::kCompare:
      if (!Has(inst, AttrKey::k_type)) WriteComparisonType(inst, out);
      break;
    case Opcode::kPad:
      if (!Has(inst, AttrKey::k_padding)) out.End(out.Begin(Pb::k_padding_config));
      break;
    case Opcode::kOutfeed:
      if (!Has(inst, AttrKey::k_outfeed_shape) && inst.operand_count > 0 &&
          module_.operands_of(inst)[0].valid()) {
        WriteShape(Pb::k_outfeed_shape, module_.inst(module_.operands_of(inst)[0]).shape, out);
      }
      break;
    default:
      if (IsDot(inst.opcode)) WriteDot(inst, out);
      break;
  }
  WritePrecision(inst, out);
}

void ProtoWriter::WriteComparisonType(const Inst& inst, WireWriter& out) {
  const auto operands = module_.operands_of(inst);
  if (operands.empty() || !operands[0].valid()) return;
  out.Bytes(Pb::k_comparison_type,
            ImpliedComparisonType(module_.shapes.type(module_.inst(operands[0]).shape)));
}

void ProtoWriter::WriteDot(const Inst& inst, WireWriter& out) {
  using pb::DotDimensionNumbers;
  const auto dims = [&](uint32_t field) {
    const size_t mark = out.Begin(field);
    out.PackedInts(DotDimensionNumbers::k_lhs_contracting_dimensions,
                   Ints(inst, AttrKey::k_lhs_contracting_dims));
    out.PackedInts(DotDimensionNumbers::k_rhs_contracting_dimensions,
                   Ints(inst, AttrKey::k_rhs_contracting_dims));
    out.PackedInts(DotDimensionNumbers::k_lhs_batch_dimensions,
                   Ints(inst, AttrKey::k_lhs_batch_dims));
    out.PackedInts(DotDimensionNumbers::k_rhs_batch_dimensions,
                   Ints(inst, AttrKey::k_rhs_batch_dims));
    out.End(mark);
  };
  if (inst.opcode != Opcode::kRaggedDot) return dims(Pb::k_dot_dimension_numbers);
  using pb::RaggedDotDimensionNumbers;
  const size_t mark = out.Begin(Pb::k_ragged_dot_dimension_numbers);
  dims(RaggedDotDimensionNumbers::k_dot_dimension_numbers);
  out.PackedInts(RaggedDotDimensionNumbers::k_lhs_ragged_dimensions,
                 Ints(inst, AttrKey::k_lhs_ragged_dims));
  out.PackedInts(RaggedDotDimensionNumbers::k_rhs_group_dimensions,
                 Ints(inst, AttrKey::k_rhs_group_dims));
  out.End(mark);
}

void ProtoWriter::WriteGather(const Inst& inst, WireWriter& out) {
  using pb::GatherDimensionNumbers;
  const size_t mark = out.Begin(Pb::k_gather_dimension_numbers);
  out.PackedInts(GatherDimensionNumbers::k_offset_dims, Ints(inst, AttrKey::k_offset_dims));
  out.PackedInts(GatherDimensionNumbers::k_collapsed_slice_dims,
                 Ints(inst, AttrKey::k_collapsed_slice_dims));
  out.PackedInts(GatherDimensionNumbers::k_start_index_map, Ints(inst, AttrKey::k_start_index_map));
  out.IntIf(GatherDimensionNumbers::k_index_vector_dim, Int(inst, AttrKey::k_index_vector_dim, 0));
  out.PackedInts(GatherDimensionNumbers::k_operand_batching_dims,
                 Ints(inst, AttrKey::k_operand_batching_dims));
  out.PackedInts(GatherDimensionNumbers::k_start_indices_batching_dims,
                 Ints(inst, AttrKey::k_start_indices_batching_dims));
  out.End(mark);
}

void ProtoWriter::WriteScatter(const Inst& inst, WireWriter& out) {
  using pb::ScatterDimensionNumbers;
  const size_t mark = out.Begin(Pb::k_scatter_dimension_numbers);
  out.PackedInts(ScatterDimensionNumbers::k_update_window_dims,
                 Ints(inst, AttrKey::k_update_window_dims));
  out.PackedInts(ScatterDimensionNumbers::k_inserted_window_dims,
                 Ints(inst, AttrKey::k_inserted_window_dims));
  out.PackedInts(ScatterDimensionNumbers::k_scatter_dims_to_operand_dims,
                 Ints(inst, AttrKey::k_scatter_dims_to_operand_dims));
  out.IntIf(ScatterDimensionNumbers::k_index_vector_dim, Int(inst, AttrKey::k_index_vector_dim, 0));
  out.PackedInts(ScatterDimensionNumbers::k_input_batching_dims,
                 Ints(inst, AttrKey::k_input_batching_dims));
  out.PackedInts(ScatterDimensionNumbers::k_scatter_indices_batching_dims,
                 Ints(inst, AttrKey::k_scatter_indices_batching_dims));
  out.End(mark);
}

void ProtoWriter::WriteSolve(const Inst& inst, WireWriter& out) {
  const auto flag = [&](AttrKey key) { return module_.BoolOr(inst.attrs, key, false); };
  if (inst.opcode == Opcode::kCholesky) {
    const size_t mark = out.Begin(Pb::k_cholesky_options);
    out.BoolIf(pb::CholeskyOptions::k_lower, flag(AttrKey::k_lower));
    out.End(mark);
    return;
  }
  using pb::TriangularSolveOptions;
  const size_t mark = out.Begin(Pb::k_triangular_solve_options);
  out.BoolIf(TriangularSolveOptions::k_left_side, flag(AttrKey::k_left_side));
  out.BoolIf(TriangularSolveOptions::k_lower, flag(AttrKey::k_lower));
  out.BoolIf(TriangularSolveOptions::k_unit_diagonal, flag(AttrKey::k_unit_diagonal));
  const auto transpose =
      EnumNumber(TransposeNames(), module_.TextOr(inst.attrs, AttrKey::k_transpose_a));
  out.IntIf(TriangularSolveOptions::k_transpose_a, transpose.value_or(0));
  out.End(mark);
}

void ProtoWriter::WritePrecision(const Inst& inst, WireWriter& out) {
  const bool has_algorithm =
      Has(inst, AttrKey::k_algorithm) && inst.opcode != Opcode::kRngBitGenerator;
  const bool always = IsDot(inst.opcode) || inst.opcode == Opcode::kConvolution;
  if (!always && !has_algorithm && !Has(inst, AttrKey::k_operand_precision)) return;
  const size_t mark = out.Begin(Pb::k_precision_config);
  std::vector<int64_t> precisions;
  if (!Has(inst, AttrKey::k_operand_precision)) {
    precisions.resize(IsDot(inst.opcode) ? 2 : inst.operand_count);
  }
  for (const int64_t word : Ints(inst, AttrKey::k_operand_precision)) {
    const auto text = module_.text(StrId(static_cast<uint32_t>(word)));
    precisions.push_back(EnumNumber(PrecisionNames(), text).value_or(0));
  }
  out.PackedInts(pb::PrecisionConfig::k_operand_precision, precisions);
  if (has_algorithm) {
    const auto algorithm =
        EnumNumber(DotAlgorithmNames(), module_.TextOr(inst.attrs, AttrKey::k_algorithm));
    out.IntIf(pb::PrecisionConfig::k_algorithm, algorithm.value_or(0));
  }
  out.End(mark);
}

void ProtoWriter::WriteWindow(const Inst& inst, WireWriter& out) {
  using pb::WindowDimension;
  const Window window = DecodeWindow(Ints(inst, AttrKey::k_window));
  const size_t mark = out.Begin(Pb::k_window);
  for (const WindowDim& dim : window.dims) {
    const size_t inner = out.Begin(pb::Window::k_dimensions);
    out.IntIf(WindowDimension::k_size, dim.size);
    out.IntIf(WindowDimension::k_stride, dim.stride);
    out.IntIf(WindowDimension::k_padding_low, dim.pad_low);
    out.IntIf(WindowDimension::k_padding_high, dim.pad_high);
    out.IntIf(WindowDimension::k_window_dilation, dim.rhs_dilate);
    out.IntIf(WindowDimension::k_base_dilation, dim.lhs_dilate);
    out.BoolIf(WindowDimension::k_window_reversal, dim.reversal);
    out.End(inner);
  }
  out.End(mark);
}

void ProtoWriter::WriteAliasing(std::span<const int64_t> encoded, WireWriter& out) {
  using pb::OutputOperandAliasing;
  for (const AliasEntry& entry : DecodeAliases(encoded)) {
    const size_t mark = out.Begin(Pb::k_output_operand_aliasing);
    out.PackedInts(OutputOperandAliasing::k_output_shape_index, entry.output_index);
    out.IntIf(OutputOperandAliasing::k_operand_index, entry.number);
    out.PackedInts(OutputOperandAliasing::k_operand_shape_index, entry.input_index);
    out.End(mark);
  }
}

// {{1,2},{3,4}}: all sizes in one list.
void ProtoWriter::WriteNestedSizes(const Attr& attr, WireWriter& out) {
  const auto list = module_.list(attr.value);
  if (attr.form != AttrForm::kNested) return out.PackedInts(Pb::k_dynamic_slice_sizes, list);
  std::vector<int64_t> sizes;
  for (size_t at = 1; at < list.size();) {
    const auto length = static_cast<size_t>(list[at++]);
    for (size_t i = 0; i < length && at < list.size(); ++i) sizes.push_back(list[at++]);
  }
  out.PackedInts(Pb::k_dynamic_slice_sizes, sizes);
}

void ProtoWriter::WriteOwn(const Inst& inst, const Attr& attr, WireWriter& out) {
  const auto word = [&](uint32_t field, EnumNames names) {
    if (const auto number = EnumNumber(names, Text(attr))) {
      out.Int(field, *number);
    } else {
      Omit(std::string(TextOf(attr.key)) + "=" + std::string(Text(attr)));
    }
  };
  const auto number = [&](uint32_t field) { out.Int(field, module_.IntValue(attr)); };
  const auto flag = [&](uint32_t field) { out.BoolIf(field, attr.value != 0); };
  const auto list = [&](uint32_t field) { out.PackedInts(field, module_.list(attr.value)); };
  const auto one_dim = [&] {
    out.PackedInts(Pb::k_dimensions, std::array{module_.IntValue(attr)});
  };
  switch (attr.key) {
    // Written by WriteCalled and WriteNeeded.
    case AttrKey::k_to_apply:
    case AttrKey::k_calls:
    case AttrKey::k_condition:
    case AttrKey::k_body:
    case AttrKey::k_select:
    case AttrKey::k_scatter:
    case AttrKey::k_true_computation:
    case AttrKey::k_false_computation:
    case AttrKey::k_branch_computations:
    case AttrKey::k_called_computations:
    case AttrKey::k_window:
    case AttrKey::k_feature_group_count:
    case AttrKey::k_batch_group_count:
    case AttrKey::k_operand_precision:
    case AttrKey::k_lhs_contracting_dims:
    case AttrKey::k_rhs_contracting_dims:
    case AttrKey::k_lhs_batch_dims:
    case AttrKey::k_rhs_batch_dims:
    case AttrKey::k_lhs_ragged_dims:
    case AttrKey::k_rhs_group_dims:
    case AttrKey::k_offset_dims:
    case AttrKey::k_collapsed_slice_dims:
    case AttrKey::k_start_index_map:
    case AttrKey::k_index_vector_dim:
    case AttrKey::k_operand_batching_dims:
    case AttrKey::k_start_indices_batching_dims:
    case AttrKey::k_update_window_dims:
    case AttrKey::k_inserted_window_dims:
    case AttrKey::k_scatter_dims_to_operand_dims:
    case AttrKey::k_input_batching_dims:
    case AttrKey::k_scatter_indices_batching_dims:
    case AttrKey::k_left_side:
    case AttrKey::k_lower:
    case AttrKey::k_unit_diagonal:
    case AttrKey::k_transpose_a: break;

    case AttrKey::k_dimensions: list(Pb::k_dimensions); break;
    case AttrKey::k_iota_dimension:
    case AttrKey::k_inferred_dimension: one_dim(); break;
    case AttrKey::k_dynamic_slice_sizes: list(Pb::k_dynamic_slice_sizes); break;
    case AttrKey::k_fft_length: list(Pb::k_fft_length); break;
    case AttrKey::k_slice_sizes:
      if (inst.opcode == Opcode::kGather) {
        list(Pb::k_gather_slice_sizes);
      } else {
        WriteNestedSizes(attr, out);
      }
      break;
    case AttrKey::k_index: number(Pb::k_tuple_index); break;
    case AttrKey::k_feature_index: number(Pb::k_feature_index); break;
    case AttrKey::k_exponent_bits: number(Pb::k_exponent_bits); break;
    case AttrKey::k_mantissa_bits: number(Pb::k_mantissa_bits); break;
    case AttrKey::k_delta: number(Pb::k_delta); break;
    case AttrKey::k_k: number(Pb::k_k); break;
    case AttrKey::k_num_carries: number(Pb::k_num_carries); break;
    case AttrKey::k_channel_id: number(Pb::k_channel_id); break;
    case AttrKey::k_cross_program_prefetch_index: number(Pb::k_cross_program_prefetch_index); break;
    case AttrKey::k_epsilon: out.Float(Pb::k_epsilon, ParseFloat(Text(attr))); break;

    case AttrKey::k_indices_are_sorted: flag(Pb::k_indices_are_sorted); break;
    case AttrKey::k_unique_indices: flag(Pb::k_unique_indices); break;
    case AttrKey::k_is_stable: flag(Pb::k_is_stable); break;
    case AttrKey::k_largest: flag(Pb::k_largest); break;
    case AttrKey::k_constrain_layout: flag(Pb::k_constrain_layout); break;
    case AttrKey::k_use_global_device_ids: flag(Pb::k_use_global_device_ids); break;
    case AttrKey::k_has_dynamic_root: flag(Pb::k_has_dynamic_root); break;
    case AttrKey::k_is_host_transfer: flag(Pb::k_is_host_transfer); break;
    case AttrKey::k_custom_call_has_side_effect: flag(Pb::k_custom_call_has_side_effect); break;
    case AttrKey::k_is_composite: flag(Pb::k_is_composite); break;
    case AttrKey::k_is_reverse: flag(Pb::k_is_reverse); break;

    case AttrKey::k_direction: out.Bytes(Pb::k_comparison_direction, Text(attr)); break;
    case AttrKey::k_type: out.Bytes(Pb::k_comparison_type, Text(attr)); break;
    case AttrKey::k_order: out.Bytes(Pb::k_comparison_order, Text(attr)); break;
    case AttrKey::k_kind: out.Bytes(Pb::k_fusion_kind, Text(attr)); break;
    case AttrKey::k_fft_type: word(Pb::k_fft_type, FftTypeNames()); break;
    case AttrKey::k_distribution: word(Pb::k_distribution, DistributionNames()); break;
    case AttrKey::k_convolution_kind: word(Pb::k_conv_kind, ConvolutionKindNames()); break;
    case AttrKey::k_is_associative: word(Pb::k_is_associative, TriStateNames()); break;
    case AttrKey::k_padding_type: word(Pb::k_padding_type, PaddingTypeNames()); break;
    case AttrKey::k_schedule: word(Pb::k_custom_call_schedule, ScheduleNames()); break;
    case AttrKey::k_api_version: word(Pb::k_custom_call_api_version, ApiVersionNames()); break;
    case AttrKey::k_algorithm:
      if (inst.opcode == Opcode::kRngBitGenerator) word(Pb::k_rng_algorithm, RngAlgorithmNames());
      break;

    case AttrKey::k_custom_call_target: out.Bytes(Pb::k_custom_call_target, Text(attr)); break;
    case AttrKey::k_async_execution_thread:
      out.Bytes(Pb::k_async_execution_thread, Text(attr));
      break;
    case AttrKey::k_infeed_config: out.Bytes(Pb::k_infeed_config, Text(attr)); break;
    case AttrKey::k_outfeed_config: out.Bytes(Pb::k_outfeed_config, Text(attr)); break;
    case AttrKey::k_outfeed_shape: WriteShape(Pb::k_outfeed_shape, ShapeId(attr.value), out); break;
    case AttrKey::k_operand_layout_constraints:
      out.BoolIf(Pb::k_constrain_layout, true);
      for (const int64_t shape : module_.list(attr.value)) {
        WriteShape(Pb::k_operand_shapes_with_layout, ShapeId(static_cast<uint32_t>(shape)), out);
      }
      break;
    case AttrKey::k_literal: {
      const LiteralId literal(attr.value);
      if (module_.literals.is_elided(literal)) {
        Omit("a literal that the dump elides");
        break;
      }
      const size_t mark = out.Begin(Pb::k_literal);
      WriteLiteral(literal, module_.literals.shape(literal), out);
      out.End(mark);
      break;
    }
    case AttrKey::k_output_to_operand_aliasing: WriteAliasing(module_.list(attr.value), out); break;
    case AttrKey::k_slice: {
      const auto slices = module_.list(attr.value);
      for (size_t i = 0; i + 2 < slices.size(); i += 3) {
        const size_t mark = out.Begin(Pb::k_slice_dimensions);
        out.IntIf(pb::SliceDimensions::k_start, slices[i]);
        out.IntIf(pb::SliceDimensions::k_limit, slices[i + 1]);
        out.Int(pb::SliceDimensions::k_stride, slices[i + 2] == 0 ? 1 : slices[i + 2]);
        out.End(mark);
      }
      break;
    }
    case AttrKey::k_padding: {
      const auto padding = module_.list(attr.value);
      const size_t mark = out.Begin(Pb::k_padding_config);
      for (size_t i = 0; i + 2 < padding.size(); i += 3) {
        const size_t inner = out.Begin(pb::PaddingConfig::k_dimensions);
        out.IntIf(pb::PaddingConfigDimension::k_edge_padding_low, padding[i]);
        out.IntIf(pb::PaddingConfigDimension::k_edge_padding_high, padding[i + 1]);
        out.IntIf(pb::PaddingConfigDimension::k_interior_padding, padding[i + 2]);
        out.End(inner);
      }
      out.End(mark);
      break;
    }
    case AttrKey::k_source_target_pairs: {
      const auto pairs = module_.list(attr.value);
      if (attr.form != AttrForm::kNested) break;
      for (size_t at = 1; at < pairs.size(); at += 1 + static_cast<size_t>(pairs[at])) {
        if (pairs[at] != 2 || at + 2 >= pairs.size()) break;
        const size_t mark = out.Begin(Pb::k_source_target_pairs);
        out.IntIf(pb::SourceTarget::k_source, pairs[at + 1]);
        out.IntIf(pb::SourceTarget::k_target, pairs[at + 2]);
        out.End(mark);
      }
      break;
    }
    case AttrKey::k_replica_groups:
      if (auto groups = ParseReplicaGroups(Text(attr))) {
        SimplifyOrder(groups->order);
        SimplifyOrder(groups->mesh.order);
        WriteGroupFields(*groups, out);
      }
      break;
    case AttrKey::k_parameter_replication: {
      const size_t mark = out.Begin(Pb::k_parameter_replication);
      out.PackedInts(pb::ParameterReplication::k_replicated_at_leaf_buffers,
                     module_.list(attr.value));
      out.End(mark);
      break;
    }
    case AttrKey::k_dim_labels: WriteDimLabels(Text(attr), out); break;
    case AttrKey::k_sparsity_config: WriteSparsity(Text(attr), out); break;
    case AttrKey::k_domain: WriteDomain(Text(attr), out); break;
    case AttrKey::k_unknown: {
      const UnknownAttribute unknown = UnknownAttributeOf(module_, attr);
      const auto sharding = unknown.name == TextOf(AttrKey::k_sharding)
                                ? KeptShardingBytes(unknown.text)
                                : std::nullopt;
      if (sharding) {
        out.Bytes(Pb::k_sharding, *sharding);
        break;
      }
      Omit("attribute '" + std::string(unknown.name.substr(0, 80)) + "'");
      break;
    }
    default: Omit("attribute '" + std::string(TextOf(attr.key)) + "'"); break;
  }
}

}  // namespace halo
