// Where XLA's backends differ in which operand memory a result may reuse, as plain switches. The
// defaults are XLA's own, which CPU uses; each backend's description in halo/memory/backend sets
// the rest and says where it was learnt.
#ifndef HALO_ANALYSIS_SHARING_SHARING_RULES_H_
#define HALO_ANALYSIS_SHARING_SHARING_RULES_H_

namespace halo {

struct SharingRules {
  // A reshape costs nothing, so an update in place is followed through it as through a bitcast.
  bool reshape_is_bitcast = false;
  // An all-reduce or collective-broadcast may write over its operand.
  bool collectives_overwrite = false;
  // A library matmul may add to its bias in place; no other custom call shares.
  bool matmul_adds_to_bias = false;
  // A fusion may overwrite an operand that it reads in the order in which it writes, even one of
  // another shape.
  bool fusions_overwrite_in_order = false;
  // A power never reuses an operand's memory.
  bool power_keeps_operands = false;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_SHARING_SHARING_RULES_H_
