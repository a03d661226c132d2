// A neighbour that a link leads out of the folders is refused, not skipped: the analyses look for
// the same names.
#include "halo/mcp/files/workspace.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "halo/api/memory/memory_inputs.h"
#include "halo/api/time/time_inputs.h"
#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/dump/dump_name.h"
#include "halo/dump/open_file.h"
#include "halo/dump/walk.h"

namespace halo::mcp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostOpened = 4;

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsPieceName(std::string_view name) {
  return name.find("-buffer-assignment") != std::string_view::npos ||
         name.find("-live-range") != std::string_view::npos;
}

// Changes when the file does.
std::string StampOf(std::string path) {
  std::error_code failed;
  while (!path.empty() && !fs::is_regular_file(path, failed)) {
    path = fs::path(path).parent_path().string();
    if (path == "/") break;
  }
  // Some libraries count in 128 bits.
  const auto time =
      static_cast<int64_t>(fs::last_write_time(path, failed).time_since_epoch().count());
  const auto bytes = fs::file_size(path, failed);
  return path + ":" + std::to_string(time) + ":" + std::to_string(failed ? 0 : bytes);
}

std::vector<std::string> StampsOf(const std::vector<std::string>& files) {
  std::vector<std::string> stamps;
  stamps.reserve(files.size());
  for (const std::string& file : files) stamps.push_back(file + "|" + StampOf(file));
  return stamps;
}

}  // namespace

Program::Program(std::string id, std::vector<std::shared_ptr<const Document>> documents)
    : id_(std::move(id)), view_(std::move(documents)) {}

const MemoryResult& Program::Memory(const std::string& key, const MemoryRequest& request) {
  if (memory_ == nullptr || memory_key_ != key) {
    memory_ = std::make_unique<MemoryResult>(AnalyzeMemory(request, view_.Inputs()));
    memory_key_ = key;
  }
  return *memory_;
}

const TimeResult& Program::Time(const std::string& key, const TimeRequest& request) {
  if (time_ == nullptr || time_key_ != key) {
    TimeInputs inputs;
    for (const auto& each : view_.documents()) inputs.documents.push_back(DescriptionOf(*each));
    inputs.module = &module()->module();
    inputs.module_path = module()->document().path;
    FindTimeTexts(inputs);
    time_ = std::make_unique<TimeResult>(AnalyzeTime(request, std::move(inputs)));
    time_key_ = key;
  }
  return *time_;
}

Workspace::Workspace(Roots roots) : roots_(std::move(roots)) {}

bool IsFolderOrArchive(const std::string& path) {
  return IsFolder(path) || ParseDumpName(NameOf(path)).file_role == FileRole::kArchive;
}

Result<Dump> Workspace::Index(const std::string& path) { return IndexDump(path); }

Result<std::vector<std::string>> Workspace::FilesOf(const ProgramName& name,
                                                    std::string* why) const {
  const Result<std::string> path = roots_.Resolve(name.path);
  if (!path) return path.error();
  if (!IsFolderOrArchive(*path) && !name.choice.is_given()) return WithNeighbours({*path});
  const Result<Dump> dump = Index(*path);
  if (!dump) return dump.error();
  const Result<Selection> selection = SelectFromDump(*dump, name.choice);
  if (!selection) return selection.error();
  if (why != nullptr) *why = selection->why;
  const Chosen& chosen = selection->chosen.front();
  std::vector<std::string> files = {dump->PathOf(chosen.file)};
  const DumpModule& module = dump->modules[static_cast<size_t>(chosen.module)];
  for (const int32_t piece : dump->AssignmentOf(module.stages[static_cast<size_t>(chosen.stage)])) {
    if (piece != chosen.file) files.push_back(dump->PathOf(piece));
  }
  return WithNeighbours(std::move(files));
}

Result<std::vector<std::string>> Workspace::WithNeighbours(std::vector<std::string> files) const {
  std::vector<std::string> names = NamesBeside(files.front());
  for (std::string& text : TimeTextNames(files.front())) names.push_back(std::move(text));
  const bool is_piece = IsPieceName(NameOf(files.front()));
  bool has_module = !is_piece;
  for (const std::string& name : names) {
    if (!DumpFileExists(name)) continue;
    if (!roots_.Contains(name)) {
      Diagnostic why =
          MakeBinaryDiagnostic(diag::kCannotOpen, 0,
                               roots_.Shown(name) +
                                   " belongs to the program but leads out of the folders that this "
                                   "server may read");
      why.help = "replace the link by a copy of the file";
      return why;
    }
    if (std::find(files.begin(), files.end(), name) != files.end()) continue;
    if (IsPieceName(NameOf(name))) {
      files.push_back(name);
    } else if (!has_module && ParseDumpName(NameOf(name)).file_role != FileRole::kAutotuning &&
               ParseDumpName(NameOf(name)).file_role != FileRole::kTargetConfig) {
      // The module is the program, whichever of its files was named.
      files.insert(files.begin(), name);
      has_module = true;
    }
  }
  return files;
}

Result<std::shared_ptr<Program>> Workspace::Open(const ProgramName& name, const Progress& progress,
                                                 std::string* why) {
  const Result<std::vector<std::string>> files = FilesOf(name, why);
  if (!files) return files.error();
  const std::vector<std::string> stamps = StampsOf(*files);
  for (auto it = opened_.begin(); it != opened_.end(); ++it) {
    if (it->stamps != stamps) continue;
    opened_.splice(opened_.begin(), opened_, it);
    return opened_.front().program;
  }
  std::vector<std::shared_ptr<const Document>> documents;
  for (const std::string& file : *files) {
    progress("reading " + roots_.Shown(file));
    auto document = std::make_shared<Document>(
        ReadDocument(OpenDumpFile(file), roots_.Shown(file), {.keep_source = true}));
    const bool is_first = documents.empty();
    const bool is_new = std::none_of(documents.begin(), documents.end(), [&](const auto& each) {
      return each->kind == document->kind;
    });
    if (!is_first && (!is_new || !document->memory || document->memory->report)) continue;
    // The analyses look for neighbours by this path.
    document->path = file;
    documents.push_back(std::move(document));
  }
  if (documents.front()->kind == FileKind::kEmpty && documents.front()->errors() != 0) {
    Diagnostic unreadable = *documents.front()->AllDiagnostics().front();
    return unreadable;
  }
  std::erase_if(opened_, [&](const Opened& each) {
    return each.program->id() == roots_.Shown(files->front());
  });
  opened_.push_front(
      {stamps, std::make_shared<Program>(roots_.Shown(files->front()), std::move(documents))});
  if (opened_.size() > kMostOpened) opened_.pop_back();
  return opened_.front().program;
}

}  // namespace halo::mcp
