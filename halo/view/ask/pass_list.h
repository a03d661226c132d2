// The stages of one module of a dump with what changed from each to the next, for
// `halo ask passes`. The viewer's page makes the same list by requesting `counts` of each stage.
#ifndef HALO_VIEW_ASK_PASS_LIST_H_
#define HALO_VIEW_ASK_PASS_LIST_H_

#include "halo/base/json/json_writer.h"
#include "halo/dump/dump.h"

namespace halo::view {

// Writes the members of the result. Reads one stage at a time. A stage that cannot be read has an
// `error` and does not end the list.
void ListPasses(const Dump& dump, const DumpModule& module, JsonWriter& json);

}  // namespace halo::view

#endif  // HALO_VIEW_ASK_PASS_LIST_H_
