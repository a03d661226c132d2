// Buffer sharing between inputs and outputs, as the integer lists that attributes store. Aliasing:
// for each entry the output index (its length, then its steps), the parameter or operand number,
// the index within it (length, steps) and the kind. Donors: number, length, steps.
#ifndef HALO_IR_ATTRIBUTES_ALIASING_H_
#define HALO_IR_ATTRIBUTES_ALIASING_H_

#include <cstdint>
#include <span>
#include <vector>

namespace halo {

enum class AliasKind : uint8_t { kUnspecified, kMay, kMust };

struct AliasEntry {
  std::vector<int64_t> output_index;
  int64_t number = 0;
  std::vector<int64_t> input_index;
  AliasKind kind = AliasKind::kUnspecified;
};

struct DonorEntry {
  int64_t number = 0;
  std::vector<int64_t> index;
};

std::vector<int64_t> EncodeAliases(std::span<const AliasEntry> entries);
std::vector<AliasEntry> DecodeAliases(std::span<const int64_t> encoded);
std::vector<int64_t> EncodeDonors(std::span<const DonorEntry> entries);
std::vector<DonorEntry> DecodeDonors(std::span<const int64_t> encoded);

}  // namespace halo

#endif  // HALO_IR_ATTRIBUTES_ALIASING_H_
