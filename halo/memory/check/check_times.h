// When each instruction of a module runs: at its time in the assignment's flattened sequence or, if
// there is none, at its position in the module's order.
#ifndef HALO_MEMORY_CHECK_CHECK_TIMES_H_
#define HALO_MEMORY_CHECK_CHECK_TIMES_H_

#include <cstdint>
#include <vector>

#include "halo/memory/check/check_storage.h"
#include "halo/memory/model/assignment.h"

namespace halo::check {

struct ModuleTimes {
  std::vector<int64_t> of;      // by instruction; -1 if it has none
  std::vector<int64_t> starts;  // by computation; -1 if none of its instructions has a time
  std::vector<int64_t> ends;    // one past its last
  std::vector<bool> at_once;    // by computation: an async body, all at one time
  int64_t end = 0;
};

ModuleTimes TimesOf(const Assignment& assignment, const Storage& storage);

}  // namespace halo::check

#endif  // HALO_MEMORY_CHECK_CHECK_TIMES_H_
