// Donation: which parameters' memory the program's results may take over, and which other
// parameters could be donated because a result has the same shape.
#ifndef HALO_MEMORY_ADVISE_DONATION_H_
#define HALO_MEMORY_ADVISE_DONATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/module.h"

namespace halo {

// The module's own input_output_alias.
std::vector<AliasEntry> AliasesOf(const Module& module);

struct DonationChoice {
  AliasEntry alias;
  int64_t bytes = 0;
  std::string name;  // the parameter's op_name, or else its HLO name
  bool has_op_name = false;
};

// Parameters not donated yet, each with a result of the same shape that no other parameter takes;
// largest first.
std::vector<DonationChoice> PossibleDonations(const Module& module,
                                              const std::vector<AliasEntry>& aliases);

}  // namespace halo

#endif  // HALO_MEMORY_ADVISE_DONATION_H_
