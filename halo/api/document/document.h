// Opens a file of any kind: detects the kind from its contents, reads its modules, and collects
// everything that was wrong with it. The caller decides what to show.
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
  bool module_beside = true;  // look for that of a serialized assignment
};

// What a proto contains besides its module, for writing it back; views into Document::source.
struct ProtoParts {
  std::vector<int64_t> instruction_ids;
  std::vector<int64_t> computation_ids;
  std::vector<std::string_view> kept_fields;
  std::string_view buffer_assignment;  // encoded; empty if there is none
  std::vector<LiteralId> arguments;    // from a snapshot
  LiteralId result;
  std::string_view execution_platform;
};

struct DocumentModule {
  Module module;
  Diagnostics diagnostics;
  ProtoParts proto;
  std::string section;  // the name of its frame in a capture; empty if the file is the module
};

// A frame of a capture that is not a module.
struct OtherSection {
  std::string name;
  FileKind kind = FileKind::kText;
};

// What a dump file contains about memory: pieces of an assignment, or a report.
struct DocumentMemory {
  Assignment assignment;
  AssignmentPieces pieces;
  std::optional<MemoryReport> report;
  Diagnostics diagnostics;
};

struct Document {
  std::string path;
  bool is_found = false;  // not given, but found next to a file that was
  FileKind kind = FileKind::kEmpty;
  Compression compression = Compression::kNone;
  uint64_t stored_bytes = 0;
  uint64_t bytes = 0;  // after decompression
  std::vector<DocumentModule> modules;
  std::optional<DocumentMemory> memory;
  std::vector<OtherSection> others;
  Diagnostics diagnostics;             // about the file as a whole
  std::optional<SourceBuffer> source;  // kept for protos, and on request

  [[nodiscard]] size_t errors() const;
  [[nodiscard]] size_t warnings() const;
  // All diagnostics: those of the file, then those of each module in text order.
  [[nodiscard]] std::vector<const Diagnostic*> AllDiagnostics() const;
  [[nodiscard]] bool from_text() const {
    return kind == FileKind::kHloText || kind == FileKind::kHloCapture;
  }
  [[nodiscard]] bool from_proto() const { return HoldsModules(kind) && !from_text(); }
};

// "-" is standard input. Never fails: problems are reported in the diagnostics.
Document OpenDocument(const std::string& path, const OpenOptions& options = {});
// The same for bytes that were opened elsewhere; `path` is their name.
Document ReadDocument(Result<SourceBuffer> source, std::string path,
                      const OpenOptions& options = {});

// A document's description of its file without the contents, for results about files that stay
// open.
Document DescriptionOf(const Document& document);

// For requests that need a module: adds an error that says what the file is instead if the document
// has no modules.
void RequireModules(Document& document);
// The same for requests that any file with known contents can serve.
void RequireContents(Document& document);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_DOCUMENT_H_
