// The first instruction with a name keeps it.
#include "halo/passes/rewrite/unique_names.h"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "halo/passes/rewrite/rewriter.h"

namespace halo {

Module UniqueNames(Module module) {
  std::unordered_set<std::string_view> seen;
  std::vector<InstId> again;
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    if (!seen.insert(module.name_of(module.insts[i])).second) again.emplace_back(i);
  }
  if (again.empty()) return module;
  ModuleEditor edit(std::move(module));
  for (const InstId id : again) {
    edit.SetName(id, std::string(edit.module().name_of(edit.inst(id))));
  }
  return edit.Finish();
}

}  // namespace halo
