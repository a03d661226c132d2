// Which file of a dump is meant: by module, stage and rank, each given in whatever way comes to
// mind first, and by a sensible default where nothing is given.
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
      {};  // before, after, last, a step's number, a pass, a text, or "all"; empty: last
  std::string rank =
      {};  // a folder's name, or the number in it; empty: the first that has the module
  bool prefer_proto = false;  // where both are there: constants are never left out of protos

  [[nodiscard]] bool is_given() const { return !module.empty() || !stage.empty() || !rank.empty(); }
};

struct Chosen {
  int32_t module = -1;
  int32_t stage = -1;
  int32_t file = -1;  // the module's, or its assignment's first piece if the module is not there
};

struct Selection {
  std::vector<Chosen> chosen;  // one, unless all were asked for; never none
  std::string why;             // for people: "the largest of 3 modules, its last stage"
};

// An error says what there is to choose from.
Result<Selection> SelectFromDump(const Dump& dump, const DumpChoice& choice);

// The stage a question is about unless it says otherwise: the last with an assignment, else the
// last whose module is there; -1 if no stage holds anything.
int32_t MainStage(const Dump& dump, const DumpModule& module);

}  // namespace halo

#endif  // HALO_DUMP_SELECT_H_
