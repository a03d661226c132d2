// Turns bytes into modules.
#include "halo/api/document/document.h"

#include <memory>
#include <utility>

#include "halo/api/document/module_beside.h"
#include "halo/dump/open_file.h"
#include "halo/ir/ir_diagnostics.h"
#include "halo/memory/text/read_assignment.h"
#include "halo/proto/read/buffer_assignment_proto.h"
#include "halo/proto/read/read_proto.h"
#include "halo/proto/records/split_proto.h"
#include "halo/text/framing/framing.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

void ReadSections(FramedText framed, const OpenOptions& options, Document& document) {
  for (TextSection& section : framed.sections) {
    const FileKind kind = DetectKind(section.text.bytes());
    if (!HoldsModules(kind)) {
      document.others.push_back({std::move(section.name), kind});
      continue;
    }
    TextReadResult read = ReadHloText(section.text, {.threads = options.threads});
    read.diagnostics.Shift(section.bytes_before, section.lines_before);
    document.modules.push_back(
        {std::move(read.module), std::move(read.diagnostics), {}, std::move(section.name)});
  }
}

void ReadText(const SourceBuffer& source, const OpenOptions& options, Document& document) {
  if (document.kind == FileKind::kHloCapture) {
    ReadSections(SplitText(source), options, document);
    return;
  }
  TextReadResult read = ReadHloText(source, {.threads = options.threads});
  if (!read.diagnostics.ok() && BeginsWithModule(source.bytes())) {
    // Looking for more modules costs a pass over the text, so this is done only when something is
    // wrong.
    FramedText framed = SplitText(source);
    if (!framed.sections.empty()) {
      document.kind = FileKind::kHloCapture;
      ReadSections(std::move(framed), options, document);
      return;
    }
  }
  document.modules.push_back({std::move(read.module), std::move(read.diagnostics), {}, {}});
}

void ReadProto(std::string_view bytes, std::string section, Document& document) {
  ProtoReadResult read = ReadHloProto(bytes);
  DocumentModule& module = document.modules.emplace_back();
  module.section = std::move(section);
  module.module = std::move(read.module);
  module.diagnostics = std::move(read.diagnostics);
  module.proto = {std::move(read.instruction_ids), std::move(read.computation_ids),
                  std::move(read.kept_fields),     read.buffer_assignment,
                  std::move(read.arguments),       read.result,
                  read.execution_platform};
}

// The same bytes as a source, without a copy where possible.
Result<SourceBuffer> Padded(std::string bytes, std::string name) {
  const size_t size = bytes.size();
  const auto owner = std::make_shared<std::string>(std::move(bytes));
  owner->append(SourceBuffer::kPadding, '\0');
  return SourceBuffer::Adopt(owner, std::string_view(*owner).substr(0, size), std::move(name));
}

// Records without a module count as well: joining them says what is wrong, or what they hold.
bool IsSplit(FileKind kind) {
  return kind == FileKind::kHloRecords || kind == FileKind::kExecutableRecords ||
         kind == FileKind::kRecords;
}

void ReadMemory(const SourceBuffer& source, Document& document) {
  const bool is_report = document.kind == FileKind::kMemoryUsageReport;
  const bool is_assignment = document.kind == FileKind::kBufferAssignment ||
                             document.kind == FileKind::kBufferAssignmentValues ||
                             document.kind == FileKind::kLiveRange;
  if (!is_report && !is_assignment) return;
  DocumentMemory& memory = document.memory.emplace();
  if (is_report) {
    memory.report = ReadMemoryReport(source.bytes(), memory.diagnostics);
    return;
  }
  AssignmentReadResult read = ReadAssignment(source.bytes());
  memory.assignment = std::move(read.assignment);
  memory.pieces = read.pieces.front();
  memory.diagnostics = std::move(read.diagnostics.front());
}

}  // namespace

Document DescriptionOf(const Document& document) {
  Document shell;
  shell.path = document.path;
  shell.is_found = document.is_found;
  shell.kind = document.kind;
  shell.compression = document.compression;
  shell.stored_bytes = document.stored_bytes;
  shell.bytes = document.bytes;
  shell.diagnostics.Append(document.diagnostics);
  for (const DocumentModule& each : document.modules) shell.diagnostics.Append(each.diagnostics);
  if (document.memory) shell.diagnostics.Append(document.memory->diagnostics);
  return shell;
}

size_t Document::errors() const {
  size_t count = diagnostics.errors() + (memory ? memory->diagnostics.errors() : 0);
  for (const DocumentModule& each : modules) count += each.diagnostics.errors();
  return count;
}

size_t Document::warnings() const {
  size_t count = diagnostics.warnings() + (memory ? memory->diagnostics.warnings() : 0);
  for (const DocumentModule& each : modules) count += each.diagnostics.warnings();
  return count;
}

std::vector<const Diagnostic*> Document::AllDiagnostics() const {
  std::vector<const Diagnostic*> all;
  for (const Diagnostic& each : diagnostics.all()) all.push_back(&each);
  for (const DocumentModule& module : modules) {
    for (const Diagnostic& each : module.diagnostics.all()) all.push_back(&each);
  }
  if (memory) {
    for (const Diagnostic& each : memory->diagnostics.all()) all.push_back(&each);
  }
  return all;
}

Document OpenDocument(const std::string& path, const OpenOptions& options) {
  Result<SourceBuffer> source = OpenDumpFile(path);
  const std::string name = path == "-" ? "<stdin>" : path;
  if (!source || !options.module_beside || !LooksLikeBufferAssignment(source->bytes())) {
    return ReadDocument(std::move(source), name, options);
  }
  const uint64_t stored = source->stored_size();
  const Compression compression = source->compression();
  Document document = ReadDocument(WithModuleBeside(std::move(*source), path), name, options);
  document.stored_bytes = stored;
  document.compression = compression;
  return document;
}

Document ReadDocument(Result<SourceBuffer> source, std::string path, const OpenOptions& options) {
  Document document;
  document.path = std::move(path);
  if (!source) {
    document.diagnostics.Add(source.error());
    return document;
  }
  document.compression = source->compression();
  document.stored_bytes = source->stored_size();
  document.bytes = source->bytes().size();
  document.kind = DetectKind(source->bytes());
  if (IsSplit(document.kind)) {
    Result<std::string> joined = JoinSplitModule(source->bytes(), document.path);
    if (!joined) {
      document.diagnostics.Add(joined.error());
      return document;
    }
    source = Padded(*std::move(joined), source->name());
    if (!source) {
      document.diagnostics.Add(source.error());
      return document;
    }
    document.bytes = source->bytes().size();
  }
  if (document.from_text()) ReadText(*source, options, document);
  if (document.kind == FileKind::kXSpace) {
    for (const PackedFile& each : ListPacked(source->bytes()).files) {
      ReadProto(source->bytes().substr(each.offset, each.bytes), each.name, document);
    }
  } else if (document.from_proto()) {
    ReadProto(source->bytes(), {}, document);
  }
  ReadMemory(*source, document);
  for (DocumentModule& each : document.modules) each.diagnostics.Sort();
  if (options.keep_source || document.from_proto()) document.source = std::move(*source);
  return document;
}

void RequireModules(Document& document) {
  if (!document.modules.empty() || !document.diagnostics.ok()) return;
  Diagnostic none = MakeBinaryDiagnostic(
      diag::kNotHlo, 0, "no module here: this is " + std::string(DescribeKind(document.kind)));
  if (!HoldsModules(document.kind)) none.help = InsteadOf(document.kind);
  document.diagnostics.Add(std::move(none));
}

void RequireContents(Document& document) {
  if (!document.memory) RequireModules(document);
}

}  // namespace halo
