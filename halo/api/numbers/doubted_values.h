// Values that agree within rounding and yet must be doubted: an op that is the same in both
// programs reads nothing else and differs. A large element, such as that of a mask, makes rounding
// so coarse that it hides how far the other elements of its array are apart.
#ifndef HALO_API_NUMBERS_DOUBTED_VALUES_H_
#define HALO_API_NUMBERS_DOUBTED_VALUES_H_

#include <cstdint>
#include <vector>

#include "halo/diff/match/matched_programs.h"

namespace halo {

// Of a value of the second program with its partner in the first.
enum class ValueAgreement : uint8_t {
  kUnknown,
  kEqual,  // to the bit
  kClose,  // within rounding
  kDiffers,
};

struct AgreedValue {
  uint32_t partner = kUnmatched;  // class of the first program
  ValueAgreement agreement = ValueAgreement::kUnknown;
};

// By class of the second program. Doubt goes on from a value to the operands that could be why it
// is not equal, up to an op that is not the same in both programs.
std::vector<bool> FindDoubted(const MatchedPrograms& programs,
                              const std::vector<AgreedValue>& values);

// Whether a value is computed by the same op from partners of the same operands.
bool IsSameOp(const MatchedPrograms& programs, const std::vector<AgreedValue>& values, uint32_t b);

}  // namespace halo

#endif  // HALO_API_NUMBERS_DOUBTED_VALUES_H_
