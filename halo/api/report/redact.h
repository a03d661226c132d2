// Removes from programs what reveals their origin. Names of modules, computations, instructions,
// axes and threads are replaced consistently. Metadata, source tables, frontend attributes, strings
// in configurations, constants of more than a few elements and everything that is not understood
// are dropped. Opcodes, shapes, layouts, schedules, groups and sizes are kept, so that every
// request about memory and structure has the same result.
#ifndef HALO_API_REPORT_REDACT_H_
#define HALO_API_REPORT_REDACT_H_

#include <map>
#include <string>
#include <string_view>

#include "halo/eval/context/custom_calls.h"
#include "halo/ir/module.h"
#include "halo/memory/model/assignment.h"

namespace halo {

class Redactor {
 public:
  Redactor();

  // A module read from text or proto, as redacted text.
  std::string Redacted(const Module& module);
  // An assignment, redacted. If its module was redacted before, its names are replaced in the same
  // way.
  std::string Redacted(const Assignment& assignment, AssignmentPieces pieces);
  // "m0", "m1", ... for modules, and similarly for everything else that has a name.
  std::string ModuleName(std::string_view name) { return Renamed("m", name, modules_); }
  std::string RankName(std::string_view name) { return Renamed("rank_", name, ranks_); }
  std::string StageText(std::string_view name) { return Renamed("stage_", name, stages_); }

 private:
  using Names = std::map<std::string, std::string, std::less<>>;
  static std::string Renamed(std::string_view stem, std::string_view name, Names& names);

  std::string InstName(std::string_view stem, std::string_view name);
  AttrListId Attributes(AttrListId list, bool is_known_call, Module& module);
  std::string Sharding(std::string_view text);
  std::string_view Thread(std::string_view name);

  CustomCallRegistry known_;
  Names modules_, ranks_, stages_, insts_, comps_, axes_, threads_, targets_;
};

}  // namespace halo

#endif  // HALO_API_REPORT_REDACT_H_
