// Identifies files by their first lines. HLO text without its first line is recognized by the form
// of its instructions, so that check comes last.
#include "halo/dump/file_kind.h"

#include <algorithm>
#include <array>
#include <string>

#include "halo/base/io/source_buffer.h"
#include "halo/ir/types/element_type.h"
#include "halo/profile/xplane.h"
#include "halo/proto/read/buffer_assignment_proto.h"
#include "halo/proto/read/read_proto.h"
#include "halo/proto/records/riegeli.h"
#include "halo/proto/records/split_proto.h"
#include "halo/text/framing/framing.h"
#include "halo/text/read/cursor.h"

namespace halo {
namespace {

struct KindRow {
  std::string_view text, what, instead;
};
constexpr std::array kKinds = {
#define HALO_FILE_KIND(name, text, what, instead) KindRow{text, what, instead},
#include "halo/dump/file_kinds.def"
};

constexpr size_t kLookedAt = size_t{64} << 10;
constexpr size_t kSample = 4096;

const KindRow& RowOf(FileKind kind) { return kKinds[static_cast<size_t>(kind)]; }

bool IsText(std::string_view bytes) {
  return std::none_of(
      bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(std::min(bytes.size(), kSample)),
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\033';
      });
}

// As PowerShell redirects output: ASCII characters, each with a zero byte beside it.
bool IsUtf16(std::string_view bytes) {
  const bool has_mark = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
  const size_t begin = has_mark ? 2 : 0;
  const size_t units = std::min(bytes.size() - begin, kSample) / 2;
  const size_t low = bytes.starts_with("\xFE\xFF") || bytes.starts_with('\0') ? 1 : 0;
  size_t plain = 0;
  for (size_t i = 0; i < units; ++i) {
    const size_t at = begin + 2 * i;
    if (bytes[at + 1 - low] == '\0' && IsText(bytes.substr(at + low, 1))) ++plain;
  }
  return units > (has_mark ? 0 : 3) && plain * 10 >= units * 9;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Iterates over the lines that carry information.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool Next(std::string_view& line) {
    while (!rest_.empty()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      while (!line.empty() && IsClass(line.back(), kBlank)) line.remove_suffix(1);
      if (!line.empty()) return true;
    }
    return false;
  }

 private:
  std::string_view rest_;
};

// True if every line, up to a limit, is `xla_name: value`.
bool IsDebugOptions(std::string_view head) {
  Lines lines(head);
  std::string_view line;
  int seen = 0;
  for (; seen < 8 && lines.Next(line); ++seen) {
    if (line.starts_with("--xla_")) continue;
    if (!line.starts_with("xla_")) return false;
    const size_t name = std::min(line.find_first_of(": {"), line.size());
    if (name == line.size()) return false;
  }
  return seen != 0;
}

// True if the lines are `name: value`, `name {` or `}`.
bool IsTextProto(std::string_view head) {
  Lines lines(head);
  std::string_view line;
  int seen = 0;
  for (; seen < 8 && lines.Next(line); ++seen) {
    while (!line.empty() && IsClass(line.front(), kBlank)) line.remove_prefix(1);
    if (line.starts_with('#') || line == "}") continue;
    size_t name = 0;
    while (name < line.size() && IsClass(line[name], kNameChar) && line[name] != '-') ++name;
    const std::string_view rest = line.substr(name);
    if (name == 0 || !(rest.starts_with(": ") || rest == " {" || rest.starts_with(": {")))
      return false;
  }
  return seen != 0;
}

// A table of the algorithms that autotuning chose, in the older or the newer form.
bool IsAutotuning(std::string_view head) {
  return (Contains(head, "results {") && Contains(head, "\n  hlo: \"")) ||
         (Contains(head, "entries {") && Contains(head, "\n      hlo_fingerprint: \""));
}

bool IsThunkSequence(std::string_view line) {
  size_t digits = 0;
  while (digits < line.size() && IsClass(line[digits], kDigit)) ++digits;
  return digits != 0 && line.substr(digits).starts_with(": k");
}

bool IsMlir(std::string_view head, std::string_view line) {
  if (line.starts_with("#loc") || line.starts_with("builtin.module") ||
      line.starts_with("\"builtin.module\"")) {
    return true;
  }
  return line.starts_with("module") &&
         (Contains(head, "func.func") || Contains(head, "stablehlo.") ||
          Contains(head, "llvm.func"));
}

// True for `name = shape` or the header of a computation, which start HLO text that lacks its
// HloModule line.
bool LooksHeaderless(std::string_view head) {
  // The cursor needs zero bytes after its text.
  const std::string padded = std::string(head) + std::string(SourceBuffer::kPadding, '\0');
  Cursor cursor(std::string_view(padded).substr(0, head.size()));
  if (!cursor.SkipBlanks()) return false;
  const bool entry = cursor.TakeWord("ENTRY") || cursor.TakeWord("ROOT");
  if (entry && !cursor.SkipBlanks()) return false;
  const bool percent = cursor.Take('%');
  if (cursor.TakeName().empty()) return false;
  if (!cursor.SkipBlanks()) return false;
  if (cursor.Take('=')) {
    if (!cursor.SkipBlanks()) return false;
    const std::string_view type = cursor.TakeName();
    return cursor.peek() == '(' || (cursor.peek() == '[' && ElementTypeFromText(type).has_value());
  }
  if (cursor.peek() == '{') {
    // JSON and text protos open braces too; only HLO continues with an instruction.
    cursor.Step();
    if (entry || percent) return true;
    if (!cursor.SkipBlanks()) return false;
    cursor.TakeWord("ROOT");
    if (!cursor.SkipBlanks()) return false;
    cursor.Take('%');
    if (cursor.TakeName().empty() || !cursor.SkipBlanks()) return false;
    return cursor.peek() == '=';
  }
  return cursor.peek() == '(' && (entry || percent || Contains(head, "->"));
}

FileKind KindOf(ProtoKind kind) {
  switch (kind) {
    case ProtoKind::kHloProto: return FileKind::kHloProto;
    case ProtoKind::kHloModuleProto: return FileKind::kHloModuleProto;
    case ProtoKind::kHloSnapshot: return FileKind::kHloSnapshot;
  }
  return FileKind::kBinary;
}

FileKind KindOfRecords(std::string_view bytes) {
  switch (MessageOfRecords(bytes)) {
    case SplitMessage::kHlo: return FileKind::kHloRecords;
    case SplitMessage::kExecutable:
    case SplitMessage::kWrappedExecutable: return FileKind::kExecutableRecords;
    case SplitMessage::kOther: break;
  }
  return FileKind::kRecords;
}

FileKind DetectText(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, kLookedAt);
  Lines lines(head);
  std::string_view line;
  if (!lines.Next(line)) return FileKind::kEmpty;
  if (line.starts_with("BufferAssignment:")) return FileKind::kBufferAssignment;
  if (line.starts_with("Used values:") ||
      (line.starts_with("Total bytes used:") && Contains(head, "\nUsed values:"))) {
    return FileKind::kBufferAssignmentValues;
  }
  if (line.starts_with("HloLiveRange (max ")) return FileKind::kLiveRange;
  if (line.starts_with("Memory Space:") ||
      (line.starts_with("Total bytes") && Contains(head, "cumulative_size;"))) {
    return FileKind::kMemoryUsageReport;
  }
  if (IsThunkSequence(line)) return FileKind::kThunkSequence;
  if (line.starts_with("; ModuleID") || line.starts_with("source_filename ="))
    return FileKind::kLlvmIr;
  if (Contains(head.substr(0, kSample), "\n.version ") && Contains(head, "\n.target "))
    return FileKind::kPtx;
  if (IsMlir(head, line)) return FileKind::kMlir;
  if (IsDebugOptions(head)) return FileKind::kDebugOptions;
  if (LooksHeaderless(head)) return FileKind::kHloText;
  if (line.starts_with("entry_computation_layout {")) return FileKind::kModuleConfig;
  if (IsTextProto(head)) {
    return IsAutotuning(head) ? FileKind::kAutotuning : FileKind::kTextProto;
  }
  return FileKind::kText;
}

}  // namespace

std::string_view TextOf(FileKind kind) { return RowOf(kind).text; }

std::vector<std::string_view> FileKindTexts() {
  std::vector<std::string_view> texts;
  for (const KindRow& each : kKinds) texts.push_back(each.text);
  return texts;
}

std::string_view DescribeKind(FileKind kind) { return RowOf(kind).what; }
std::string_view InsteadOf(FileKind kind) { return RowOf(kind).instead; }

bool IsDumpKind(FileKind kind) {
  return kind != FileKind::kEmpty && kind != FileKind::kText && kind != FileKind::kUtf16 &&
         kind != FileKind::kBinary;
}

FileKind DetectKind(std::string_view bytes) {
  if (bytes.empty()) return FileKind::kEmpty;
  if (bytes.starts_with("ML\xEFR")) return FileKind::kMlir;
  const bool is_text = IsText(bytes);
  if (is_text) {
    if (BeginsWithModule(bytes)) return FileKind::kHloText;
    if (HoldsModuleOrFrame(bytes)) return FileKind::kHloCapture;
    const FileKind kind = DetectText(bytes);
    if (kind != FileKind::kText) return kind;
  }
  if (LooksLikeRiegeli(bytes)) return KindOfRecords(bytes);
  if (LooksLikeXSpace(bytes)) return FileKind::kXSpace;
  if (const auto kind = DetectProtoKind(bytes)) return KindOf(*kind);
  if (LooksLikeBufferAssignment(bytes)) return FileKind::kBufferAssignmentProto;
  if (IsUtf16(bytes)) return FileKind::kUtf16;
  return is_text ? FileKind::kText : FileKind::kBinary;
}

}  // namespace halo
