// The change of the peak as a member of halo.diff.v1.
#ifndef HALO_API_DIFF_PEAK_JSON_H_
#define HALO_API_DIFF_PEAK_JSON_H_

#include "halo/base/json/json_writer.h"
#include "halo/diff/peak/peak_change.h"

namespace halo {

void PeakJson(const PeakChange& change, JsonWriter& json);

}  // namespace halo

#endif  // HALO_API_DIFF_PEAK_JSON_H_
