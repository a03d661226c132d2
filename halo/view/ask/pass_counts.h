// What a module consists of, in counts, and what changed between two modules: enough to tell what
// each pass of a compiler did without holding more than one module. Does not match instructions
// with each other.
#ifndef HALO_VIEW_ASK_PASS_COUNTS_H_
#define HALO_VIEW_ASK_PASS_COUNTS_H_

#include <cstdint>
#include <string>

#include "halo/base/json/json_reader.h"
#include "halo/base/json/json_writer.h"
#include "halo/diff/passes/module_counts.h"
#include "halo/view/model/view.h"

namespace halo::view {

struct PassCounts : ModuleCounts {
  int64_t buffer_bytes = 0;   // of the results that are buffers, as if none shared memory
  int64_t largest_bytes = 0;  // of one of them
  std::string largest;        // the name of the first that is so large
  std::string text;           // a hash of the module's text; equal texts have equal hashes
};

// Linear in the module's text.
PassCounts CountModule(ModuleView& view);

// The members of an object.
void CountsJson(const PassCounts& counts, JsonWriter& json);
// Reads what CountsJson wrote; whatever is missing or malformed counts as 0.
PassCounts CountsFromJson(const JsonValue& json);
// How `after` differs from `before`.
void ChangeJson(const PassCounts& before, const PassCounts& after, JsonWriter& json);

}  // namespace halo::view

#endif  // HALO_VIEW_ASK_PASS_COUNTS_H_
