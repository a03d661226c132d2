// Chooses what a report shows, most informative first, until the size limit is reached.
#include "halo/api/report/report.h"

#include <algorithm>
#include <map>
#include <set>

#include "halo/api/document/document.h"
#include "halo/api/report/redact.h"
#include "halo/api/report/report_manifest.h"
#include "halo/base/io/gzip.h"
#include "halo/base/strings/base64.h"
#include "halo/dump/open_file.h"
#include "halo/ir/ir_diagnostics.h"
#include "halo/memory/text/read_assignment.h"

namespace halo {
namespace {

constexpr std::string_view kBegin = "<!--halo:data-->";
constexpr std::string_view kEnd = "<!--/halo:data-->";
// Larger flags files and memory reports are not included.
constexpr uint64_t kMaxSideFile = 256 << 10;
// What the autotuner measured decides the times that the report shows.
constexpr uint64_t kMaxMeasuredFile = 8 << 20;

struct Wanted {
  int32_t module = -1;
  int32_t stage = -1;
  auto operator<=>(const Wanted&) const = default;
};

std::string BaseName(std::string_view path) {
  return std::string(WithoutCompression(path.substr(path.rfind('/') + 1)));
}

// What to show, most informative first.
std::vector<Wanted> Choose(const Dump& dump, const ReportOptions& options, Diagnostics& problems) {
  std::vector<Wanted> wanted;
  std::set<Wanted> known;
  std::set<int32_t> modules;
  const auto add = [&](int32_t module, int32_t stage) {
    const Wanted each{module, stage};
    if (stage >= 0 && known.insert(each).second) wanted.push_back(each);
  };
  const Result<Selection> selection = SelectFromDump(dump, options.choice);
  if (!selection) {
    problems.Add(selection.error());
    return wanted;
  }
  for (const Chosen& each : selection->chosen) {
    add(each.module, each.stage);
    modules.insert(each.module);
  }
  const bool is_one_file = dump.given_file >= 0 && !options.choice.is_given();
  if (is_one_file || !options.choice.stage.empty()) return wanted;
  // A chosen module is shown with its input; without a choice, all modules are shown.
  const auto has_module = [&](int32_t index) {
    return options.choice.module.empty() || modules.contains(index);
  };
  for (const bool inputs : {false, true}) {
    for (size_t m = 0; m < dump.modules.size(); ++m) {
      const DumpModule& module = dump.modules[m];
      const auto index = static_cast<int32_t>(m);
      if (!has_module(index)) continue;
      if (!inputs) {
        add(index, MainStage(dump, module));
        continue;
      }
      for (size_t s = 0; s < module.stages.size(); ++s) {
        const bool is_input = module.stages[s].name.role == StageRole::kBefore;
        const bool is_there = dump.ModuleFileOf(module.stages[s]) >= 0;
        if (is_there && (is_input || options.all_stages)) add(index, static_cast<int32_t>(s));
      }
    }
  }
  return wanted;
}

// The program of a dump that a module is compared with: that of its name, else the main one. The
// file that was given decides, if one was.
Result<Selection> SelectEarlier(const Dump& dump, const std::string& module) {
  if (dump.given_file < 0) {
    Result<Selection> named = SelectFromDump(dump, {.module = module});
    if (named) return named;
  }
  return SelectFromDump(dump, {});
}

class Builder {
 public:
  Builder(const Dump& dump, const ReportOptions& options) : dump_(&dump), options_(options) {}

  ReportData Build() {
    const std::vector<Wanted> wanted = Choose(*dump_, options_, data_.diagnostics);
    AddProfiles();
    for (const Wanted& each : wanted) {
      if (bytes_ >= options_.max_bytes && !manifest_.programs.empty()) {
        ++manifest_.left_out;
        continue;
      }
      AddProgram(each);
    }
    if (manifest_.programs.empty()) return std::move(data_);
    AddMissing();
    SortPrograms();
    if (options_.against != nullptr) AddAgainst();
    manifest_.redacted = options_.redact;
    manifest_.view = options_.view;
    manifest_.title = manifest_.programs[manifest_.first].module;
    data_.manifest = ManifestJson(manifest_);
    data_.programs = manifest_.programs.size();
    data_.left_out = manifest_.left_out;
    return std::move(data_);
  }

 private:
  [[nodiscard]] const DumpFile& FileAt(int32_t file) const {
    return dump_->files[static_cast<size_t>(file)];
  }
  [[nodiscard]] std::string ModuleName(const DumpModule& module) {
    return options_.redact ? redactor_.ModuleName(module.name) : module.name;
  }
  [[nodiscard]] std::string RankName(const DumpModule& module) {
    const std::string& rank = dump_->ranks[static_cast<size_t>(module.rank)];
    return options_.redact && !rank.empty() ? redactor_.RankName(rank) : rank;
  }

  [[nodiscard]] std::string StageText(const DumpStage& stage) {
    const bool hidden = options_.redact && !stage.name.is_known;
    return hidden ? redactor_.StageText(stage.name.text) : stage.name.text;
  }

  void AddProgram(const Wanted& wanted) {
    const DumpModule& module = dump_->modules[static_cast<size_t>(wanted.module)];
    const DumpStage& stage = module.stages[static_cast<size_t>(wanted.stage)];
    ManifestProgram program;
    program.module = ModuleName(module);
    program.number = module.number;
    program.rank = RankName(module);
    program.backend = module.backend;
    program.architecture = module.architecture;
    program.stage = stage.name;
    program.stage.text = StageText(stage);
    const int32_t file = dump_->ModuleFileOf(stage);
    const std::vector<int32_t> pieces = dump_->AssignmentOf(stage);
    const bool fine = options_.redact ? AddRedacted(module, stage, file, pieces, program)
                                      : AddPlain(module, stage, file, pieces, program);
    if (!fine || (program.file < 0 && program.assignment.empty())) return;
    manifest_.programs.push_back(std::move(program));
    order_.push_back(wanted);
  }

  bool AddPlain(const DumpModule& module, const DumpStage& stage, int32_t file,
                const std::vector<int32_t>& pieces, ManifestProgram& program) {
    if (file >= 0) program.file = AddFile(file);
    for (const int32_t piece : pieces) {
      const int32_t position = AddFile(piece);
      if (position >= 0) program.assignment.push_back(position);
    }
    const auto add_side = [&](int32_t side) {
      const DumpFile& each = FileAt(side);
      const FileRole role = each.file_role;
      const bool about_time = role == FileRole::kAutotuning || role == FileRole::kTargetConfig;
      const bool tells = role == FileRole::kFlags || role == FileRole::kMemoryReport || about_time;
      if (!tells || each.bytes > (about_time ? kMaxMeasuredFile : kMaxSideFile)) return;
      const int32_t position = AddFile(side);
      if (position >= 0) program.with.push_back(position);
    };
    for (const int32_t side : stage.files) add_side(side);
    if (stage.name.role != StageRole::kPass) {
      for (const int32_t side : module.others) add_side(side);
      program.with.insert(program.with.end(), profiles_.begin(), profiles_.end());
    }
    return file < 0 || program.file >= 0;
  }

  // They count no bytes: a report about what was measured shows it.
  void AddProfiles() {
    for (const std::string& path : options_.profiles) {
      const Result<SourceBuffer> source = OpenDumpFile(path);
      if (!source) {
        data_.diagnostics.Add(source.error());
        continue;
      }
      const int32_t at = AddBlock(BaseName(path), FileRole::kTrace, source->bytes());
      if (at >= 0) profiles_.push_back(at);
    }
    bytes_ = 0;
  }

  // Adds a file unchanged; returns -1 with a diagnostic if it cannot be read.
  int32_t AddFile(int32_t file) {
    if (const auto known = positions_.find(file); known != positions_.end()) return known->second;
    const Result<SourceBuffer> source = OpenDumpFile(dump_->PathOf(file), dump_->Fence());
    if (!source) {
      data_.diagnostics.Add(source.error());
      return -1;
    }
    const int32_t position =
        AddBlock(BaseName(FileAt(file).path), FileAt(file).file_role, source->bytes());
    if (position >= 0) positions_.emplace(file, position);
    return position;
  }

  int32_t AddBlock(std::string name, FileRole file_role, std::string_view bytes) {
    const Result<std::string> compressed = Gzip(bytes);
    if (!compressed) {
      data_.diagnostics.Add(compressed.error());
      return -1;
    }
    data_.blocks.push_back(Base64(*compressed));
    bytes_ += data_.blocks.back().size();
    manifest_.files.push_back({std::move(name), file_role, bytes.size()});
    return static_cast<int32_t>(data_.blocks.size()) - 1;
  }

  // File names contain the module's name.
  std::string FileName(const DumpModule& module, const DumpStage& stage, std::string_view ending) {
    std::string name = ModuleName(module);
    if (module.number >= 0) name = "module_" + std::to_string(module.number) + "." + name;
    if (!stage.name.text.empty()) name += "." + StageText(stage);
    return name + std::string(ending);
  }

  bool AddRedacted(const DumpModule& module, const DumpStage& stage, int32_t file,
                   const std::vector<int32_t>& pieces, ManifestProgram& program) {
    if (file >= 0) {
      const std::string path = dump_->PathOf(file);
      const Document document = ReadDocument(OpenDumpFile(path, dump_->Fence()), path);
      if (document.errors() != 0 || document.modules.size() != 1) {
        data_.diagnostics.Add(MakeBinaryDiagnostic(
            diag::kNotHlo, 0, path + ": a file that is not a single module cannot be redacted"));
        return false;
      }
      program.file = AddBlock(FileName(module, stage, ".txt"), FileRole::kModuleText,
                              redactor_.Redacted(document.modules.front().module));
    }
    std::vector<SourceBuffer> sources;
    std::vector<std::string_view> texts;
    for (const int32_t piece : pieces) {
      Result<SourceBuffer> source = OpenDumpFile(dump_->PathOf(piece), dump_->Fence());
      if (!source) {
        data_.diagnostics.Add(source.error());
        return false;
      }
      sources.push_back(std::move(*source));
      texts.push_back(sources.back().bytes());
    }
    if (texts.empty()) return true;
    const AssignmentReadResult read = ReadAssignment(texts);
    for (size_t i = 0; i < pieces.size(); ++i) {
      const FileRole file_role = FileAt(pieces[i]).file_role;
      const std::string ending = file_role == FileRole::kAssignmentValues
                                     ? "-buffer-assignment-values.txt"
                                 : file_role == FileRole::kLiveRange ? "-live-range.txt"
                                                                     : "-buffer-assignment.txt";
      const int32_t position = AddBlock(FileName(module, stage, ending), file_role,
                                        redactor_.Redacted(read.assignment, read.pieces[i]));
      if (position >= 0) program.assignment.push_back(position);
    }
    return true;
  }

  void AddMissing() {
    std::set<int32_t> told;
    for (const Wanted& wanted : order_) {
      if (!told.insert(wanted.module).second) continue;
      const DumpModule& module = dump_->modules[static_cast<size_t>(wanted.module)];
      for (const MissingPiece& piece : module.missing) {
        manifest_.missing.push_back({ModuleName(module), RankName(module), piece});
      }
    }
  }

  // In dump order; the first chosen program is shown first.
  void SortPrograms() {
    std::vector<size_t> by(order_.size());
    for (size_t i = 0; i < by.size(); ++i) by[i] = i;
    std::sort(by.begin(), by.end(), [&](size_t a, size_t b) { return order_[a] < order_[b]; });
    std::vector<ManifestProgram> sorted;
    for (const size_t i : by) {
      if (i == 0) manifest_.first = sorted.size();
      sorted.push_back(std::move(manifest_.programs[i]));
    }
    manifest_.programs = std::move(sorted);
  }

  // The earlier program comes last. It counts no bytes: a report about two shows both.
  void AddAgainst() {
    const Dump& dump = *options_.against;
    const Result<Selection> selection =
        SelectEarlier(dump, dump_->modules[static_cast<size_t>(order_.front().module)].name);
    if (!selection) {
      data_.diagnostics.Add(selection.error());
      return;
    }
    dump_ = &dump;
    positions_.clear();
    const size_t before = manifest_.programs.size();
    AddProgram({selection->chosen.front().module, selection->chosen.front().stage});
    if (manifest_.programs.size() > before) manifest_.against = before;
  }

  const Dump* dump_;
  const ReportOptions& options_;
  Redactor redactor_;
  Manifest manifest_;
  ReportData data_;
  std::vector<Wanted> order_;
  std::vector<int32_t> profiles_;         // positions in the report
  std::map<int32_t, int32_t> positions_;  // maps dump files to positions in the report
  uint64_t bytes_ = 0;
};

// The programs of a page that fetches its files.
class ServedBuilder {
 public:
  explicit ServedBuilder(Manifest& manifest) : manifest_(manifest) {}

  // False if the stage has neither a module nor an assignment.
  bool Add(const Dump& dump, const Wanted& wanted) {
    const DumpModule& module = dump.modules[static_cast<size_t>(wanted.module)];
    const DumpStage& stage = module.stages[static_cast<size_t>(wanted.stage)];
    const int32_t file = dump.ModuleFileOf(stage);
    ManifestProgram program{module.name,
                            module.number,
                            dump.ranks[static_cast<size_t>(module.rank)],
                            module.backend,
                            module.architecture,
                            stage.name,
                            file < 0 ? -1 : Position(dump, file),
                            {},
                            {}};
    for (const int32_t piece : dump.AssignmentOf(stage)) {
      program.assignment.push_back(Position(dump, piece));
    }
    if (program.file < 0 && program.assignment.empty()) return false;
    served_.programs.push_back({program.file, program.assignment});
    manifest_.programs.push_back(std::move(program));
    return true;
  }

  ServedPrograms Take() { return std::move(served_); }

 private:
  int32_t Position(const Dump& dump, int32_t file) {
    std::string path = dump.PathOf(file);
    const auto [found, is_new] = positions_.emplace(path, static_cast<int32_t>(positions_.size()));
    if (is_new) {
      const DumpFile& each = dump.files[static_cast<size_t>(file)];
      served_.files.push_back({std::move(path), dump.Fence()});
      manifest_.files.push_back({BaseName(each.path), each.file_role, each.bytes});
    }
    return found->second;
  }

  Manifest& manifest_;
  ServedPrograms served_;
  std::map<std::string, int32_t> positions_;  // maps paths to positions in `files`
};

}  // namespace

ReportData MakeReport(const Dump& dump, const ReportOptions& options) {
  return Builder(dump, options).Build();
}

ServedPrograms MakeServed(const Dump& dump, const DumpChoice& choice, std::string_view view,
                          const Dump* against) {
  Manifest manifest;
  manifest.served = true;
  manifest.view = view;
  ServedBuilder builder(manifest);
  const Result<Selection> selection = SelectFromDump(dump, choice);
  for (size_t m = 0; m < dump.modules.size(); ++m) {
    const DumpModule& module = dump.modules[m];
    for (size_t s = 0; s < module.stages.size(); ++s) {
      const Wanted program = {static_cast<int32_t>(m), static_cast<int32_t>(s)};
      if (!builder.Add(dump, program)) continue;
      const bool is_first = selection && selection->chosen.front().module == program.module &&
                            selection->chosen.front().stage == program.stage;
      if (!is_first) continue;
      manifest.first = manifest.programs.size() - 1;
      manifest.title = module.name;
    }
    for (const MissingPiece& piece : module.missing) {
      manifest.missing.push_back(
          {module.name, dump.ranks[static_cast<size_t>(module.rank)], piece});
    }
  }
  if (against != nullptr && !manifest.programs.empty()) {
    const Result<Selection> earlier =
        SelectEarlier(*against, manifest.programs[manifest.first].module);
    if (earlier &&
        builder.Add(*against, {earlier->chosen.front().module, earlier->chosen.front().stage})) {
      manifest.against = manifest.programs.size() - 1;
    }
  }
  ServedPrograms served = builder.Take();
  served.manifest = ManifestJson(manifest);
  return served;
}

bool HasDataSlot(std::string_view page) {
  const size_t begin = page.find(kBegin);
  return begin != std::string_view::npos && page.find(kEnd, begin) != std::string_view::npos;
}

bool WritePage(std::string_view page, std::string_view manifest,
               const std::vector<std::string>& blocks,
               const std::function<bool(std::string_view)>& take) {
  if (!HasDataSlot(page)) return false;
  const size_t begin = page.find(kBegin);
  const size_t end = page.find(kEnd, begin);
  bool fine = take(page.substr(0, begin + kBegin.size())) &&
              take("<script type=\"application/json\" id=\"halo-manifest\">") && take(manifest) &&
              take("</script>");
  for (size_t i = 0; fine && i < blocks.size(); ++i) {
    fine = take("\n<script type=\"application/octet-stream\" id=\"halo-data-" + std::to_string(i) +
                "\">") &&
           take(blocks[i]) && take("</script>");
  }
  return fine && take(page.substr(end));
}

}  // namespace halo
