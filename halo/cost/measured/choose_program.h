// Which program of a profile a module is: the one of its name and number, or else the one whose ops
// it has.
#ifndef HALO_COST_MEASURED_CHOOSE_PROGRAM_H_
#define HALO_COST_MEASURED_CHOOSE_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "halo/ir/module.h"
#include "halo/profile/profile_data.h"

namespace halo {

struct ProgramChoice {
  std::optional<uint32_t> program;  // index in the profile's programs
  // Events without a program count as well, because the profile names none.
  bool takes_unattributed = false;
  std::string why;
};

// "jit_step(12)".
std::string ProgramLabel(const ProfileProgram& program);

// `insts` has the instruction of each of the profile's ops, or an invalid id.
ProgramChoice ChooseProgram(const Profile& profile, std::span<const InstId> insts,
                            std::string_view name, std::optional<uint64_t> number);

}  // namespace halo

#endif  // HALO_COST_MEASURED_CHOOSE_PROGRAM_H_
