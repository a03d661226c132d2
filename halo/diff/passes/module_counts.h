// What a module consists of, in numbers, to tell what a pass changed.
#ifndef HALO_DIFF_PASSES_MODULE_COUNTS_H_
#define HALO_DIFF_PASSES_MODULE_COUNTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "halo/ir/module.h"
#include "haloscope/fields.h"

namespace halo {

struct ModuleCounts {
  int64_t instructions = 0, computations = 0, fusions = 0;
  int64_t bytes = 0;  // of results that are stored, as if none shared memory
  std::map<std::string, int64_t> opcodes;
};
template <class V>
void Fields(V& v, ModuleCounts& r) {
  v("instructions", r.instructions, "how many");
  v("computations", r.computations, "how many");
  v("fusions", r.fusions, "how many");
  v("bytes", r.bytes, "of results that are stored, as if none shared memory", v0::Unit::kBytes);
}

ModuleCounts CountsOf(const Module& module);

struct OpcodeDelta {
  std::string opcode;
  int64_t before = 0, after = 0;
};

template <class V>
void Fields(V& v, OpcodeDelta& r) {
  v("name", r.opcode, "of the opcode");
  v("before", r.before, "instructions");
  v("after", r.after, "instructions");
}

// Opcodes that changed in number, the largest change first.
std::vector<OpcodeDelta> OpcodeDeltas(const ModuleCounts& before, const ModuleCounts& after);

}  // namespace halo

#endif  // HALO_DIFF_PASSES_MODULE_COUNTS_H_
