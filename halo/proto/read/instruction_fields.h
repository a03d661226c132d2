// One HloInstructionProto split into its fields, without interpreting them. Messages stay encoded;
// an absent message has a null data().
#ifndef HALO_PROTO_READ_INSTRUCTION_FIELDS_H_
#define HALO_PROTO_READ_INSTRUCTION_FIELDS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "halo/proto/read/read_context.h"

namespace halo {

struct InstructionFields {
  std::string_view name, opcode, shape, metadata, literal, fusion_kind, window, convolution,
      padding, outfeed_config, infeed_config, custom_call_target, outfeed_shape, dot, ragged_dot,
      comparison_direction, comparison_type, comparison_order, gather, scatter, sharding,
      backend_config, backend_payload, precision, domain_entry, domain_exit, triangular_solve,
      cholesky, parameter_replication, frontend_attributes, async_execution_thread, statistics,
      listed_groups, iota_groups, mesh_groups, original_value, result_accuracy, sparsity;
  int64_t id = 0, parameter_number = 0, tuple_index = 0, feature_group_count = 0,
          batch_group_count = 0, exponent_bits = 0, mantissa_bits = 0, distribution = 0,
          feature_index = 0, channel_id = 0, all_reduce_id = 0, fft_type = 0, delta = 0,
          rng_algorithm = 0, padding_type = 0, custom_call_schedule = 0,
          custom_call_api_version = 0, prefetch_index = 0, k = 0, num_carries = 0,
          is_associative = 0, convolution_kind = 0;
  float epsilon = 0;
  bool is_host_transfer = false, constrain_layout = false, is_stable = false,
       has_side_effect = false, indices_are_sorted = false, unique_indices = false,
       use_global_device_ids = false, has_prefetch_index = false, largest = false,
       is_composite = false, is_reverse = false, has_dynamic_root = false;
  std::vector<int64_t> dimensions, dynamic_slice_sizes, fft_length, gather_slice_sizes, operand_ids,
      control_ids, called_ids;
  std::vector<std::string_view> slices, old_groups, source_targets, operand_shapes, aliasing;

  // Clears everything but keeps the vectors' memory.
  void Clear();
  bool Read(std::string_view proto, ProtoContext& context);
};

inline bool IsPresent(std::string_view message) { return message.data() != nullptr; }

}  // namespace halo

#endif  // HALO_PROTO_READ_INSTRUCTION_FIELDS_H_
