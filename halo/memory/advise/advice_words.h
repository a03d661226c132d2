// Says what a change means in the user's own program: the call of JAX, PyTorch/XLA or TensorFlow
// that makes it. Which change helps is decided elsewhere.
#ifndef HALO_MEMORY_ADVISE_ADVICE_WORDS_H_
#define HALO_MEMORY_ADVISE_ADVICE_WORDS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/memory/advise/donation.h"
#include "halo/memory/advise/frontend.h"
#include "halo/memory/explain/explain.h"

namespace halo {

// Each is one phrase, empty if the frontend has no such call.
std::string HowToDonate(Frontend frontend, std::span<const DonationChoice> choices);
std::string HowToRecompute(Frontend frontend, const LiveEntry& item);
std::string HowToReorder(Frontend frontend);
// `sources` are the lines where the values are made, separated by commas.
std::string HowToNarrow(Frontend frontend, std::string_view sources);

// "3, 5-8": the numbers in order, runs shortened.
std::string NumberRanges(std::vector<int64_t> numbers);

}  // namespace halo

#endif  // HALO_MEMORY_ADVISE_ADVICE_WORDS_H_
