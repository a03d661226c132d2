// Values in forms that this version does not know, such as a notation of a later XLA. They are kept
// verbatim, with a warning, so that the rest of the text is readable and prints back unchanged.
// What is not balanced, or contradicts itself in a form that is known, stays an error.
#include <algorithm>
#include <array>

#include "halo/ir/ir_diagnostics.h"
#include "halo/ir/unknown_attribute.h"
#include "halo/text/read/reader.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

constexpr size_t kMaxOpenBrackets = 200;

// The mistakes that a form of a later XLA looks like to this version.
constexpr std::array kMayBeUnknown = {
    diag::kUnexpectedText,    diag::kBadInteger,       diag::kUnknownElementType,
    diag::kBadShape,          diag::kBadLayout,        diag::kBadLiteral,
    diag::kBadWindow,         diag::kBadSharding,      diag::kBadDimLabels,
    diag::kBadAttributeValue, diag::kBadReplicaGroups, diag::kBadStackTable,
};

bool MayBeUnknown(DiagCode code) {
  return std::find(kMayBeUnknown.begin(), kMayBeUnknown.end(), code) != kMayBeUnknown.end();
}

char ClosingOf(char open) {
  if (open == '{') return '}';
  return open == '(' ? ')' : ']';
}

// The position after the string that starts at `quote`, or null if it does not end on its line.
const char* EndOfString(const char* quote, const char* end) {
  for (const char* p = quote + 1; p < end && *p != '\n' && *p != '\0'; ++p) {
    if (*p == *quote) return p + 1;
    if (*p == '\\' && p[1] != '\n') ++p;
  }
  return nullptr;
}

// Walks over balanced text on one line, one token at a time.
class BalancedWalk {
 public:
  BalancedWalk(const char* start, const char* end) : p_(start), end_(end) {}

  [[nodiscard]] const char* at() const { return p_; }
  [[nodiscard]] bool is_open() const { return depth_ != 0; }
  // False if the text is not balanced here.
  bool Step() {
    const char c = *p_;
    if (p_ >= end_ || (c < ' ' && c != '\t') || c > '~') return false;
    if (c == '"' || c == '\'') {
      p_ = EndOfString(p_, end_);
      return p_ != nullptr;
    }
    if (c == '{' || c == '(' || c == '[') {
      if (depth_ == kMaxOpenBrackets) return false;
      closing_[depth_++] = ClosingOf(c);
    } else if (c == '}' || c == ')' || c == ']') {
      if (depth_ == 0 || closing_[--depth_] != c) return false;
    }
    ++p_;
    return true;
  }

 private:
  const char* p_;
  const char* end_;
  std::array<char, kMaxOpenBrackets> closing_{};
  size_t depth_ = 0;
};

}  // namespace

const char* Reader::EndOfBrackets(const char* open) const {
  BalancedWalk walk(open, cursor.end());
  do {
    if (!walk.Step()) return nullptr;
  } while (walk.is_open());
  return walk.at();
}

const char* Reader::EndOfUnknown(const char* start, bool in_metadata) const {
  BalancedWalk walk(start, cursor.end());
  for (;;) {
    const char* at = walk.at();
    if (!walk.is_open()) {
      const bool comment = at[0] == '/' && (at[1] == '/' || at[1] == '*');
      const bool blank = in_metadata && *at == ' ';
      const bool closed = *at == '}' || *at == ')' || *at == ']';
      if (at >= cursor.end() || *at == ',' || *at == '\n' || *at == '\r' || comment || blank ||
          closed) {
        break;
      }
    }
    if (!walk.Step()) return nullptr;
  }
  const char* stop = walk.at();
  while (stop > start && IsClass(stop[-1], kBlank)) --stop;
  return stop == start ? nullptr : stop;
}

bool Reader::AtEndOfValue() const {
  if (cursor.peek() == ',' || cursor.peek() == '\n') return true;
  Cursor ahead = cursor;
  if (!ahead.SkipBlanks()) return true;  // the reader of what follows reports the comment
  if (ahead.at_end() || ahead.peek() == ',' || ahead.peek() == '}') return true;
  if (std::find(cursor.at(), ahead.at(), '\n') != ahead.at()) return true;
  return StartsInstruction(ahead) || StartsComputation(ahead);
}

bool Reader::ReportDoubt(Doubt& doubt) {
  if (!doubt.code) return false;
  return doubt.is_wrong ? Wrong(*doubt.code, doubt.where, std::move(doubt.message))
                        : Error(*doubt.code, doubt.where, std::move(doubt.message));
}

bool Reader::MayKeep(const Doubt& doubt) {
  return doubt.code && !doubt.is_wrong && MayBeUnknown(*doubt.code);
}

bool Reader::KeepUnknown(Doubt& doubt, const char* start, const char* stop, std::string_view what) {
  if (stop == nullptr || !MayKeep(doubt)) return ReportDoubt(doubt);
  const char* where = doubt.where >= start && doubt.where < stop ? doubt.where : start;
  Warn(diag::kUnknownForm, where, std::string(what) + " is not understood: " + doubt.message);
  cursor.MoveTo(stop);
  return true;
}

Attr Reader::VerbatimAttribute(std::string_view name, const char* start) {
  const std::string_view text(start, static_cast<size_t>(cursor.at() - start));
  return MakeUnknownAttribute(module, module.Str(name), module.Str(text));
}

bool Reader::DuplicateAttribute(std::string_view name) {
  return Error(diag::kDuplicateAttribute, name.data(),
               "attribute '" + std::string(name) + "' is specified more than once");
}

bool Reader::ReadKnownAttribute(AttrKey key, std::string_view name, const Inst* inst, Attr& attr) {
  if (std::find(kept_keys_.begin(), kept_keys_.end(), key) != kept_keys_.end()) {
    return DuplicateAttribute(name);
  }
  if (!Skip()) return false;
  const char* start = cursor.at();
  const size_t comps = module.comps.size();
  const size_t inlined = inlined_.size();
  const size_t controls = control_refs.size();
  Doubt& doubt = Cleared(attribute_doubt_);
  const bool good = Try(doubt, [&] {
    return ReadAttributeValue(key, inst, attr) &&
           (AtEndOfValue() || Expected("',' or the end of the line"));
  });
  if (good) return true;
  if (!MayKeep(doubt)) return ReportDoubt(doubt);
  kept_keys_.push_back(key);
  ForgetMentions(comps, inlined, controls);
  const std::string what = "the value of " + std::string(name);
  if (!KeepUnknown(doubt, start, EndOfUnknown(start, false), what)) return false;
  attr = VerbatimAttribute(name, start);
  return true;
}

void Reader::ForgetMentions(size_t comps, size_t inlined, size_t controls) {
  inlined_.resize(inlined);
  control_refs.resize(controls);
  for (; module.comps.size() > comps; module.comps.pop_back()) {
    comp_of[module.comps.back().name.index()] = CompId::kNoneValue;
    comp_refs.pop_back();
  }
}

}  // namespace halo
