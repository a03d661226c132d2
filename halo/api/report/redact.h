// Takes out of programs what tells where they come from: names of modules, computations,
// instructions, axes and threads are replaced, the same name by the same everywhere; metadata,
// source tables, frontend attributes, strings in configurations, constants of more than a few
// elements and whatever is not understood are dropped. Opcodes, shapes, layouts, schedules, groups
// and sizes stay, so that every question about memory and structure has the same answer.
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

  // A module read from text or proto, as text without anything that is to go.
  std::string Redacted(const Module& module);
  // An assignment, with its module's names replaced as the module's were if that came first.
  std::string Redacted(const Assignment& assignment, AssignmentPieces pieces);
  // "m0", "m1", ... for modules, and the like for whatever else has a name.
  std::string ModuleName(std::string_view name) { return Renamed("m", name, modules_); }
  std::string RankName(std::string_view name) { return Renamed("rank_", name, ranks_); }

 private:
  using Names = std::map<std::string, std::string, std::less<>>;
  static std::string Renamed(std::string_view stem, std::string_view name, Names& names);

  std::string InstName(std::string_view stem, std::string_view name);
  AttrListId Attributes(AttrListId list, bool is_known_call, Module& module);
  std::string Sharding(std::string_view text);
  std::string_view Thread(std::string_view name);

  CustomCallRegistry known_;
  Names modules_, ranks_, insts_, comps_, axes_, threads_, targets_;
};

}  // namespace halo

#endif  // HALO_API_REPORT_REDACT_H_
