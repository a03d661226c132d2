// One pass over the bytes. A line that looks like the beginning of an instruction or a computation
// begins one, whatever came before it: so a mistake never spreads beyond the next instruction.
#include "halo/lsp/syntax/syntax.h"

#include <algorithm>
#include <array>

namespace halo::lsp {
namespace {

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c) || c == '.' || c == '-'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

constexpr std::string_view kRoot = "ROOT";
constexpr std::string_view kEntry = "ENTRY";
constexpr std::string_view kModule = "HloModule";

// What a line begins.
enum class Beginning : uint8_t { kNothing, kModule, kComputation, kInstruction, kClose };

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Syntax Read() {
    constexpr size_t kBytesPerWord = 16;  // of texts with metadata
    if (text_.size() > (size_t{1} << 20)) syntax_.words.reserve(text_.size() / kBytesPerWord);
    while (at_ < text_.size()) {
      if (is_line_start_ && BeginLine()) continue;
      Step();
    }
    EndInstruction(text_.size());
    EndComputation(text_.size());
    return std::move(syntax_);
  }

  static Beginning Classify(std::string_view line);

 private:
  enum class Part : uint8_t { kOther, kModule, kHead, kResult, kOperands, kAttributes };

  [[nodiscard]] char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  }
  size_t NameEnd(size_t from) const {
    while (from < text_.size() && IsNameChar(text_[from])) ++from;
    return from;
  }
  // The first byte after the blanks that follow `from`.
  char After(size_t from) const {
    while (from < text_.size() && IsBlank(text_[from])) ++from;
    return from < text_.size() ? text_[from] : '\0';
  }
  uint32_t Add(size_t begin, size_t end, WordKind kind) {
    syntax_.words.push_back(
        {static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin), kind,
         in_instruction_ ? static_cast<uint32_t>(syntax_.instructions.size() - 1) : UINT32_MAX});
    return static_cast<uint32_t>(syntax_.words.size() - 1);
  }

  bool BeginLine();
  void BeginComputation();
  void BeginInstruction();
  void EndInstruction(size_t end);
  void EndComputation(size_t end);
  void Step();
  void String(char quote);
  void Comment();
  void Number();
  void Name();
  void NameInResult(size_t end);
  void NameInOperands(size_t begin, size_t end, bool has_percent);
  void NameInAttributes(size_t begin, size_t end, bool has_percent);
  void Open();
  void Close();

  std::string_view text_;
  size_t at_ = 0;
  bool is_line_start_ = true;
  Part part_ = Part::kOther;
  int depth_ = 0;  // of brackets since the part began
  bool in_instruction_ = false;
  bool in_computation_ = false;
  bool is_literal_ = false;     // operands of a constant or the number of a parameter
  std::optional<AttrKey> key_;  // of the attribute that the value belongs to
  Syntax syntax_;
};

Beginning Scanner::Classify(std::string_view line) {
  Scanner at(line);
  at.SkipBlanks();
  if (at.Peek() == '}') return Beginning::kClose;
  const bool is_indented = at.at_ > 0;
  if (at.Peek() == '%') ++at.at_;
  if (!IsNameStart(at.Peek())) return Beginning::kNothing;
  const size_t end = at.NameEnd(at.at_);
  const std::string_view word = line.substr(at.at_, end - at.at_);
  const char next = at.After(end);
  if (next == '=') return Beginning::kInstruction;
  if (word == kRoot && IsBlank(end < line.size() ? line[end] : '\0')) {
    return Beginning::kInstruction;
  }
  if (word == kModule) return Beginning::kModule;
  if (word == kEntry) return Beginning::kComputation;
  if (next == '{') return Beginning::kComputation;
  if (next != '(') return Beginning::kNothing;
  if (!is_indented) return Beginning::kComputation;
  // Indented, it is one only if its line ends as headers do.
  const std::string_view rest = line.substr(0, line.find('\n'));
  const size_t last = rest.find_last_not_of(" \t\r");
  return last != std::string_view::npos && rest[last] == '{' &&
                 rest.find("->") != std::string_view::npos
             ? Beginning::kComputation
             : Beginning::kNothing;
}

bool Scanner::BeginLine() {
  is_line_start_ = false;
  const Beginning begins = Classify(text_.substr(at_));
  // Within brackets, as in a literal over several lines, words followed by = are still attributes.
  if (begins == Beginning::kNothing) return false;
  if (begins == Beginning::kInstruction && part_ == Part::kAttributes && depth_ > 0) {
    // A line of an attribute, unless the brackets were never closed.
    if (text_.substr(at_).starts_with("    ")) return false;
  }
  if (begins == Beginning::kClose) {
    if (in_instruction_ && depth_ > 0 && part_ != Part::kOther && IsBlank(text_[at_])) {
      return false;
    }
    EndInstruction(at_);
    SkipBlanks();
    ++at_;
    EndComputation(at_);
    part_ = Part::kAttributes;
    depth_ = 0;
    key_.reset();
    return true;
  }
  EndInstruction(at_);
  depth_ = 0;
  if (begins == Beginning::kModule) {
    EndComputation(at_);
    SkipBlanks();
    Add(at_, at_ + kModule.size(), WordKind::kKeyword);
    at_ += kModule.size();
    SkipBlanks();
    if (IsNameStart(Peek())) {
      const size_t end = NameEnd(at_);
      Add(at_, end, WordKind::kModuleName);
      at_ = end;
    }
    part_ = Part::kAttributes;
    key_.reset();
    return true;
  }
  if (begins == Beginning::kComputation) {
    BeginComputation();
  } else {
    BeginInstruction();
  }
  return true;
}

void Scanner::BeginComputation() {
  EndComputation(at_);
  SkipBlanks();
  ComputationSyntax fresh;
  fresh.begin = static_cast<uint32_t>(at_);
  fresh.first = static_cast<uint32_t>(syntax_.instructions.size());
  if (text_.substr(at_, NameEnd(at_) - at_) == kEntry) {
    fresh.is_entry = true;
    Add(at_, at_ + kEntry.size(), WordKind::kKeyword);
    at_ += kEntry.size();
    SkipBlanks();
  }
  if (Peek() == '%') ++at_;
  if (IsNameStart(Peek())) {
    const size_t end = NameEnd(at_);
    fresh.name = Add(at_, end, WordKind::kComputation);
    at_ = end;
  }
  syntax_.computations.push_back(fresh);
  in_computation_ = true;
  part_ = Part::kHead;
}

void Scanner::BeginInstruction() {
  SkipBlanks();
  InstructionSyntax fresh;
  fresh.begin = static_cast<uint32_t>(at_);
  if (in_computation_) {
    fresh.computation = static_cast<uint32_t>(syntax_.computations.size() - 1);
    ++syntax_.computations.back().count;
  }
  syntax_.instructions.push_back(fresh);
  in_instruction_ = true;
  InstructionSyntax& inst = syntax_.instructions.back();
  if (text_.substr(at_, NameEnd(at_) - at_) == kRoot && After(at_ + kRoot.size()) != '=') {
    inst.is_root = true;
    Add(at_, at_ + kRoot.size(), WordKind::kKeyword);
    at_ += kRoot.size();
    SkipBlanks();
  }
  if (Peek() == '%') ++at_;
  if (IsNameStart(Peek())) {
    const size_t end = NameEnd(at_);
    inst.name = Add(at_, end, WordKind::kInstruction);
    at_ = end;
  }
  part_ = Part::kResult;
}

void Scanner::EndInstruction(size_t end) {
  if (!in_instruction_) return;
  while (end > 0 && (IsBlank(text_[end - 1]) || text_[end - 1] == '\n')) --end;
  InstructionSyntax& inst = syntax_.instructions.back();
  inst.end = std::max(inst.begin, static_cast<uint32_t>(end));
  in_instruction_ = false;
  is_literal_ = false;
  part_ = Part::kOther;
}

void Scanner::EndComputation(size_t end) {
  if (!in_computation_) return;
  ComputationSyntax& comp = syntax_.computations.back();
  comp.end = std::max(comp.begin, static_cast<uint32_t>(end));
  in_computation_ = false;
}

void Scanner::Step() {
  const char c = Peek();
  if (c == '\n') {
    is_line_start_ = true;
    ++at_;
    // A header ends with its line, an attribute of a module too.
    if (part_ == Part::kHead) part_ = Part::kOther;
    return;
  }
  if (c == '"' || c == '\'') return String(c);
  if (c == '/' && (Peek(1) == '*' || Peek(1) == '/')) return Comment();
  if (IsNameStart(c) || (c == '%' && IsNameStart(Peek(1)))) return Name();
  if (IsDigit(c) || (c == '-' && IsDigit(Peek(1)))) return Number();
  if (c == '(' || c == '{' || c == '[') return Open();
  if (c == ')' || c == '}' || c == ']') return Close();
  if (c == ',' && depth_ == 0) key_.reset();
  ++at_;
}

void Scanner::Open() {
  ++at_;
  ++depth_;
}

void Scanner::Close() {
  if (part_ == Part::kOperands && Peek() == ')' && depth_ <= 1) {
    syntax_.instructions.back().operands_end = static_cast<uint32_t>(at_);
    part_ = Part::kAttributes;
    key_.reset();
    depth_ = 0;
    ++at_;
    return;
  }
  ++at_;
  if (depth_ > 0) --depth_;
}

void Scanner::String(char quote) {
  const size_t begin = at_++;
  while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
    at_ += text_[at_] == '\\' && Peek(1) != '\n' ? 2 : 1;
  }
  at_ = std::min(at_, text_.size());
  if (Peek() == quote) ++at_;
  Add(begin, at_, WordKind::kString);
}

void Scanner::Comment() {
  const size_t begin = at_;
  const bool is_line = Peek(1) == '/';
  size_t end = is_line ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
  const size_t line_end = std::min(text_.find('\n', at_), text_.size());
  // One that is never closed ends with its line.
  if (end == std::string_view::npos) {
    end = line_end;
  } else if (!is_line) {
    end += 2;
  }
  at_ = end;
  Add(begin, std::min(end, line_end), WordKind::kComment);
}

void Scanner::Number() {
  const size_t begin = at_++;
  while (at_ < text_.size() && (IsNameChar(text_[at_]) || text_[at_] == '+')) {
    if (text_[at_] == '-' && text_[at_ - 1] != 'e' && text_[at_ - 1] != 'E') break;
    if (text_[at_] == '+' && text_[at_ - 1] != 'e' && text_[at_ - 1] != 'E') break;
    ++at_;
  }
  Add(begin, at_, WordKind::kNumber);
}

void Scanner::Name() {
  const bool has_percent = Peek() == '%';
  if (has_percent) ++at_;
  const size_t begin = at_;
  const size_t end = NameEnd(at_);
  switch (part_) {
    case Part::kHead:
      Add(begin, end, After(end) == ':' ? WordKind::kSignatureName : WordKind::kType);
      break;
    case Part::kResult: NameInResult(end); break;
    case Part::kOperands: NameInOperands(begin, end, has_percent); break;
    case Part::kAttributes: NameInAttributes(begin, end, has_percent); break;
    case Part::kModule:
    case Part::kOther: break;
  }
  at_ = std::max(at_, end);
}

void Scanner::NameInResult(size_t end) {
  const size_t begin = at_;
  if (depth_ > 0 || (end < text_.size() && text_[end] == '[')) {
    if (end < text_.size() && text_[end] == '[') Add(begin, end, WordKind::kType);
    return;
  }
  const bool is_opcode = After(end) == '(' || After(end) == '\n' || After(end) == '\0';
  if (!is_opcode) return;
  InstructionSyntax& inst = syntax_.instructions.back();
  inst.opcode = Add(begin, end, WordKind::kOpcode);
  if (After(end) != '(') return;
  at_ = text_.find('(', end) + 1;
  inst.operands = static_cast<uint32_t>(at_);
  const std::string_view opcode = text_.substr(begin, end - begin);
  is_literal_ = opcode == "constant" || opcode == "parameter";
  part_ = Part::kOperands;
  depth_ = 1;
}

void Scanner::NameInOperands(size_t begin, size_t end, bool has_percent) {
  if (end < text_.size() && text_[end] == '[') {
    Add(begin, end, WordKind::kType);
  } else if (is_literal_) {
    Add(begin, end, WordKind::kValue);
  } else if (has_percent || depth_ == 1) {
    Add(begin, end, WordKind::kInstructionUse);
  }
}

void Scanner::NameInAttributes(size_t begin, size_t end, bool has_percent) {
  if (After(end) == '=' && !has_percent) {
    if (depth_ == 0) key_ = AttrKeyFromText(text_.substr(begin, end - begin));
    Add(begin, end, WordKind::kAttribute);
    return;
  }
  if (key_ && NamesComputations(*key_)) {
    Add(begin, end, WordKind::kComputationUse);
  } else if (key_ && InfoOf(*key_).kind == AttrKind::kInsts) {
    Add(begin, end, WordKind::kInstructionUse);
  } else if (end < text_.size() && text_[end] == '[') {
    Add(begin, end, WordKind::kType);
  } else {
    Add(begin, end, WordKind::kValue);
  }
}

}  // namespace

bool NamesComputations(AttrKey key) {
  const AttrKind kind = InfoOf(key).kind;
  return kind == AttrKind::kComp || kind == AttrKind::kCompList;
}

Syntax ReadSyntax(std::string_view text) { return Scanner(text).Read(); }

const Word* Syntax::At(size_t byte) const {
  const auto after = std::upper_bound(words.begin(), words.end(), byte,
                                      [](size_t b, const Word& word) { return b < word.begin; });
  if (after == words.begin()) return nullptr;
  const Word& word = *(after - 1);
  return byte <= size_t{word.begin} + word.length ? &word : nullptr;
}

const InstructionSyntax* Syntax::InstructionAt(size_t byte) const {
  const auto after =
      std::upper_bound(instructions.begin(), instructions.end(), byte,
                       [](size_t b, const InstructionSyntax& inst) { return b < inst.begin; });
  if (after == instructions.begin()) return nullptr;
  const InstructionSyntax& inst = *(after - 1);
  return byte <= inst.end ? &inst : nullptr;
}

const ComputationSyntax* Syntax::ComputationAt(size_t byte) const {
  const auto after =
      std::upper_bound(computations.begin(), computations.end(), byte,
                       [](size_t b, const ComputationSyntax& comp) { return b < comp.begin; });
  if (after == computations.begin()) return nullptr;
  const ComputationSyntax& comp = *(after - 1);
  return byte <= comp.end ? &comp : nullptr;
}

size_t StatementBefore(std::string_view text, size_t byte) {
  size_t end = std::min(byte, text.size());
  while (true) {
    const size_t newline = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const Beginning begins = Scanner::Classify(text.substr(begin));
    if (begins == Beginning::kInstruction || begins == Beginning::kComputation || begin == 0) {
      return begin;
    }
    end = newline;
  }
}

}  // namespace halo::lsp
