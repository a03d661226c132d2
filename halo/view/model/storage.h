// Whether an instruction's result is a buffer: what a fusion contains is not stored, and the arrays
// of a tuple or an alias are counted where they are defined. The results of an op with several are
// counted at the instructions that take them out of its tuple.
#ifndef HALO_VIEW_MODEL_STORAGE_H_
#define HALO_VIEW_MODEL_STORAGE_H_

#include <cstdint>
#include <string_view>

#include "halo/view/model/view.h"

namespace halo::view {

enum class Storage : uint8_t {
  kBuffer,
  kAlias,    // the memory of an operand
  kTuple,    // pointers to arrays that are defined elsewhere
  kFused,    // inside a fusion, never in memory
  kApplied,  // inside a computation that is applied to single elements
};
std::string_view StorageText(Storage storage);

Storage StorageOf(ModuleView& view, InstId inst);

}  // namespace halo::view

#endif  // HALO_VIEW_MODEL_STORAGE_H_
