// Splits captures into sections and blanks out foreign text in them.
#include "halo/text/framing/framing.h"

#include <algorithm>

#include "halo/base/strings/characters.h"
#include "halo/text/framing/log_prefix.h"
#include "halo/text/read/cursor.h"

namespace halo {
namespace {

constexpr std::string_view kBegin = "*** Begin ";
constexpr std::string_view kEnd = "*** End ";
constexpr std::string_view kClose = " ***";
constexpr std::string_view kHead = "HloModule ";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

size_t LineBegin(std::string_view text, size_t at) {
  const size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

// The position after the line's newline, or the end of the text.
size_t NextLine(std::string_view text, size_t at) {
  const size_t newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

std::string_view LineAt(std::string_view text, size_t begin) {
  std::string_view line = text.substr(begin, NextLine(text, begin) - begin);
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

// True if there are only blanks and a log prefix between the start of the line and `at`.
bool LeadsLine(std::string_view text, size_t begin, size_t at) {
  std::string_view before = text.substr(begin, at - begin);
  if (begin == 0 && before.starts_with(kByteOrderMark)) before.remove_prefix(kByteOrderMark.size());
  if (Trimmed(before).empty()) return true;
  const LogPrefix prefix = FindLogPrefix(LineAt(text, begin));
  return prefix.length != 0 &&
         Trimmed(before.substr(std::min(prefix.length, before.size()))).empty();
}

// The NAME of a "*** Begin NAME ***" line whose marker is at `at`; empty if there is none.
std::string_view FrameName(std::string_view text, size_t at, std::string_view marker) {
  if (!LeadsLine(text, LineBegin(text, at), at)) return {};
  const std::string_view line = Trimmed(LineAt(text, at));
  if (!line.ends_with(kClose) || line.size() <= marker.size() + kClose.size()) return {};
  return line.substr(marker.size(), line.size() - marker.size() - kClose.size());
}

// A range of the text: [begin, end) in bytes.
struct TextRange {
  std::string_view name;
  size_t begin = 0;
  size_t end = 0;
};

std::vector<TextRange> FindFrames(std::string_view text) {
  std::vector<TextRange> frames;
  size_t at = text.find(kBegin);
  while (at != std::string_view::npos) {
    const std::string_view name = FrameName(text, at, kBegin);
    if (name.empty()) {
      at = text.find(kBegin, NextLine(text, at));  // a marker leads its line
      continue;
    }
    const size_t begin = NextLine(text, at);
    const size_t next = text.find(kBegin, begin);
    // A frame without an end marker extends to the next frame.
    size_t end = next == std::string_view::npos ? text.size() : LineBegin(text, next);
    const std::string_view frame = text.substr(0, end);
    for (size_t close = frame.find(kEnd, begin); close < end;
         close = frame.find(kEnd, NextLine(text, close))) {
      if (FrameName(text, close, kEnd) != name) continue;
      end = LineBegin(text, close);
      break;
    }
    frames.push_back({name, begin, end});
    at = next;
  }
  return frames;
}

std::vector<TextRange> FindModules(std::string_view text) {
  std::vector<TextRange> modules;
  for (size_t at = text.find(kHead); at != std::string_view::npos;
       at = text.find(kHead, NextLine(text, at))) {
    const size_t begin = LineBegin(text, at);
    if (!LeadsLine(text, begin, at)) continue;
    if (!modules.empty()) modules.back().end = begin;
    const std::string_view rest = text.substr(at + kHead.size());
    const size_t length = std::min(rest.find_first_of(", \r\n"), rest.size());
    modules.push_back({rest.substr(0, length), begin, text.size()});
  }
  return modules;
}

bool LooksLikeComputationHead(std::string_view line) {
  line = Trimmed(line);
  return line.ends_with('{') && (line.starts_with('%') || IsClass(line.front(), kNameStart));
}

// Blanks out, line by line, everything that does not belong to the module.
class Cleaner {
 public:
  Cleaner(std::string_view text, FramedText& facts) : text_(text), facts_(facts) {}

  std::string Clean() {
    out_.assign(text_);
    FindHowLogged();
    size_t keep = 0;  // end of the last line that belongs to the module
    for (size_t begin = 0; begin < text_.size() && !ended_;) {
      const size_t next = NextLine(text_, begin);
      const std::string_view line = LineAt(text_, begin);
      const size_t foreign = ForeignBytes(line);
      std::fill_n(out_.begin() + static_cast<ptrdiff_t>(begin), foreign, ' ');
      if (Follow(line.substr(foreign))) keep = next;
      begin = next;
    }
    if (ended_) out_.resize(keep);
    if (out_.starts_with(kByteOrderMark)) std::fill_n(out_.begin(), kByteOrderMark.size(), ' ');
    return std::move(out_);
  }

 private:
  // Determines whether every line of a module carries the prefix of its log statement, only the
  // first does, or none does.
  void FindHowLogged() {
    first_ = FindLogPrefix(LineAt(text_, 0));
    if (!first_) return;
    for (size_t at = NextLine(text_, 0); at < text_.size(); at = NextLine(text_, at)) {
      const std::string_view line = LineAt(text_, at);
      const LogPrefix prefix = FindLogPrefix(line);
      every_line_ = prefix.SameSource(first_);
      // Lines of other sources are not evidence.
      if (every_line_ || (!prefix && !Trimmed(line).empty())) return;
    }
  }

  // The number of bytes at the start of the line that do not belong to the module.
  size_t ForeignBytes(std::string_view line) {
    const LogPrefix prefix = FindLogPrefix(line);
    const bool is_first = line.data() == text_.data();
    if (is_first || (every_line_ && prefix.SameSource(first_))) {
      if (prefix) ++facts_.prefixed_lines;
      return prefix.length;
    }
    const bool foreign = every_line_ ? !Trimmed(line).empty() : !prefix.site.empty();
    if (!foreign) return 0;
    ++facts_.foreign_lines;
    return line.size();
  }

  // Tracks the module's lines. Once the entry computation is closed, text that does not open
  // another computation ends the module. True for lines that certainly belong to the module.
  bool Follow(std::string_view line) {
    const std::string_view trimmed = Trimmed(line);
    if (trimmed.empty()) return false;
    if (after_entry_ && !LooksLikeComputationHead(line) && !trimmed.starts_with("//")) {
      ended_ = true;
      return false;
    }
    after_entry_ = false;
    if (trimmed.starts_with("ENTRY ")) in_entry_ = true;
    if (in_entry_ && trimmed.starts_with('}')) {
      in_entry_ = false;
      after_entry_ = true;
    }
    return true;
  }

  std::string_view text_;
  FramedText& facts_;
  std::string out_;
  LogPrefix first_;
  bool every_line_ = false;
  bool in_entry_ = false;
  bool after_entry_ = false;
  bool ended_ = false;
};

}  // namespace

bool BeginsWithModule(std::string_view text) {
  Cursor cursor(text);
  return cursor.SkipBlanks() && cursor.TakeWord("HloModule");
}

bool HoldsModuleOrFrame(std::string_view text) {
  return !FindFrames(text).empty() || !FindModules(text).empty();
}

std::vector<TextFrame> ListFrames(std::string_view text) {
  std::vector<TextFrame> frames;
  for (const TextRange& each : FindFrames(text))
    frames.push_back({each.name, each.begin, each.end});
  return frames;
}

FramedText SplitText(const SourceBuffer& source) {
  FramedText result;
  const std::string_view text = source.bytes();
  std::vector<TextRange> ranges = FindFrames(text);
  result.framed = !ranges.empty();
  if (!result.framed) ranges = FindModules(text);
  const bool is_one_module = !result.framed && ranges.size() == 1 && BeginsWithModule(text);
  size_t counted = 0;
  uint32_t lines = 0;
  for (const TextRange& range : ranges) {
    lines +=
        static_cast<uint32_t>(std::count(text.begin() + static_cast<ptrdiff_t>(counted),
                                         text.begin() + static_cast<ptrdiff_t>(range.begin), '\n'));
    counted = range.begin;
    const std::string_view part = text.substr(range.begin, range.end - range.begin);
    result.sections.push_back({std::string(range.name),
                               SourceBuffer::Copy(Cleaner(part, result).Clean(), source.name()),
                               range.begin, lines});
  }
  // Without interleaved log lines, the text is taken as it was written.
  if (is_one_module && result.prefixed_lines + result.foreign_lines == 0) result.sections.clear();
  return result;
}

}  // namespace halo
