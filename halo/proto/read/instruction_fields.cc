// Iterates over the fields of an instruction.
#include "halo/proto/read/instruction_fields.h"

#include <utility>

#include "halo/proto/wire/fields.h"

namespace halo {

void InstructionFields::Clear() {
  InstructionFields empty;
  const auto keep = [](auto& target, auto& source) {
    source.clear();
    std::swap(target, source);
  };
  keep(empty.dimensions, dimensions);
  keep(empty.dynamic_slice_sizes, dynamic_slice_sizes);
  keep(empty.fft_length, fft_length);
  keep(empty.gather_slice_sizes, gather_slice_sizes);
  keep(empty.operand_ids, operand_ids);
  keep(empty.control_ids, control_ids);
  keep(empty.called_ids, called_ids);
  keep(empty.slices, slices);
  keep(empty.old_groups, old_groups);
  keep(empty.source_targets, source_targets);
  keep(empty.operand_shapes, operand_shapes);
  keep(empty.aliasing, aliasing);
  *this = std::move(empty);
}

bool InstructionFields::Read(std::string_view proto, ProtoContext& context) {
  using Pb = pb::HloInstructionProto;
  Clear();
  WireReader r(proto);
  while (r.Next()) {
    switch (r.field()) {
      case Pb::k_name: r.Get(name); break;
      case Pb::k_opcode: r.Get(opcode); break;
      case Pb::k_shape: r.Get(shape); break;
      case Pb::k_metadata: r.Get(metadata); break;
      case Pb::k_literal: r.Get(literal); break;
      case Pb::k_parameter_number: r.Get(parameter_number); break;
      case Pb::k_fusion_kind: r.Get(fusion_kind); break;
      case Pb::k_tuple_index: r.Get(tuple_index); break;
      case Pb::k_dimensions: r.Append(dimensions); break;
      case Pb::k_window: r.Get(window); break;
      case Pb::k_convolution_dimension_numbers: r.Get(convolution); break;
      case Pb::k_slice_dimensions: r.Append(slices); break;
      case Pb::k_exponent_bits: r.Get(exponent_bits); break;
      case Pb::k_mantissa_bits: r.Get(mantissa_bits); break;
      case Pb::k_dynamic_slice_sizes: r.Append(dynamic_slice_sizes); break;
      case Pb::k_padding_config: r.Get(padding); break;
      case Pb::k_outfeed_config: r.Get(outfeed_config); break;
      case Pb::k_distribution: r.Get(distribution); break;
      case Pb::k_epsilon: r.GetFloat(epsilon); break;
      case Pb::k_feature_index: r.Get(feature_index); break;
      case Pb::k_channel_id: r.Get(channel_id); break;
      case Pb::k_infeed_config: r.Get(infeed_config); break;
      case Pb::k_custom_call_target: r.Get(custom_call_target); break;
      case Pb::k_outfeed_shape: r.Get(outfeed_shape); break;
      case Pb::k_dot_dimension_numbers: r.Get(dot); break;
      case Pb::k_fft_type: r.Get(fft_type); break;
      case Pb::k_fft_length: r.Append(fft_length); break;
      case Pb::k_gather_dimension_numbers: r.Get(gather); break;
      case Pb::k_gather_slice_sizes: r.Append(gather_slice_sizes); break;
      case Pb::k_id: r.Get(id); break;
      case Pb::k_operand_ids: r.Append(operand_ids); break;
      case Pb::k_control_predecessor_ids: r.Append(control_ids); break;
      case Pb::k_called_computation_ids: r.Append(called_ids); break;
      case Pb::k_sharding: r.Get(sharding); break;
      case Pb::k_backend_config: r.Get(backend_config); break;
      case Pb::k_all_reduce_id: r.Get(all_reduce_id); break;
      case Pb::k_is_host_transfer: r.Get(is_host_transfer); break;
      case Pb::k_scatter_dimension_numbers: r.Get(scatter); break;
      case Pb::k_replica_groups: r.Append(old_groups); break;
      case Pb::k_feature_group_count: r.Get(feature_group_count); break;
      case Pb::k_precision_config: r.Get(precision); break;
      case Pb::k_source_target_pairs: r.Append(source_targets); break;
      case Pb::k_domain_entry_sharding: r.Get(domain_entry); break;
      case Pb::k_domain_exit_sharding: r.Get(domain_exit); break;
      case Pb::k_constrain_layout: r.Get(constrain_layout); break;
      case Pb::k_operand_shapes_with_layout: r.Append(operand_shapes); break;
      case Pb::k_batch_group_count: r.Get(batch_group_count); break;
      case Pb::k_triangular_solve_options: r.Get(triangular_solve); break;
      case Pb::k_is_stable: r.Get(is_stable); break;
      case Pb::k_parameter_replication: r.Get(parameter_replication); break;
      case Pb::k_cholesky_options: r.Get(cholesky); break;
      case Pb::k_comparison_direction: r.Get(comparison_direction); break;
      case Pb::k_custom_call_has_side_effect: r.Get(has_side_effect); break;
      case Pb::k_delta: r.Get(delta); break;
      case Pb::k_indices_are_sorted: r.Get(indices_are_sorted); break;
      case Pb::k_frontend_attributes: r.Get(frontend_attributes); break;
      case Pb::k_unique_indices: r.Get(unique_indices); break;
      case Pb::k_rng_algorithm: r.Get(rng_algorithm); break;
      case Pb::k_use_global_device_ids: r.Get(use_global_device_ids); break;
      case Pb::k_comparison_type: r.Get(comparison_type); break;
      case Pb::k_is_cross_program_prefetch: {
        // The flag that prefetch_index replaced; it meant index 0.
        bool old_flag = false;
        if (r.Get(old_flag) && old_flag) has_prefetch_index = true;
        break;
      }
      case Pb::k_output_operand_aliasing: r.Append(aliasing); break;
      case Pb::k_padding_type: r.Get(padding_type); break;
      case Pb::k_custom_call_schedule: r.Get(custom_call_schedule); break;
      case Pb::k_custom_call_api_version: r.Get(custom_call_api_version); break;
      case Pb::k_async_execution_thread: r.Get(async_execution_thread); break;
      case Pb::k_cross_program_prefetch_index:
        if (r.Get(prefetch_index)) has_prefetch_index = true;
        break;
      case Pb::k_k: r.Get(k); break;
      case Pb::k_statistics_viz: r.Get(statistics); break;
      case Pb::k_largest: r.Get(largest); break;
      case Pb::k_collective_device_list: r.Get(listed_groups); break;
      case Pb::k_original_value: r.Get(original_value); break;
      case Pb::k_is_composite: r.Get(is_composite); break;
      case Pb::k_ragged_dot_dimension_numbers: r.Get(ragged_dot); break;
      case Pb::k_result_accuracy: r.Get(result_accuracy); break;
      case Pb::k_iota_collective_device_list: r.Get(iota_groups); break;
      case Pb::k_mesh_axes_replica_group_list: r.Get(mesh_groups); break;
      case Pb::k_is_reverse: r.Get(is_reverse); break;
      case Pb::k_num_carries: r.Get(num_carries); break;
      case Pb::k_is_associative: r.Get(is_associative); break;
      case Pb::k_conv_kind: r.Get(convolution_kind); break;
      case Pb::k_sparsity_config: r.Get(sparsity); break;
      case Pb::k_backend_config_payload: r.Get(backend_payload); break;
      case Pb::k_comparison_order: r.Get(comparison_order); break;
      case Pb::k_has_dynamic_root: r.Get(has_dynamic_root); break;
      default: context.Unknown("HloInstructionProto", r); break;
    }
  }
  return context.Check(r, proto);
}

}  // namespace halo
