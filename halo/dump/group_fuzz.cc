// Reads the input as a list of paths, one per line, and gives some inconclusive names a role. Every
// file must belong to at most one module, indices must be valid, stages must be in order, and
// selecting from the result must terminate.
#include <cstdint>

#include "halo/base/check.h"
#include "halo/dump/group.h"
#include "halo/dump/select.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace halo;  // NOLINT
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  Dump dump;
  std::vector<DumpName> names;
  while (!rest.empty() && dump.files.size() < 1000) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view path = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    DumpFile& file = dump.files.emplace_back();
    file.path = path;
    file.bytes = path.size();
    names.push_back(ParseDumpName(path.substr(path.rfind('/') + 1)));
    file.file_role = names.back().file_role;
    if (file.file_role == FileRole::kUnknown && path.size() % 3 == 0) {
      file.file_role = FileRole::kModuleText;
    }
    if (IsReproducer(path)) file.file_role = FileRole::kReproducer;
  }
  GroupFiles(names, dump);
  std::vector<int> times(dump.files.size(), 0);
  for (const DumpModule& module : dump.modules) {
    HALO_CHECK(static_cast<size_t>(module.rank) < dump.ranks.size());
    for (const DumpStage& stage : module.stages) {
      for (const int32_t file : stage.files) ++times[static_cast<size_t>(file)];
    }
    for (const int32_t file : module.others) ++times[static_cast<size_t>(file)];
    for (size_t i = 1; i < module.stages.size(); ++i) {
      HALO_CHECK(module.stages[i - 1].name.role <= module.stages[i].name.role);
    }
  }
  for (size_t i = 0; i < dump.files.size(); ++i) {
    HALO_CHECK(times[i] == (dump.files[i].module >= 0 ? 1 : 0));
  }
  const std::string word(reinterpret_cast<const char*>(data), std::min<size_t>(size, 8));
  for (const DumpChoice& choice :
       {DumpChoice{}, DumpChoice{.module = "all", .stage = "all"}, DumpChoice{.module = word},
        DumpChoice{.stage = word}, DumpChoice{.rank = word}}) {
    const Result<Selection> selection = SelectFromDump(dump, choice);
    if (!selection) continue;
    for (const Chosen& chosen : selection->chosen) {
      HALO_CHECK(static_cast<size_t>(chosen.file) < dump.files.size());
    }
  }
  return 0;
}
