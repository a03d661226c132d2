// Applies one rule after the other. A module outside a dump, or in a profile, lacks nothing.
#include "halo/dump/missing.h"

#include <algorithm>

namespace halo {
namespace {

class Finder {
 public:
  Finder(const Dump& dump, const DumpModule& module) : dump_(dump), module_(module) {}

  std::vector<MissingPiece> Find() {
    const bool is_dump = module_.number >= 0 && !module_.stages.empty();
    if (!is_dump) return {};
    const std::vector<int32_t>& files = module_.stages.front().files;
    if (!files.empty() && dump_.files[static_cast<size_t>(files.front())].is_embedded) return {};
    const DumpStage* last = LastAfter();
    if (last == nullptr) {
      Add(true, "the module after optimizations",
          "compilation ended before it, or the dump was filtered", "");
    }
    if (!HasRole(StageRole::kBefore)) {
      Add(true, "the module before optimizations",
          "it was loaded from a compilation cache instead of compiled, or the dump was filtered",
          "");
    }
    if (last != nullptr && !HasClass(FileRole::kAssignment)) {
      Add(true, "the buffer assignment",
          "it is written next to HLO text, but not for modules from a compilation cache",
          FlagOf(FileRole::kModuleText));
    }
    if (HasClass(FileRole::kAssignmentValues) && !HasClass(FileRole::kLiveRange)) {
      Add(true, "the live ranges", "they are in a separate file since April 2026", "");
    }
    AddOptional();
    return std::move(found_);
  }

 private:
  void AddOptional() {
    if (!HasClass(FileRole::kModuleText)) {
      Add(false, "modules as text", "", FlagOf(FileRole::kModuleText));
    }
    if (!HasClass(FileRole::kModuleProto) && !HasClass(FileRole::kModuleRiegeli)) {
      Add(false, "modules as protos, with all constants", "", FlagOf(FileRole::kModuleProto));
    }
    if (!HasRole(StageRole::kPass)) {
      Add(false, "the module after each pass", "", "--xla_dump_hlo_pass_re=.*");
    }
    if (!HasClass(FileRole::kPassTimes)) {
      Add(false, "times of passes", "", FlagOf(FileRole::kPassTimes));
    }
    const bool has_code = module_.backend == "cpu" || module_.backend == "gpu";
    if (has_code && !HasClass(FileRole::kLlvmIr)) {
      Add(false, "LLVM IR", "since August 2026 it takes a flag", FlagOf(FileRole::kLlvmIr));
    }
  }

  void Add(bool needed, std::string_view what, std::string_view why, std::string_view flag) {
    found_.push_back({std::string(what), std::string(why), std::string(flag), needed});
  }

  [[nodiscard]] bool HasRole(StageRole role) const {
    return std::any_of(module_.stages.begin(), module_.stages.end(),
                       [&](const DumpStage& stage) { return stage.name.role == role; });
  }

  [[nodiscard]] const DumpStage* LastAfter() const {
    for (auto stage = module_.stages.rbegin(); stage != module_.stages.rend(); ++stage) {
      if (stage->name.role == StageRole::kAfter) return &*stage;
    }
    return nullptr;
  }

  [[nodiscard]] bool HasClass(FileRole file_role) const {
    const auto has = [&](int32_t file) {
      return dump_.files[static_cast<size_t>(file)].file_role == file_role;
    };
    return std::any_of(module_.others.begin(), module_.others.end(), has) ||
           std::any_of(module_.stages.begin(), module_.stages.end(), [&](const DumpStage& stage) {
             return std::any_of(stage.files.begin(), stage.files.end(), has);
           });
  }

  const Dump& dump_;
  const DumpModule& module_;
  std::vector<MissingPiece> found_;
};

}  // namespace

std::vector<MissingPiece> FindMissing(const Dump& dump, const DumpModule& module) {
  return Finder(dump, module).Find();
}

}  // namespace halo
