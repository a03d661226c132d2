// An instruction that a library, or one of our hand-written loops, computes better than generated
// code would: dots, convolutions, sorts, FFTs. It is built when the module is compiled, and
// everything that can be prepared is prepared then; running it only touches its buffers.
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

  // Buffers as in runtime/kernel_call.h: operand leaves, then result leaves. `scratch` has
  // scratch_bytes() bytes, aligned to 64. May use the thread team. Returns a diagnostic if the op
  // cannot be computed for these values.
  virtual std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) = 0;
  [[nodiscard]] virtual int64_t scratch_bytes() const { return 0; }
  // Multiplications and additions per run; 0 where the count is not meaningful.
  [[nodiscard]] virtual double flops() const { return 0; }
  // Short description of the implementation: "oneDNN matmul bf16 64x1024x6144".
  [[nodiscard]] virtual std::string Text() const = 0;

 protected:
  LibraryOp() = default;
  LibraryOp(const LibraryOp&) = default;
  LibraryOp& operator=(const LibraryOp&) = default;
};

}  // namespace halo

#endif  // HALO_RUNTIME_LIBRARY_OP_H_
