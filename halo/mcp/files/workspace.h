// Programs that a client has named, opened on first use. A program is identified by the path of
// its file, so ids stay valid when a program is closed and when the server starts again. Files that
// changed are read again.
#ifndef HALO_MCP_FILES_WORKSPACE_H_
#define HALO_MCP_FILES_WORKSPACE_H_

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/api/memory/memory.h"
#include "halo/api/time/time.h"
#include "halo/dump/dump.h"
#include "halo/dump/select.h"
#include "halo/mcp/files/roots.h"
#include "halo/view/model/view.h"

namespace halo::mcp {

using Progress = std::function<void(std::string_view message)>;

// One program with the files that belong to it.
class Program {
 public:
  Program(std::string id, std::vector<std::shared_ptr<const Document>> documents);

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const Document& document() const { return *view_.documents().front(); }
  [[nodiscard]] view::View& view() { return view_; }
  // The largest of its modules; null if the file is no program.
  [[nodiscard]] view::ModuleView* module() { return view_.module(-1); }

  // The result of the same request the last time, or a new one. `key` identifies the request.
  const MemoryResult& Memory(const std::string& key, const MemoryRequest& request);
  const TimeResult& Time(const std::string& key, const TimeRequest& request);

 private:
  std::string id_;
  view::View view_;
  std::string memory_key_, time_key_;
  std::unique_ptr<MemoryResult> memory_;
  std::unique_ptr<TimeResult> time_;
};

// What a client names: a file, or a folder or an archive and what to choose from it.
struct ProgramName {
  std::string path;
  DumpChoice choice = {};
};

class Workspace {
 public:
  explicit Workspace(Roots roots);

  [[nodiscard]] const Roots& roots() const { return roots_; }
  // The program stays open until others replace it; `why` says why this file was chosen, if there
  // was a choice.
  Result<std::shared_ptr<Program>> Open(const ProgramName& name, const Progress& progress,
                                        std::string* why = nullptr);
  // A folder or an archive that was resolved.
  [[nodiscard]] static Result<Dump> Index(const std::string& path);

 private:
  struct Opened {
    std::vector<std::string> stamps;  // of its files
    std::shared_ptr<Program> program;
  };

  // The module's file and the pieces of its assignment.
  Result<std::vector<std::string>> FilesOf(const ProgramName& name, std::string* why) const;
  [[nodiscard]] Result<std::vector<std::string>> WithNeighbours(
      std::vector<std::string> files) const;

  Roots roots_;
  std::list<Opened> opened_;  // the most recent first
};

// True if the path is that of a folder or of an archive of one.
bool IsFolderOrArchive(const std::string& path);

}  // namespace halo::mcp

#endif  // HALO_MCP_FILES_WORKSPACE_H_
