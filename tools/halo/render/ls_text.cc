// One row per module. The same module of several ranks is one row as long as the stages agree.
#include "tools/halo/render/ls_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "halo/base/strings/human_size.h"
#include "tools/halo/terminal/fit_text.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

constexpr size_t kFileNameWidth = 48;
constexpr size_t kMaxListed = 20;

std::string Size(uint64_t bytes) { return HumanBytes(static_cast<int64_t>(bytes)); }

const DumpFile& FileAt(const Dump& dump, int32_t file) {
  return dump.files[static_cast<size_t>(file)];
}

// The size of a stage's module, marked if there is no text.
std::string ModuleCell(const Dump& dump, const DumpStage& stage) {
  const int32_t file = dump.ModuleFileOf(stage);
  if (file < 0) return "-";
  const DumpFile& found = FileAt(dump, file);
  const std::string_view form = found.file_role == FileRole::kModuleProto     ? " pb"
                                : found.file_role == FileRole::kModuleRiegeli ? " riegeli"
                                                                              : "";
  const std::string_view packed = found.compression == Compression::kGzip   ? " gz"
                                  : found.compression == Compression::kZstd ? " zst"
                                                                            : "";
  return Phrase("{}{}{}", Size(found.bytes), form, packed);
}

// The columns of a module's row.
struct Summary {
  std::string before = "-";
  std::string passes = "-";
  std::string after = "-";
  std::string assignment = "-";
  size_t others = 0;
};

Summary Summarize(const Dump& dump, const DumpModule& module) {
  Summary summary;
  size_t steps = 0;
  size_t named = 0;
  uint64_t assignment = 0;
  for (const DumpStage& stage : module.stages) {
    const StageRole role = stage.name.role;
    if (role == StageRole::kBefore) summary.before = ModuleCell(dump, stage);
    if (role == StageRole::kPass) ++steps;
    if (role == StageRole::kNamed) ++named;
    if (role == StageRole::kAfter || role == StageRole::kOnly) {
      const std::string cell = ModuleCell(dump, stage);
      if (cell != "-") summary.after = cell;
    }
    for (const int32_t piece : dump.AssignmentOf(stage)) assignment += FileAt(dump, piece).bytes;
  }
  if (steps + named != 0) summary.passes = std::to_string(steps + named);
  if (assignment != 0) summary.assignment = Size(assignment);
  summary.others = module.others.size();
  return summary;
}

std::string BackendCell(const DumpModule& module) {
  if (module.architecture.empty()) return module.backend.empty() ? "-" : module.backend;
  return module.backend + " " + module.architecture;
}

std::string NumberCell(const DumpModule& module) {
  return module.number < 0 ? "-" : std::to_string(module.number);
}

class Writer {
 public:
  Writer(const Dump& dump, const LsTextOptions& options) : dump_(dump), options_(options) {}

  std::string Text() {
    Head();
    Modules();
    Missing();
    if (options_.files) {
      Files();
    } else {
      Unknown();
    }
    Skipped();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string Bold(std::string_view text) const {
    return Painted(text, Paint::kBold, options_.color);
  }

  [[nodiscard]] const std::string& RankOf(const DumpModule& module) const {
    return dump_.ranks[static_cast<size_t>(module.rank)];
  }

  // On a terminal, the table fits names to the space there is.
  [[nodiscard]] std::string Cut(std::string_view name, size_t width) const {
    return options_.width != 0 ? std::string(name) : Shortened(name, width);
  }

  void Head() {
    out_ += Bold(dump_.root);
    out_ += Phrase(": {}, {}, {}", Counted(dump_.files.size(), "file"), Size(dump_.bytes),
                   Counted(dump_.modules.size(), "module"));
    if (dump_.ranks.size() > 1) out_ += Phrase(" in {} folders", dump_.ranks.size());
    out_ += "\n";
  }

  // Modules shown in one row: same number, name and stages, from several ranks.
  using Key = std::tuple<int64_t, std::string, std::string, std::vector<std::string>>;
  void Modules() {
    if (dump_.modules.empty()) return;
    std::map<Key, std::vector<const DumpModule*>> rows;
    std::vector<const std::vector<const DumpModule*>*> order;
    for (const DumpModule& module : dump_.modules) {
      Key key{module.number, module.name, module.timestamp, {}};
      for (const DumpStage& stage : module.stages) std::get<3>(key).push_back(stage.name.text);
      auto& row = rows[key];
      if (row.empty()) order.push_back(&row);
      row.push_back(&module);
    }
    const bool with_ranks = dump_.ranks.size() > 1;
    TextTable table(with_ranks ? "rnnlrrrrr" : "rnlrrrrr");
    std::vector<std::string> titles = {"#",      "module", "backend",    "before",
                                       "passes", "after",  "assignment", "other"};
    if (with_ranks) titles.insert(titles.begin() + 2, "folder");
    table.Add(std::move(titles));
    for (const auto* row : order) {
      const DumpModule& module = *row->front();
      const Summary summary = Summarize(dump_, module);
      std::vector<std::string> cells = {NumberCell(module),  Cut(module.name, kFileNameWidth),
                                        BackendCell(module), summary.before,
                                        summary.passes,      summary.after,
                                        summary.assignment,  std::to_string(summary.others)};
      if (with_ranks) cells.insert(cells.begin() + 2, RankCell(*row));
      table.Add(std::move(cells));
      if (row->size() > 1) FindDifferences(*row);
    }
    out_ += table.Text(2, options_.width);
    for (const std::string& line : differences_) out_ += "  " + line + "\n";
  }

  [[nodiscard]] std::string RankCell(const std::vector<const DumpModule*>& row) const {
    const std::string first = RankOf(*row.front());
    if (row.size() == 1) return first.empty() ? "." : Cut(first, kFileNameWidth);
    return Phrase("{} ... {} ({})", Shortened(first, 24), Shortened(RankOf(*row.back()), 24),
                  row.size());
  }

  // Finds ranks of one program that were compiled to texts of different sizes.
  void FindDifferences(const std::vector<const DumpModule*>& row) {
    for (size_t s = 0; s < row.front()->stages.size(); ++s) {
      std::map<uint64_t, size_t> sizes;
      for (const DumpModule* module : row) {
        const int32_t file = dump_.ModuleFileOf(module->stages[s]);
        if (file >= 0) ++sizes[FileAt(dump_, file).bytes];
      }
      if (sizes.size() < 2) continue;
      std::string line = Phrase("differs between folders: {} {},", row.front()->name,
                                row.front()->stages[s].label());
      size_t named = 0;
      for (const auto& [size, count] : sizes) {
        if (++named > 3) break;
        line += Phrase(" {} of {} bytes{}", count, GroupedDigits(static_cast<int64_t>(size)),
                       named == std::min<size_t>(sizes.size(), 3) ? "" : ",");
      }
      if (sizes.size() > 3) line += Phrase(", {} more sizes", sizes.size() - 3);
      differences_.push_back(std::move(line));
      return;
    }
  }

  void Missing() {
    // Pieces that are missing for the same reason are reported once.
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> needed;
    std::map<std::string, std::set<std::string>> wanted;
    std::map<std::string, std::string> why;
    for (const DumpModule& module : dump_.modules) {
      for (const MissingPiece& piece : module.missing) {
        if (piece.needed) {
          needed[{piece.what, piece.flag}].push_back(NumberCell(module) + " " + module.name);
          why[piece.what] = piece.why;
        } else {
          wanted[piece.what].insert(piece.flag);
        }
      }
    }
    if (!needed.empty()) out_ += Bold("missing") + "\n";
    for (const auto& [key, modules] : needed) {
      const auto& [what, flag] = key;
      const std::string who = modules.size() == 1
                                  ? modules.front()
                                  : Phrase("{} and {} more", modules.front(), modules.size() - 1);
      out_ += Phrase("  {} of {}: {}{}\n", what, who, why[what], flag.empty() ? "" : "; " + flag);
    }
    if (wanted.empty()) return;
    out_ += "to dump more next time\n";
    TextTable table("lt");
    for (const auto& [what, flags] : wanted) table.Add({*flags.begin(), what});
    out_ += table.Text(2, options_.width);
  }

  void Unknown() {
    TextTable table("nrt");
    size_t count = 0;
    for (const DumpFile& file : dump_.files) {
      if (file.file_role != FileRole::kUnknown) continue;
      if (++count <= kMaxListed) {
        table.Add({Cut(file.path, 80), Size(file.bytes), file.looks_like});
      }
    }
    if (count == 0) return;
    out_ += Bold("unknown") + "\n" + table.Text(2, options_.width);
    if (count > kMaxListed) out_ += Phrase("  ... {} more: --files\n", count - kMaxListed);
  }

  void Files() {
    TextTable table("lrt");
    for (const DumpFile& file : dump_.files) {
      std::string what(TextOf(file.file_role));
      if (file.file_role == FileRole::kUnknown) what += ": " + file.looks_like;
      table.Add({std::move(what), Size(file.bytes), file.path});
    }
    out_ += Bold("files") + "\n" + table.Text(2, options_.width);
  }

  void Skipped() {
    if (dump_.skipped_count == 0) return;
    out_ += Bold("left out") + "\n";
    size_t count = 0;
    bool any_links = false;
    for (const SkippedPath& each : dump_.skipped) {
      any_links |= each.why == kLinkLeadsOut;
      if (++count > kMaxListed) continue;
      out_ += Phrase("  {}: {}\n", each.path, each.why);
    }
    if (dump_.skipped_count > kMaxListed) {
      out_ += Phrase("  ... {} more\n", dump_.skipped_count - kMaxListed);
    }
    if (any_links) out_ += "  use --follow to list what links outside the folder point to\n";
  }

  const Dump& dump_;
  LsTextOptions options_;
  std::string out_;
  std::vector<std::string> differences_;
};

std::string PassCell(const StageName& stage) {
  if (stage.role != StageRole::kPass) return {};
  if (stage.pass.empty()) return "begin of " + stage.pipeline;
  return stage.pass;
}

}  // namespace

std::string LsText(const Dump& dump, const LsTextOptions& options) {
  return Writer(dump, options).Text();
}

std::string LsModuleText(const Dump& dump, const DumpModule& module, const LsTextOptions& options) {
  const std::string& rank = dump.ranks[static_cast<size_t>(module.rank)];
  std::string out =
      Phrase("{} {}, {}{}, {}\n", NumberCell(module), module.name, BackendCell(module),
             rank.empty() ? "" : ", " + rank, Size(module.bytes));
  TextTable table("lnnrt");
  for (const DumpStage& stage : module.stages) {
    std::string also;
    for (const int32_t file : stage.files) {
      const FileRole each = FileAt(dump, file).file_role;
      if (each == FileRole::kModuleText) continue;
      also += (also.empty() ? "" : ", ") + std::string(TextOf(each));
    }
    table.Add({std::string(TextOf(stage.name.role)), std::string(stage.label()),
               PassCell(stage.name), ModuleCell(dump, stage), also});
  }
  out += table.Text(2, options.width);
  if (!module.others.empty()) out += "  also\n";
  TextTable others("lrt");
  for (const int32_t file : module.others) {
    const DumpFile& each = FileAt(dump, file);
    others.Add({std::string(TextOf(each.file_role)), Size(each.bytes), each.path});
  }
  out += others.Text(4, options.width);
  if (options.files) {
    TextTable files("rt");
    for (const DumpStage& stage : module.stages) {
      for (const int32_t file : stage.files) {
        files.Add({Size(FileAt(dump, file).bytes), FileAt(dump, file).path});
      }
    }
    out += "  files\n" + files.Text(4, options.width);
  }
  return out;
}

}  // namespace halo::tool
