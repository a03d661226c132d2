// A change to a program, as advice gives it and as a user repeats it on the command line: which
// instructions and values it is about, by name. advise.h plans the changed program.
#ifndef HALO_MEMORY_ADVISE_PROGRAM_CHANGE_H_
#define HALO_MEMORY_ADVISE_PROGRAM_CHANGE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

// Instead of names: every value at the peak that the change suits.
inline constexpr std::string_view kAllValues = "all";

struct ProgramChange {
  std::vector<int64_t> donate;         // parameters
  std::vector<std::string> recompute;  // values computed again for their uses after the peak
  std::vector<std::string> earlier;    // instructions that run as soon as their operands exist
  std::vector<std::string> later;      // instructions that run right before their first use
  std::vector<std::string> bf16;       // f32 values kept in half the bytes, or kAllValues
  std::vector<std::string> unpad;      // values without the padding of their tiles, or kAllValues

  // Nothing but donations, which need no knowledge of the peak.
  [[nodiscard]] bool only_donates() const {
    return recompute.empty() && earlier.empty() && later.empty() && bf16.empty() && unpad.empty();
  }
};

// The options of `halo memory` that try this change: "--donate 0,1". Names with braces are quoted
// for a shell.
std::string OptionsOf(const ProgramChange& change);

}  // namespace halo

#endif  // HALO_MEMORY_ADVISE_PROGRAM_CHANGE_H_
