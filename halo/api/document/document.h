// Opening a file, whatever it turns out to be: its kind is decided by what it holds, its modules
// are read, and everything that was wrong with it is collected. What to show of it is the caller's.
#ifndef HALO_API_DOCUMENT_DOCUMENT_H_
#define HALO_API_DOCUMENT_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/base/io/source_buffer.h"
#include "halo/dump/file_kind.h"
#include "halo/ir/module.h"
#include "halo/memory/model/assignment.h"
#include "halo/memory/text/memory_report.h"

namespace halo {

struct OpenOptions {
  int threads = 1;
  bool keep_source = false;
};

// What a proto holds beside its module, for writing it back; views into Document::source.
struct ProtoParts {
  std::vector<int64_t> instruction_ids;
  std::vector<int64_t> computation_ids;
  std::vector<std::string_view> kept_fields;
  std::string_view buffer_assignment;  // encoded; empty if there is none
  std::vector<LiteralId> arguments;    // a snapshot's
  LiteralId result;
  std::string_view execution_platform;
};

struct DocumentModule {
  Module module;
  Diagnostics diagnostics;
  ProtoParts proto;
  std::string section;  // its frame's name in a capture; empty when the file is the module
};

// A frame of a capture that holds something else.
struct OtherSection {
  std::string name;
  FileKind kind = FileKind::kText;
};

// What a file of a dump says about memory: pieces of an assignment, or a report.
struct DocumentMemory {
  Assignment assignment;
  AssignmentPieces pieces;
  std::optional<MemoryReport> report;
  Diagnostics diagnostics;
};

struct Document {
  std::string path;
  FileKind kind = FileKind::kEmpty;
  Compression compression = Compression::kNone;
  uint64_t stored_bytes = 0;
  uint64_t bytes = 0;  // once decompressed
  std::vector<DocumentModule> modules;
  std::optional<DocumentMemory> memory;
  std::vector<OtherSection> others;
  Diagnostics diagnostics;             // of the file as a whole
  std::optional<SourceBuffer> source;  // of protos, and if it was asked for

  [[nodiscard]] size_t errors() const;
  [[nodiscard]] size_t warnings() const;
  // All diagnostics, the file's first, then each module's in the order of its text.
  [[nodiscard]] std::vector<const Diagnostic*> AllDiagnostics() const;
  [[nodiscard]] bool from_text() const {
    return kind == FileKind::kHloText || kind == FileKind::kHloCapture;
  }
  [[nodiscard]] bool from_proto() const { return HoldsModules(kind) && !from_text(); }
};

// "-" is standard input. Never fails: what went wrong stands in the diagnostics.
Document OpenDocument(const std::string& path, const OpenOptions& options = {});
// The same of bytes that were opened elsewhere; `path` is what they are called.
Document ReadDocument(Result<SourceBuffer> source, std::string path,
                      const OpenOptions& options = {});

// What a document says of its file, without the contents: for answers about files that stay open.
Document DescriptionOf(const Document& document);

// For questions that only a module can answer: a document without any gets an error that says what
// the file is instead.
void RequireModules(Document& document);
// The same for questions that any file with contents known to us can answer.
void RequireContents(Document& document);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_DOCUMENT_H_
