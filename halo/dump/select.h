// Determines which file of a dump the user means, from a module, a stage and a rank, each in any
// common spelling, with sensible defaults.
#ifndef HALO_DUMP_SELECT_H_
#define HALO_DUMP_SELECT_H_

#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/dump/dump.h"

namespace halo {

struct DumpChoice {
  std::string module = {};  // a name, a part of one, a number, or "all"; empty: the largest
  std::string stage =
      {};  // before, after, last, a step number, a pass, a text, or "all"; empty: last
  std::string rank =
      {};  // a folder's name, or the number in it; empty: the first that has the module
  bool prefer_proto = false;  // if both exist; protos never elide constants

  [[nodiscard]] bool is_given() const { return !module.empty() || !stage.empty() || !rank.empty(); }
};

struct Chosen {
  int32_t module = -1;
  int32_t stage = -1;
  int32_t file = -1;  // the module's file, or the first of its assignment if there is none
};

struct Selection {
  std::vector<Chosen> chosen;  // one, unless "all" was requested; never empty
  std::string why;             // for people: "the largest of 3 modules, its last stage"
};

// Without a choice, the file that was given to IndexDump decides. An error lists the candidates.
Result<Selection> SelectFromDump(const Dump& dump, const DumpChoice& choice);

// The error for a dump without any module.
Diagnostic NoModuleIn(const Dump& dump);

// The default stage for queries: the last with an assignment, else the last that has a module file;
// -1 if no stage has either.
int32_t MainStage(const Dump& dump, const DumpModule& module);

}  // namespace halo

#endif  // HALO_DUMP_SELECT_H_
