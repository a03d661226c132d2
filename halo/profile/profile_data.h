// What a profiler measured, whichever profiler it was: executions of ops and of whole programs on
// devices. Reading a file into this is the readers' job, and joining it with a module the caller's.
#ifndef HALO_PROFILE_PROFILE_DATA_H_
#define HALO_PROFILE_PROFILE_DATA_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

enum class ProfileKind : uint8_t { kXSpace, kChromeTrace, kNsightTable, kNsightDatabase, kOpTable };
std::string_view ProfileKindText(ProfileKind kind);

// An index that is not known.
inline constexpr uint32_t kNoIndex = UINT32_MAX;

// Times are picoseconds, as in an XSpace. The limit lets any two of them be added.
inline constexpr int64_t kMaxPicoseconds = int64_t{1} << 61;
int64_t PicosecondsFrom(double seconds);
inline double SecondsFrom(int64_t picoseconds) { return static_cast<double>(picoseconds) * 1e-12; }

struct ProfileProgram {
  std::string name;            // "jit_step"
  std::optional<uint64_t> id;  // the number of the module, or a TPU's fingerprint
};

// Of "jit_step(12)", as profilers name the execution of a program.
ProfileProgram ParseProgramLabel(std::string_view label);

// One execution of an op. Indices are into the lists of the Profile.
struct ProfileEvent {
  uint32_t op = 0;
  uint32_t program = kNoIndex;
  uint32_t device = 0;
  uint32_t run = kNoIndex;
  int64_t start = 0;
  int64_t duration = 0;
};

// One execution of a program on a device.
struct ProfileRun {
  uint32_t program = 0;
  uint32_t device = 0;
  int64_t start = 0;
  int64_t duration = 0;
};

struct Profile {
  std::string path;
  ProfileKind kind = ProfileKind::kXSpace;
  std::vector<std::string> ops;
  std::vector<ProfileProgram> programs;
  std::vector<std::string> devices;
  std::vector<ProfileRun> runs;      // of the profilers that record them
  std::vector<ProfileEvent> events;  // those that carry the name of an op
  size_t unnamed = 0;                // events of devices that carry none
  size_t launches = 0;               // events of the host that name an op that a device executed
  Diagnostics diagnostics;
};

// Collects names once each.
class ProfileBuilder {
 public:
  Profile profile;

  uint32_t Op(std::string_view name);
  uint32_t Program(std::string_view name, std::optional<uint64_t> id);
  uint32_t ProgramFromLabel(std::string_view label);
  uint32_t Device(std::string_view name);

  // Finds the run of events that do not name one, by time.
  Profile Take();

 private:
  std::unordered_map<std::string, uint32_t> ops_, devices_;
  std::map<std::pair<std::string, std::optional<uint64_t>>, uint32_t> programs_;
};

}  // namespace halo

#endif  // HALO_PROFILE_PROFILE_DATA_H_
