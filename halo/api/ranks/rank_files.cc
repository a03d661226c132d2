// Of a text and a proto of the same state, the text is taken.
#include "halo/api/ranks/rank_files.h"

#include "halo/dump/select.h"

namespace halo {
namespace {

// What precedes module_NNNN in a name, unless it is the time of the dump.
std::string PrefixOf(std::string_view path) {
  const DumpName name = ParseDumpName(path.substr(path.rfind('/') + 1));
  if (!name.has_module || name.has_timestamp()) return "";
  std::string prefix = name.before;
  while (prefix.ends_with('.')) prefix.pop_back();
  return prefix;
}

}  // namespace

RankFiles FilesByRank(const Dump& dump) {
  RankFiles ranks;
  std::map<std::pair<std::string, std::string>, int> seen;  // modules of one name
  for (const DumpModule& module : dump.modules) {
    const int32_t main = MainStage(dump, module);
    const std::string& folder = dump.ranks[static_cast<size_t>(module.rank)];
    std::map<std::string, std::string> names;  // of the module, by rank
    for (size_t i = 0; i < module.stages.size(); ++i) {
      const DumpStage& stage = module.stages[i];
      std::map<std::string, int32_t> chosen;
      for (const FileRole role :
           {FileRole::kModuleText, FileRole::kModuleProto, FileRole::kModuleRiegeli}) {
        for (const int32_t file : stage.files) {
          const DumpFile& each = dump.files[static_cast<size_t>(file)];
          if (each.file_role != role) continue;
          const std::string prefix = PrefixOf(each.path);
          const bool both = !folder.empty() && !prefix.empty();
          chosen.try_emplace(both ? folder + "/" + prefix : folder + prefix, file);
        }
      }
      for (const auto& [rank, file] : chosen) {
        std::string& name = names[rank];
        if (name.empty()) {
          const int number = seen[{rank, module.name}]++;
          name = module.name + (number == 0 ? "" : " #" + std::to_string(number + 1));
        }
        RankedState& state = ranks[rank].emplace_back();
        state.module = name;
        state.stage = stage.label();
        state.pass = stage.name.pass;
        state.path = dump.PathOf(file);
        state.is_main = static_cast<int32_t>(i) == main;
        // Files about memory have no prefix of a rank.
        if (state.is_main && chosen.size() == 1) {
          for (const int32_t piece : dump.AssignmentOf(stage)) {
            if (dump.files[static_cast<size_t>(piece)].file_role == FileRole::kAssignment) {
              state.assignment.push_back(dump.PathOf(piece));
            }
          }
        }
      }
    }
  }
  return ranks;
}

}  // namespace halo
