// The layout of arrays in a kernel's temporary memory.
#ifndef HALO_CODEGEN_KERNEL_TEMP_LAYOUT_H_
#define HALO_CODEGEN_KERNEL_TEMP_LAYOUT_H_

#include <cstdint>

#include "halo/codegen/kernel/kernel_schedule.h"
#include "halo/ir/types/element_type.h"

namespace halo {

class TempLayout {
 public:
  // Adds an array and returns its offset in bytes.
  int64_t Add(ElementType type, int64_t count) {
    const int64_t at = bytes_;
    bytes_ += (count * static_cast<int64_t>(StoredBytes(type)) + 63) / 64 * 64;
    return at;
  }
  [[nodiscard]] int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

// The address of an array in temporary memory.
llvm::Value* TempAddress(KernelFrame& frame, int64_t offset);

}  // namespace halo

#endif  // HALO_CODEGEN_KERNEL_TEMP_LAYOUT_H_
