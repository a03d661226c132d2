// Works in two passes: first the files with certain names, then those whose names are resolved by
// other files with the same number.
#include "halo/dump/group.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "halo/dump/missing.h"
#include "halo/dump/natural_order.h"

namespace halo {
namespace {

struct Parts {
  std::string_view folder, name;
};
Parts SplitPath(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {{}, path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

// True if the file by itself describes one module's memory or program, whatever its name.
bool TellsOfModule(FileRole file_role) {
  switch (file_role) {
    case FileRole::kModuleText:
    case FileRole::kModuleProto:
    case FileRole::kModuleRiegeli:
    case FileRole::kAssignment:
    case FileRole::kAssignmentValues:
    case FileRole::kLiveRange:
    case FileRole::kMemoryReport:
    case FileRole::kMemoryReportProto: return true;
    default: return false;
  }
}

// The modules of one process are in one folder, unless each module has a separate folder above it.
std::string RankOf(std::string_view folder, std::string_view module) {
  const auto [above, last] = SplitPath(folder);
  const auto [outer, between] = SplitPath(above);
  if (module.empty() || between != module) return std::string(folder);
  return outer.empty() ? std::string(last) : std::string(outer) + "/" + std::string(last);
}

struct Owner {
  std::string rank, timestamp, module;
  int64_t number = -1;

  auto operator<=>(const Owner&) const = default;
};

class Grouper {
 public:
  Grouper(std::vector<DumpName>& names, Dump& dump) : names_(names), dump_(dump) {}

  void Group() {
    SortFiles();
    std::vector<size_t> later;
    for (size_t i = 0; i < dump_.files.size(); ++i) {
      if (MustWait(i)) later.push_back(i);
    }
    for (const size_t i : later) PlaceByOthers(i);
    MakeModules();
  }

 private:
  void SortFiles() {
    std::vector<size_t> order(dump_.files.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::tie(dump_.files[a].path, a) < std::tie(dump_.files[b].path, b);
    });
    std::vector<DumpFile> files;
    std::vector<DumpName> names;
    for (const size_t i : order) {
      files.push_back(std::move(dump_.files[i]));
      names.push_back(std::move(names_[i]));
    }
    dump_.files = std::move(files);
    names_ = std::move(names);
    for (const DumpFile& file : dump_.files) {
      if (file.is_packed) packed_folders_.insert(std::string(SplitPath(file.path).folder));
    }
  }

  // Key of files with the same folder, timestamp and number; known_ maps it to module names.
  using Numbered = std::tuple<std::string_view, std::string_view, int64_t>;
  [[nodiscard]] Numbered NumberedOf(size_t i, std::string_view folder) const {
    const DumpName& name = names_[i];
    return {folder, name.has_timestamp() ? std::string_view(name.before) : std::string_view(),
            name.number};
  }

  // Places the file unless that requires the names of other files.
  bool MustWait(size_t i) {
    DumpName& name = names_[i];
    const DumpFile& file = dump_.files[i];
    const auto [folder, base] = SplitPath(file.path);
    if (file.file_role == FileRole::kReproducer) return true;
    if (!name.has_module) {
      PlaceFree(i, folder, base);
      return false;
    }
    if (!name.is_exact) return true;
    known_[NumberedOf(i, folder)].insert(name.module);
    Place(i, folder, name.module, name);
    return false;
  }

  void PlaceFree(size_t i, std::string_view folder, std::string_view base) {
    DumpName& name = names_[i];
    const DumpFile& file = dump_.files[i];
    const bool unframed =
        file.file_role == FileRole::kCapture && !packed_folders_.contains(file.path);
    if (!TellsOfModule(file.file_role) && !unframed) return;
    if (name.module.empty() && name.stage.text.empty()) {
      name.module = WithoutStageEnding(WithoutCompression(base));
    }
    if (name.stage.text.empty()) name.stage.role = StageRole::kOnly;
    name.is_exact = true;
    has_stage_.insert(i);
    Place(i, folder, name.module, name);
  }

  void PlaceByOthers(size_t i) {
    DumpName& name = names_[i];
    auto [folder, base] = SplitPath(dump_.files[i].path);
    if (dump_.files[i].file_role == FileRole::kReproducer) {
      const auto [above, own] = SplitPath(folder);
      name = ParseDumpName(own);
      folder = above;
    }
    const std::string stem = name.module;
    std::string_view best;
    bool is_known = false;
    const auto known = known_.find(NumberedOf(i, folder));
    if (known != known_.end()) {
      for (const std::string& each : known->second) {
        const bool fits =
            each.empty() || stem == each || (stem.starts_with(each) && stem[each.size()] == '.');
        if (!fits || (is_known && each.size() < best.size())) continue;
        best = each;
        is_known = true;
      }
    }
    if (!is_known) best = std::string_view(stem).substr(0, stem.find('.'));
    std::string module(best);
    if (TellsOfModule(dump_.files[i].file_role) && name.stage.text.empty()) {
      // A point of compilation with an unknown name.
      std::string_view point = std::string_view(stem).substr(best.size());
      if (point.starts_with('.')) point.remove_prefix(1);
      name.stage = StageFromText(WithoutStageEnding(point));
      has_stage_.insert(i);
    }
    Place(i, folder, module, name);
  }

  void Place(size_t i, std::string_view folder, std::string_view module, const DumpName& name) {
    Owner owner;
    owner.rank = RankOf(folder, module);
    owner.timestamp = name.has_module && name.has_timestamp() ? name.before : "";
    owner.number = name.number;
    owner.module = module;
    owners_[std::move(owner)].push_back(i);
    if (!name.stage.text.empty()) has_stage_.insert(i);
  }

  void MakeModules() {
    std::set<std::string, NaturalOrder> ranks;
    for (const auto& [owner, files] : owners_) ranks.insert(owner.rank);
    dump_.ranks.assign(ranks.begin(), ranks.end());
    for (const auto& [owner, files] : owners_) {
      DumpModule module;
      module.name = owner.module;
      module.number = owner.number;
      module.timestamp = owner.timestamp;
      module.rank = static_cast<int32_t>(std::distance(ranks.begin(), ranks.find(owner.rank)));
      AddFiles(files, module);
      dump_.modules.push_back(std::move(module));
    }
    std::sort(dump_.modules.begin(), dump_.modules.end(),
              [](const DumpModule& a, const DumpModule& b) {
                return std::tie(a.rank, a.number, a.timestamp, a.name) <
                       std::tie(b.rank, b.number, b.timestamp, b.name);
              });
    for (size_t m = 0; m < dump_.modules.size(); ++m) {
      DumpModule& module = dump_.modules[m];
      for (size_t s = 0; s < module.stages.size(); ++s) {
        for (const int32_t file : module.stages[s].files) {
          dump_.files[static_cast<size_t>(file)].module = static_cast<int32_t>(m);
          dump_.files[static_cast<size_t>(file)].stage = static_cast<int32_t>(s);
        }
      }
      for (const int32_t file : module.others) {
        dump_.files[static_cast<size_t>(file)].module = static_cast<int32_t>(m);
      }
      module.missing = FindMissing(dump_, module);
    }
  }

  void AddFiles(const std::vector<size_t>& files, DumpModule& module) {
    std::map<std::string, size_t> stages;
    bool from_tpu = false;
    bool from_gpu = false;
    for (const size_t i : files) {
      const DumpName& name = names_[i];
      const DumpFile& file = dump_.files[i];
      module.bytes += file.bytes;
      from_tpu |= name.has_change_number || file.file_role == FileRole::kCompilerFacts;
      from_gpu |=
          file.file_role == FileRole::kThunkSequence || file.file_role == FileRole::kTargetConfig;
      if (!has_stage_.contains(i)) {
        module.others.push_back(static_cast<int32_t>(i));
        continue;
      }
      const auto [found, is_new] = stages.emplace(name.stage.text, module.stages.size());
      if (is_new) module.stages.push_back({name.stage, {}});
      module.stages[found->second].files.push_back(static_cast<int32_t>(i));
    }
    std::sort(module.stages.begin(), module.stages.end(), ComesBefore);
    if (from_tpu) {
      module.backend = "tpu";
    } else if (from_gpu) {
      module.backend = "gpu";
    }
    for (const DumpStage& stage : module.stages) {
      const std::string_view backend = BackendOfStage(stage.name.text);
      if (!backend.empty()) module.backend = backend;
      const std::string_view architecture = ArchitectureOfStage(stage.name.text);
      if (!architecture.empty()) module.architecture = architecture;
    }
  }

  static bool ComesBefore(const DumpStage& a, const DumpStage& b) {
    const auto key = [](const DumpStage& stage) {
      return std::tuple(stage.name.role, stage.name.step, stage.name.order,
                        std::string_view(stage.name.text));
    };
    return key(a) < key(b);
  }

  std::vector<DumpName>& names_;
  Dump& dump_;
  std::set<std::string, std::less<>>
      packed_folders_;  // folders of packed files, including the containers
  std::map<Numbered, std::set<std::string>> known_;
  std::map<Owner, std::vector<size_t>> owners_;
  std::set<size_t> has_stage_;
};

}  // namespace

bool IsReproducer(std::string_view path) {
  const auto [folder, name] = SplitPath(path);
  const std::string_view own = SplitPath(folder).name;
  if (!own.starts_with("module_") || !ParseDumpName(own).has_module) return false;
  return name == "module.mlir" || name.starts_with("compile_options.") ||
         name.starts_with("topology.");
}

void GroupFiles(std::vector<DumpName>& names, Dump& dump) { Grouper(names, dump).Group(); }

}  // namespace halo
