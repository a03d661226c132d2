// Compiles one unit to one object file for the host CPU with LLVM's passes and backend. Compilers
// share no state, so that each thread can have its own.
#ifndef HALO_CODEGEN_JIT_OBJECT_COMPILER_H_
#define HALO_CODEGEN_JIT_OBJECT_COMPILER_H_

#include <memory>
#include <string>

#include "halo/base/diagnostics/result.h"
#include "halo/codegen/jit/jit.h"

namespace llvm {
class MemoryBuffer;
}  // namespace llvm

namespace halo {

class ObjectCompiler {
 public:
  // Without `optimizes`, only what is needed to run at all.
  explicit ObjectCompiler(bool optimizes);
  ObjectCompiler(const ObjectCompiler&) = delete;
  ObjectCompiler& operator=(const ObjectCompiler&) = delete;
  ~ObjectCompiler();

  Result<std::unique_ptr<llvm::MemoryBuffer>> Compile(const JitUnit& unit);

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

// Everything that determines the contents of an object, apart from the unit's key.
std::string CompilerText(bool optimizes);

}  // namespace halo

#endif  // HALO_CODEGEN_JIT_OBJECT_COMPILER_H_
