// Struct arrays and streams of the Arrow C data interface. Each column owns its buffers, because a
// consumer may move a child out of its parent and release it by itself. What the columns contain is
// decided by the callers.
#ifndef HALO_PUBLIC_C_ARROW_H_
#define HALO_PUBLIC_C_ARROW_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "haloscope/c.h"

namespace halo {

// The buffers of a column, and the columns of a table.
struct OwnedArrow {
  std::vector<uint8_t> validity;  // a bit for each row; empty if there are no holes
  std::vector<uint8_t> bits;      // of a column of booleans
  std::vector<int64_t> numbers;   // also the bits of floating point numbers
  std::vector<int32_t> offsets;
  std::string bytes;
  int64_t holes = 0;
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

// `format` is a literal.
ArrowSchema MakeArrowSchema(const char* format, std::string_view name, bool is_optional,
                            std::vector<ArrowSchema> children);
// Takes the buffers as they are; `buffers` counts them, with the validity.
ArrowArray MakeArrowArray(std::unique_ptr<OwnedArrow> owned, size_t length, int64_t buffers);
// A stream of one array.
ArrowArrayStream MakeArrowStream(ArrowSchema schema, ArrowArray array);

}  // namespace halo

#endif  // HALO_PUBLIC_C_ARROW_H_
