// The states of one module of a dump in the order of compilation, each opened when it is needed.
#ifndef HALO_API_PASSES_PASS_STATES_H_
#define HALO_API_PASSES_PASS_STATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/dump/dump.h"
#include "haloscope/fields.h"

namespace halo {

struct PassState {
  std::string label;           // "0042.simplification.after_dce.before_cse"
  std::string path;            // of the module's file
  std::string pipeline, pass;  // the pass that has just run; empty for other points
  std::string next;            // the pass that runs next, as the name says; may be empty
  int64_t occurrence = 0;      // of this pass in this pipeline, from 0
  // "simplification/dce", "before simplification", or the label.
  [[nodiscard]] std::string Name() const;
  // False for the beginning and end of a pipeline, and for points that are no pass.
  [[nodiscard]] bool is_pass() const;
};

template <class V>
void Fields(V& v, PassState& r) {
  v("state", r.label, "as its file names it");
  v("pipeline", r.pipeline, "of passes");
  v("pass", r.pass, "that has just run; empty if only a point of compilation is known");
  v("occurrence", r.occurrence, "of this pass in this pipeline, from 0");
}

std::vector<PassState> StatesOf(const Dump& dump, const DumpModule& module);

// Reads a state; null if it cannot be read without errors.
const Module* OpenState(const PassState& state, const OpenOptions& options, Document& document);

}  // namespace halo

#endif  // HALO_API_PASSES_PASS_STATES_H_
