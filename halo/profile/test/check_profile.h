// What holds for every profile, whatever bytes it was read from; for fuzz targets and unit tests.
#ifndef HALO_PROFILE_TEST_CHECK_PROFILE_H_
#define HALO_PROFILE_TEST_CHECK_PROFILE_H_

#include "halo/base/check.h"
#include "halo/profile/profile_data.h"

namespace halo {

inline void CheckProfile(const Profile& profile) {
  for (const ProfileEvent& event : profile.events) {
    HALO_CHECK(event.op < profile.ops.size());
    HALO_CHECK(event.device < profile.devices.size());
    HALO_CHECK(event.program == kNoIndex || event.program < profile.programs.size());
    HALO_CHECK(event.run == kNoIndex || event.run < profile.runs.size());
    HALO_CHECK(event.duration >= 0 && event.duration <= kMaxPicoseconds);
    HALO_CHECK(event.start >= -kMaxPicoseconds && event.start <= kMaxPicoseconds);
    HALO_CHECK(!profile.ops[event.op].empty());
  }
  for (const ProfileRun& run : profile.runs) {
    HALO_CHECK(run.program < profile.programs.size());
    HALO_CHECK(run.device < profile.devices.size());
    HALO_CHECK(run.duration >= 0);
  }
}

}  // namespace halo

#endif  // HALO_PROFILE_TEST_CHECK_PROFILE_H_
