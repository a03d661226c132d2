// Where XLA's backends differ in which operand memory a result may reuse, as plain switches. The
// defaults are XLA's own, which the CPU uses. Each backend's description in halo/memory/backend
// sets the rest and states where it was learnt.
#ifndef HALO_ANALYSIS_SHARING_SHARING_RULES_H_
#define HALO_ANALYSIS_SHARING_SHARING_RULES_H_

namespace halo {

struct SharingRules {
  // In-place updates inside fusions are followed through bitcasts.
  bool follows_bitcasts = true;
  // A reshape costs nothing, so in-place updates are followed through it as through a bitcast.
  bool reshape_is_bitcast = false;
  // An all-reduce or collective-broadcast may overwrite its operand.
  bool collectives_overwrite = false;
  // A library matmul may accumulate into its bias; no other custom call shares.
  bool matmul_adds_to_bias = false;
  // A fusion may overwrite an operand that it reads in the order in which it writes, even one of a
  // different shape.
  bool fusions_overwrite_in_order = false;
  // A power never reuses an operand's memory.
  bool power_keeps_operands = false;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_SHARING_SHARING_RULES_H_
