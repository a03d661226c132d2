// A minimal program that uses the public interface: reads a module from standard input and prints a
// summary. Built natively, as WebAssembly and against an installed package; all must print the
// same.
#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "halo/api/document/document.h"

int main() {
  const halo::Document document = halo::OpenDocument("-");
  uint64_t errors = document.diagnostics.errors();
  uint64_t computations = 0;
  uint64_t instructions = 0;
  uint64_t operands = 0;
  for (const halo::DocumentModule& read : document.modules) {
    errors += read.diagnostics.errors();
    computations += read.module.comps.size();
    instructions += read.module.insts.size();
    operands += read.module.operands.size();
  }
  std::printf("modules %zu, computations %" PRIu64 ", instructions %" PRIu64 ", operands %" PRIu64
              ", errors %" PRIu64 "\n",
              document.modules.size(), computations, instructions, operands, errors);
  return errors == 0 && instructions > 0 ? 0 : 1;
}
