// Resolves names to indices. A file that was named itself counts as a choice. If several match, the
// largest module or the last stage is taken; if none does, the candidates are listed.
#include "halo/dump/select.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "halo/base/diagnostics/base_diagnostics.h"

namespace halo {
namespace {

constexpr size_t kMaxNamed = 8;

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The last number in a folder's name: 3 for node_0/rank_003.
std::optional<int64_t> LastNumber(std::string_view text) {
  const size_t last = text.find_last_of("0123456789");
  if (last == std::string_view::npos) return std::nullopt;
  const size_t before = text.find_last_not_of("0123456789", last);
  const size_t first = before == std::string_view::npos ? 0 : before + 1;
  return NumberOf(text.substr(first, last + 1 - first));
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMaxNamed; ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMaxNamed) {
    text += ", ... " + std::to_string(names.size() - kMaxNamed) + " more";
  }
  return text;
}

Diagnostic NotThere(std::string message, const std::vector<std::string>& candidates) {
  Diagnostic diagnostic = MakeBinaryDiagnostic(diag::kCannotOpen, 0, std::move(message));
  diagnostic.help =
      candidates.empty() ? "`halo ls` lists the contents" : "there are: " + Listed(candidates);
  return diagnostic;
}

// The size used to rank modules: that of the main file.
uint64_t SizeOf(const Dump& dump, const DumpModule& module) {
  uint64_t size = 0;
  for (const DumpStage& stage : module.stages) {
    for (const FileRole each :
         {FileRole::kModuleText, FileRole::kModuleProto, FileRole::kModuleRiegeli}) {
      const int32_t file = dump.FileOf(stage, each);
      if (file >= 0) size = std::max(size, dump.files[static_cast<size_t>(file)].bytes);
    }
  }
  return size;
}

class Selector {
 public:
  Selector(const Dump& dump, const DumpChoice& choice) : dump_(dump), choice_(choice) {}

  Result<Selection> Select() {
    std::vector<int32_t> modules;
    for (size_t i = 0; i < dump_.modules.size(); ++i) {
      if (MainStage(dump_, dump_.modules[i]) >= 0) modules.push_back(static_cast<int32_t>(i));
    }
    if (modules.empty()) return NoModuleIn(dump_);
    if (!choice_.is_given() && dump_.given_file >= 0) return ByGivenFile();
    for (const auto narrow : {&Selector::ByRank, &Selector::ByModule}) {
      Result<std::vector<int32_t>> narrowed = (this->*narrow)(modules);
      if (!narrowed) return narrowed.error();
      modules = std::move(*narrowed);
    }
    Selection selection;
    for (const int32_t module : modules) {
      Result<std::vector<Chosen>> chosen = ByStage(module);
      if (!chosen) return chosen.error();
      selection.chosen.insert(selection.chosen.end(), chosen->begin(), chosen->end());
    }
    selection.why = why_;
    return selection;
  }

 private:
  [[nodiscard]] const DumpModule& ModuleAt(int32_t index) const {
    return dump_.modules[static_cast<size_t>(index)];
  }

  Result<Selection> ByGivenFile() {
    const DumpFile& file = dump_.files[static_cast<size_t>(dump_.given_file)];
    if (file.module < 0 || file.stage < 0) {
      Diagnostic none = MakeBinaryDiagnostic(
          diag::kCannotOpen, 0, dump_.PathOf(dump_.given_file) + " belongs to no program");
      none.help = "`halo ls --files` lists what each file of the folder is";
      return none;
    }
    return Selection{{{file.module, file.stage, dump_.given_file}}, "the program of this file"};
  }

  Result<std::vector<int32_t>> ByRank(const std::vector<int32_t>& modules) {
    if (choice_.rank.empty() || choice_.rank == "all") return modules;
    const auto of_rank = [&](auto fits) {
      std::vector<int32_t> found;
      for (const int32_t each : modules) {
        const std::string& rank = dump_.ranks[static_cast<size_t>(ModuleAt(each).rank)];
        if (fits(rank)) found.push_back(each);
      }
      return found;
    };
    const std::optional<int64_t> number = NumberOf(choice_.rank);
    std::vector<int32_t> found =
        of_rank([&](const std::string& rank) { return rank == choice_.rank; });
    if (found.empty() && number) {
      found = of_rank([&](const std::string& rank) { return LastNumber(rank) == number; });
    }
    if (found.empty()) {
      return NotThere("no rank '" + choice_.rank + "' in " + dump_.root, dump_.ranks);
    }
    return found;
  }

  // A module's name as the list of candidates shows it.
  [[nodiscard]] std::string NameOf(int32_t index) const {
    const DumpModule& module = ModuleAt(index);
    return module.number < 0 ? module.name : std::to_string(module.number) + " " + module.name;
  }

  Result<std::vector<int32_t>> ByModule(const std::vector<int32_t>& modules) {
    if (choice_.module == "all") return modules;
    if (choice_.module.empty()) return Largest(modules);
    const auto that = [&](auto fits) {
      std::vector<int32_t> found;
      std::copy_if(modules.begin(), modules.end(), std::back_inserter(found),
                   [&](int32_t each) { return fits(ModuleAt(each)); });
      return found;
    };
    const std::optional<int64_t> number = NumberOf(choice_.module);
    std::vector<int32_t> found =
        that([&](const DumpModule& each) { return each.name == choice_.module; });
    if (found.empty() && number) {
      found = that([&](const DumpModule& each) { return each.number == number; });
    }
    if (found.empty()) {
      found = that([&](const DumpModule& each) {
        return each.name.find(choice_.module) != std::string::npos;
      });
    }
    if (found.empty()) {
      std::vector<std::string> names;
      for (const int32_t each : modules) {
        if (std::find(names.begin(), names.end(), NameOf(each)) == names.end()) {
          names.push_back(NameOf(each));
        }
      }
      return NotThere("no module '" + choice_.module + "' in " + dump_.root, names);
    }
    return Largest(found);
  }

  // Selects the largest module, in its first rank.
  std::vector<int32_t> Largest(const std::vector<int32_t>& modules) {
    const int32_t best =
        *std::max_element(modules.begin(), modules.end(), [&](int32_t a, int32_t b) {
          return SizeOf(dump_, ModuleAt(a)) < SizeOf(dump_, ModuleAt(b));
        });
    if (modules.size() > 1) {
      why_ = "the largest of " + std::to_string(modules.size()) + " modules";
    }
    return {best};
  }

  Result<std::vector<Chosen>> ByStage(int32_t index) {
    const DumpModule& module = ModuleAt(index);
    std::vector<Chosen> chosen;
    if (choice_.stage.empty() || choice_.stage == "last") {
      const int32_t stage = MainStage(dump_, module);
      if (module.stages.size() > 1 && choice_.stage.empty()) {
        const std::string own =
            "its stage " + std::string(module.stages[static_cast<size_t>(stage)].label());
        why_ += why_.empty() ? own : ", " + own;
      }
      chosen.push_back(Take(index, stage));
      return chosen;
    }
    std::vector<std::string> names;
    for (size_t i = 0; i < module.stages.size(); ++i) {
      const DumpStage& stage = module.stages[i];
      const Chosen taken = Take(index, static_cast<int32_t>(i));
      if (taken.file < 0) continue;
      names.emplace_back(stage.label());
      if (choice_.stage == "all" || Fits(stage)) chosen.push_back(taken);
    }
    if (chosen.empty()) {
      return NotThere("no stage '" + choice_.stage + "' of module " + NameOf(index), names);
    }
    // If several stages match (a pass that ran repeatedly, or points after optimization), take the
    // last.
    if (choice_.stage != "all") chosen = {chosen.back()};
    return chosen;
  }

  [[nodiscard]] bool Fits(const DumpStage& stage) const {
    const std::string& wanted = choice_.stage;
    if (wanted == stage.label()) return true;
    if (wanted == TextOf(stage.name.role) && stage.name.role != StageRole::kPass) return true;
    if (stage.name.role != StageRole::kPass) return false;
    const std::optional<int64_t> step = NumberOf(wanted);
    if (step) return stage.name.step == step;
    return stage.name.pass == wanted || stage.name.pipeline == wanted ||
           "after_" + stage.name.pass == wanted;
  }

  [[nodiscard]] Chosen Take(int32_t module, int32_t stage) const {
    const DumpStage& from = ModuleAt(module).stages[static_cast<size_t>(stage)];
    Chosen chosen{module, stage, dump_.ModuleFileOf(from, choice_.prefer_proto)};
    const std::vector<int32_t> pieces = dump_.AssignmentOf(from);
    if (chosen.file < 0 && !pieces.empty()) chosen.file = pieces.front();
    return chosen;
  }

  const Dump& dump_;
  const DumpChoice& choice_;
  std::string why_;
};

}  // namespace

int32_t MainStage(const Dump& dump, const DumpModule& module) {
  int32_t last = -1;
  for (size_t i = 0; i < module.stages.size(); ++i) {
    if (dump.ModuleFileOf(module.stages[i]) >= 0) last = static_cast<int32_t>(i);
  }
  for (size_t i = module.stages.size(); i-- > 0;) {
    if (dump.FileOf(module.stages[i], FileRole::kAssignment) >= 0) return static_cast<int32_t>(i);
  }
  return last;
}

Diagnostic NoModuleIn(const Dump& dump) {
  Diagnostic none =
      MakeBinaryDiagnostic(diag::kCannotOpen, 0, "there is no module in " + dump.root);
  none.help =
      "a dump is written with XLA_FLAGS=--xla_dump_to=DIR; `halo ls --files` lists every file";
  return none;
}

Result<Selection> SelectFromDump(const Dump& dump, const DumpChoice& choice) {
  return Selector(dump, choice).Select();
}

}  // namespace halo
