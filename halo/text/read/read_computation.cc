// Reads computations: their header, their instructions, the checks at the closing brace, and
// recovery after a mistake.
#include <algorithm>
#include <cstring>

#include "halo/ir/ir_diagnostics.h"
#include "halo/text/read/reader.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {

Reader::State Reader::ReadBody(const char* stop, State state) {
  for (;;) {
    if (!Skip()) return state;
    if (cursor.at() >= stop || cursor.at_end()) return state;
    const char* start = cursor.at();
    if (state == State::kOutside) {
      if (LooksLikeInstruction()) {
        // A snippet: instructions without an enclosing computation.
        BeginComputation(module.Str("entry"), true, start);
        snippet = true;
        state = State::kInside;
        continue;
      }
      if (ReadComputationHead()) {
        state = State::kInside;
      } else {
        cursor.MoveTo(std::max(cursor.at(), start));
        Resync(false);
        // The mistake may have been in the header only.
        if (LooksLikeInstruction()) state = State::kInside;
        if (state == State::kInside && !comp.valid())
          BeginComputation(module.Str(""), false, start);
      }
      continue;
    }
    if (!snippet && cursor.peek() == '}') {
      const CompId closed = comp;
      CloseComputation(start);
      comp = CompId{};
      cursor.Step();
      ReadComputationTail(closed);
      ReadInlineComputations();
      state = State::kOutside;
      continue;
    }
    if (!ReadInstruction()) {
      const char* reached = cursor.at();
      cursor.MoveTo(start);
      if (cursor.TakeWord("ROOT")) {
        root_marked = true;
        cursor.SkipBlanks();
      }
      cursor.Take('%');
      if (const std::string_view name = cursor.TakeName(); !name.empty()) {
        malformed_insts.emplace(comp, name);
      }
      damaged = true;
      cursor.MoveTo(reached);
      while (!control_refs.empty() && control_refs.back().inst.index() >= module.insts.size()) {
        control_refs.pop_back();
      }
      Resync(true);
    }
  }
}

bool Reader::StartsInstruction(Cursor ahead) {
  if (ahead.TakeWord("ROOT") && !ahead.SkipBlanks()) return false;
  ahead.Take('%');
  if (ahead.TakeName().empty()) return false;
  while (ahead.peek() == ' ') ahead.Step();
  return ahead.peek() == '=';
}

bool Reader::StartsComputation(Cursor ahead) {
  if (ahead.TakeWord("ENTRY")) return true;
  ahead.Take('%');
  if (ahead.TakeName().empty()) return false;
  while (ahead.peek() == ' ') ahead.Step();
  return ahead.peek() == '{' || ahead.peek() == '(';
}

void Reader::Resync(bool inside) {
  for (;;) {
    const auto left = static_cast<size_t>(cursor.end() - cursor.at());
    const void* newline = std::memchr(cursor.at(), '\n', left);
    if (newline == nullptr) {
      cursor.MoveTo(cursor.end());
      return;
    }
    cursor.MoveTo(static_cast<const char*>(newline) + 1);
    while (cursor.peek() == ' ' || cursor.peek() == '\t') cursor.Step();
    if (LooksLikeInstruction()) return;
    if (inside && cursor.peek() == '}') return;
    if (inside ? Cursor(cursor).TakeWord("ENTRY") : LooksLikeComputation()) return;
  }
}

bool Reader::ReadComputationHead() {
  const char* start = cursor.at();
  if (cursor.TakeWord("HloModule")) {
    Error(diag::kSecondModule, start, "a second module starts here");
    cursor.MoveTo(cursor.end());
    return false;
  }
  const bool is_entry = cursor.TakeWord("ENTRY");
  if (is_entry && !Skip()) return false;
  const bool percent = cursor.Take('%');
  const std::string_view name = cursor.TakeName();
  if (name.empty() && !is_entry) return Expected("a computation: name (parameters) -> shape {");
  if (!style_known) module.style.percent = percent;
  if (!Skip()) return false;
  signature = {};
  const StrId id = module.Str(name);
  if (cursor.peek() == '(') {
    if (!SkipSignature()) {
      malformed_comps.insert(name);
      comp = CompId{};
      return false;
    }
  }
  if (!Skip()) return false;
  if (!cursor.Take('{')) {
    malformed_comps.insert(name);
    comp = CompId{};
    return Expected("'{' after the computation's name");
  }
  const std::string_view its_signature = signature;
  BeginComputation(id, is_entry, start);
  signature = its_signature;
  if (!program_style_known) module.style.program_shapes = !signature.empty();
  program_style_known = true;
  return true;
}

bool Reader::SkipInlineComputation(CompId& inlined) {
  needs_one_thread = true;
  const char* start = cursor.at();
  std::string_view body;
  if (!SkipJsonDict(body)) return false;
  std::string name = inline_names_ == 0 ? "_" : "_." + std::to_string(inline_names_);
  while (module.strings.Find(name) != SpanPool<char>::kEmpty) {
    name = "_." + std::to_string(++inline_names_);
  }
  inlined = CompNamed(module.Str(name), cursor.OffsetOf(start));
  // A chunk may begin inside a computation that another reader placed in the order.
  const size_t order = module.order.empty() ? 0 : module.order.size() - 1;
  inlined_.push_back({inlined, body.data() + 1, order});
  return true;
}

void Reader::ReadInlineComputations() {
  if (inlined_.empty()) return;
  const char* resume = cursor.at();
  const auto before = static_cast<ptrdiff_t>(inlined_.front().order);
  std::vector<CompId> read;
  // Reading one may find more; they are appended to the list.
  for (size_t i = 0; i < inlined_.size(); ++i) {
    const Inlined inlined = inlined_[i];
    cursor.MoveTo(inlined.body);
    BeginComputation(module.comp(inlined.comp).name, false, inlined.body);
    // The loop of ReadBody, up to the closing brace of this computation.
    while (Skip() && !cursor.at_end() && cursor.peek() != '}') {
      if (!ReadInstruction()) {
        damaged = true;
        Resync(true);
        break;
      }
    }
    CloseComputation(cursor.at());
    module.order.pop_back();
    read.push_back(inlined.comp);
  }
  // One that is inside another was found after it and is printed before it.
  module.order.insert(module.order.begin() + before, read.rbegin(), read.rend());
  inlined_.clear();
  cursor.MoveTo(resume);
}

bool Reader::SkipSignature() {
  const char* start = cursor.at();
  // XLA prints the signature on one line that ends with the brace.
  const auto left = static_cast<size_t>(cursor.end() - start);
  if (const void* newline = std::memchr(start, '\n', left); newline != nullptr) {
    const std::string_view line(start,
                                static_cast<size_t>(static_cast<const char*>(newline) - start));
    if (line.ends_with(" {") && line.find(" -> ") != std::string_view::npos &&
        line.find(" = ") == std::string_view::npos) {
      signature = line.substr(0, line.size() - 2);
      cursor.MoveTo(start + signature.size());
      return true;
    }
  }
  int depth = 0;
  for (;; cursor.Step()) {
    const char c = cursor.peek();
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (cursor.at_end())
      return Error(diag::kUnexpectedEnd, start, "this signature is not terminated");
    if (depth == 0) break;
  }
  cursor.Step();
  if (!Skip()) return false;
  if (!cursor.TakeText("->")) return Expected("'->' and the result's shape");
  if (!Skip()) return false;
  if (cursor.peek() == '(') {
    do {
      if (cursor.peek() == '(') ++depth;
      if (cursor.peek() == ')') --depth;
      if (cursor.at_end())
        return Error(diag::kUnexpectedEnd, start, "this signature is not terminated");
      cursor.Step();
    } while (depth != 0);
  } else {
    ShapeId result;
    if (!ReadShape(result)) return false;
  }
  signature = {start, static_cast<size_t>(cursor.at() - start)};
  return true;
}

void Reader::BeginComputation(StrId name, bool is_entry, const char* where) {
  comp = CompNamed(name, cursor.OffsetOf(where));
  if (module.comps[comp.index()].defined) {
    Error(diag::kDuplicateComputation, where,
          "computation '" + std::string(module.text(name).substr(0, 80)) + "' is already defined");
    // Its instructions are still read, into a computation that nothing refers to.
    comp = CompId(module.comps.size());
    Computation shadow;
    shadow.name = name;
    module.comps.push_back(shadow);
  }
  Computation& computation = module.comps[comp.index()];
  computation.defined = true;
  computation.is_entry = is_entry;
  computation.first = static_cast<uint32_t>(module.insts.size());
  if (is_entry) {
    if (module.entry.valid()) {
      Error(diag::kMultipleEntries, where, "another computation is already marked ENTRY");
    } else {
      module.entry = comp;
    }
  }
  module.order.push_back(comp);
  comp_first = computation.first;
  root_marked = false;
  damaged = false;
  continued = false;
  signature = {};
  implicit_.clear();
  names.Clear();
  earlier_names.clear();
  earlier_bloom_filter.clear();
}

void Reader::BeginContinued() {
  comp = CompId(module.comps.size());
  Computation open;
  open.defined = true;
  module.comps.push_back(open);
  comp_first = 0;
  continued = true;
}

void Reader::CloseComputation(const char* close) {
  if (continued) {
    // Names unknown here may be defined before this chunk of the text.
    continued_closed = true;
    continued_count = static_cast<uint32_t>(module.insts.size());
    continued_root_marked = root_marked;
    continued_pending.swap(pending);
    std::swap(continued_names, names);
    continued = false;
    return;
  }
  for (const Pending& waiting : pending) {
    const uint32_t found = InstNamed(waiting.name, waiting.hash);
    if (found != InstId::kNoneValue) {
      module.operands[waiting.operand] = InstId(found);
      const ShapeId defined = module.insts[found].shape;
      if (waiting.written.valid()) CheckWrittenShape(waiting.written, defined, waiting.name.data());
      if (waiting.element >= 0) CheckElement(defined, waiting.element, waiting.name.data());
    } else if (!malformed_insts.contains({comp, waiting.name})) {
      Error(diag::kUnknownOperand, LocationOfName(waiting.name),
            "'" + std::string(waiting.name.substr(0, 80)) + "' is not defined in this computation");
    }
  }
  pending.clear();
  Computation& computation = module.comps[comp.index()];
  computation.count = static_cast<uint32_t>(module.insts.size()) - computation.first;
  if (computation.count == 0) {
    if (!damaged) {
      Error(diag::kEmptyComputation, close,
            "computation '" + std::string(module.text(computation.name).substr(0, 80)) +
                "' has no instructions");
    }
    return;
  }
  if (!root_marked) computation.root = InstId(module.insts.size() - 1);
  CheckParameters(close);
  if (!signature.empty()) CheckSignature();
}

void Reader::CloseAtEnd(State state) {
  if (state == State::kOutside) return;
  if (!snippet && diagnostics.ok()) {
    Error(diag::kUnexpectedEnd, cursor.end(), "the last computation is not closed");
  }
  CloseComputation(cursor.end());
  ReadInlineComputations();
}

void Reader::CheckParameters(const char* close) {
  const Computation& computation = module.comps[comp.index()];
  std::vector<bool> seen;
  size_t count = 0;
  for (size_t i = computation.first; i < module.insts.size(); ++i) {
    const Inst& inst = module.insts[i];
    if (inst.opcode != Opcode::kParameter) continue;
    ++count;
    if (inst.extra >= seen.size()) seen.resize(inst.extra + 1);
    if (seen[inst.extra]) {
      Error(diag::kBadParameterNumber, close,
            "computation '" + std::string(module.text(computation.name).substr(0, 80)) +
                "' has two parameters with the number " + std::to_string(inst.extra));
      return;
    }
    seen[inst.extra] = true;
  }
  // Do not also report a parameter whose line was malformed as missing.
  if (count != seen.size() && !damaged) {
    const size_t missing =
        static_cast<size_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
    Error(diag::kBadParameterNumber, close,
          "computation '" + std::string(module.text(computation.name).substr(0, 80)) +
              "' has no parameter " + std::to_string(missing));
  }
}

void Reader::CheckSignature() {
  const Computation& computation = module.comps[comp.index()];
  std::vector<InstId> parameters;
  for (size_t i = computation.first; i < module.insts.size(); ++i) {
    const Inst& inst = module.insts[i];
    if (inst.opcode != Opcode::kParameter) continue;
    if (inst.extra >= parameters.size()) parameters.resize(inst.extra + 1);
    parameters[inst.extra] = InstId(i);
  }
  if (!computation.root.valid() || damaged) return;
  const ShapeId result = module.inst(computation.root).shape;
  TextBuffer expected;
  expected << '(';
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].valid()) return;
    const Inst& parameter = module.inst(parameters[i]);
    if (i != 0) expected << ", ";
    expected << module.name_of(parameter) << ": ";
    module.shapes.Print(parameter.shape, false, expected);
  }
  expected << ") -> ";
  module.shapes.Print(result, false, expected);
  if (expected.view() == signature || SignatureAgrees(parameters, result)) return;
  Warn(diag::kSignatureMismatch, signature.data(),
       "this signature does not describe the computation's parameters and root");
}

// The slow comparison, for hand-written text: ignores layouts, blanks and comments.
bool Reader::SignatureAgrees(const std::vector<InstId>& parameters, ShapeId result) {
  const Cursor saved = cursor;
  const size_t before = diagnostics.errors() + diagnostics.warnings();
  const auto same = [this](ShapeId a, ShapeId b) {
    return module.shapes.WithoutLayouts(a) == module.shapes.WithoutLayouts(b);
  };
  cursor.MoveTo(signature.data() + 1);
  bool good = true;
  size_t index = 0;
  while (good && !TakeAfterBlanks(')')) {
    if (index != 0) good = TakeAfterBlanks(',');
    if (!Skip()) good = false;
    cursor.Take('%');
    const std::string_view name = cursor.TakeName();
    ShapeId shape;
    good = good && !name.empty() && TakeAfterBlanks(':') && Skip() && AtShape() &&
           ReadShape(shape) && index < parameters.size() &&
           name == module.name_of(module.inst(parameters[index])) &&
           same(shape, module.inst(parameters[index]).shape);
    ++index;
  }
  ShapeId written;
  good = good && index == parameters.size() && Skip() && cursor.TakeText("->") &&
         ReadShape(written) && same(written, result);
  cursor = saved;
  return good || diagnostics.errors() + diagnostics.warnings() != before;
}

void Reader::ReadComputationTail(CompId closed) {
  // The name in a comment after the brace, or the thread on which the computation runs.
  if (cursor.peek() == ' ' && cursor.peek(1) == '/' && cursor.peek(2) == '/') {
    module.style.closing_names = true;
  }
  std::string tail;
  while (Skip() && cursor.peek() == ',') {
    const char* start = cursor.at();
    Doubt doubt;
    if (Try(doubt, [&] { return ReadTailPart(closed); })) continue;
    const char* stop = EndOfUnknown(start + 1, false);
    if (!KeepUnknown(doubt, start, stop, "what follows this computation")) return;
    needs_one_thread = true;
    tail.append(start, stop);
  }
  if (closed.valid() && !tail.empty()) module.comps[closed.index()].tail = module.Str(tail);
}

bool Reader::ReadTailPart(CompId closed) {
  cursor.Step();
  if (!Skip()) return false;
  const bool is_old = cursor.TakeWord("thread_name");
  if (!is_old && !cursor.TakeWord("execution_thread")) {
    return Expected("execution_thread=\"name\"");
  }
  StrId thread;
  if (!Expect('=') || !ReadStrId(thread)) return false;
  if (is_old) {
    module.style.thread_name = true;
    needs_one_thread = true;
  }
  if (closed.valid()) module.comps[closed.index()].execution_thread = thread;
  return true;
}

}  // namespace halo
