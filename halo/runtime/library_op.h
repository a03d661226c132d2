// An instruction that a library, or a hand-written loop of ours, computes better than generated
// code would: dots, convolutions, sorts, transforms. Made when the module is compiled, with all
// that can be prepared; running it only touches its buffers.
#ifndef HALO_RUNTIME_LIBRARY_OP_H_
#define HALO_RUNTIME_LIBRARY_OP_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

class LibraryOp {
 public:
  virtual ~LibraryOp() = default;

  // Buffers as in runtime/kernel_call.h: operand leaves, result leaves; `scratch` has
  // scratch_bytes(), aligned to 64. May use the thread team. The diagnostic if it cannot be done
  // with these values.
  virtual std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) = 0;
  [[nodiscard]] virtual int64_t scratch_bytes() const { return 0; }
  // Multiplications and additions of one run; 0 where counting them says nothing.
  [[nodiscard]] virtual double flops() const { return 0; }
  // What computes it, in a few words: "oneDNN matmul bf16 64x1024x6144".
  [[nodiscard]] virtual std::string Text() const = 0;

 protected:
  LibraryOp() = default;
  LibraryOp(const LibraryOp&) = default;
  LibraryOp& operator=(const LibraryOp&) = default;
};

}  // namespace halo

#endif  // HALO_RUNTIME_LIBRARY_OP_H_
