// Reads the module: its header line, the stack-frame tables after it, and the checks that must wait
// until every computation is read.
#include <algorithm>

#include "halo/ir/ir_diagnostics.h"
#include "halo/text/read/reader.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

constexpr std::string_view kTables[] = {"FileNames", "FunctionNames", "FileLocations",
                                        "StackFrames"};
constexpr size_t kFileLocations = 2;

}  // namespace

void Reader::ReadHeader() {
  if (!Skip()) return;
  if (!cursor.TakeWord("HloModule")) {
    module.style.header = false;
    return;
  }
  const char* end_of_word = cursor.at();
  if (!Skip()) return;
  const bool same_line = std::find(end_of_word, cursor.at(), '\n') == cursor.at();
  // XLA can print a module without a name. Its attributes follow then, or a computation on another
  // line.
  if (same_line || !LooksLikeComputation()) {
    const std::string_view name = cursor.TakeName();
    module.name = module.Str(name);
    if (name.empty() && cursor.peek() != ',') Expected("the module's name");
  }
  cursor.Take(':');
  if (!ReadModuleAttributes()) Resync(false);
  ReadStackTables();
  stack_frame_limit = static_cast<int64_t>(module.stack.stack_frames.size());
}

bool Reader::ReadModuleAttributes() {
  std::vector<Attr> attrs;
  bool good = true;
  while (good) {
    if (!Skip()) return false;
    if (!cursor.Take(',')) break;
    if (!Skip()) return false;
    good = ReadModuleAttribute(attrs);
  }
  module.attrs = module.Attrs(attrs);
  return good;
}

bool Reader::ReadModuleAttribute(std::vector<Attr>& attrs) {
  const char* start = cursor.at();
  const std::string_view name = cursor.TakeName();
  if (name.empty()) return Expected("a module attribute: name=value");
  if (!Expect('=')) return false;
  const auto key = AttrKeyFromText(name);
  if (!key ||
      (InfoOf(*key).scope != AttrScope::kModule && *key != AttrKey::k_frontend_attributes)) {
    return ReadUnknownAttribute(diag::kUnknownModuleAttribute, name, start, attrs);
  }
  for (const Attr& other : attrs) {
    if (other.key == *key) return DuplicateAttribute(name);
  }
  Attr attr{*key};
  if (!ReadKnownAttribute(*key, name, nullptr, attr)) return false;
  attrs.push_back(attr);
  return true;
}

bool Reader::ReadProgramLayout(Attr& attr) {
  std::vector<int64_t> shapes = {0};
  ShapeId shape;
  if (!Expect('{') || !Expect('(')) return false;
  if (!TakeAfterBlanks(')')) {
    for (;;) {
      if (!ReadShape(shape)) return false;
      shapes.push_back(shape.value);
      if (TakeAfterBlanks(')')) break;
      if (!Expect(',')) return false;
    }
  }
  if (!Skip()) return false;
  if (!cursor.TakeText("->")) return Expected("'->'");
  if (!ReadShape(shape)) return false;
  shapes[0] = shape.value;
  attr = module.MakeInts(attr.key, shapes);
  return Expect('}');
}

void Reader::ReadStackTables() {
  size_t tables = 0;
  for (;;) {
    if (!Skip()) return;
    const char* start = cursor.at();
    const auto* table =
        std::find_if(std::begin(kTables), std::end(kTables),
                     [this](std::string_view each) { return cursor.TakeWord(each); });
    if (table == std::end(kTables)) {
      if (!ReadUnknownStackTable(tables)) return;
      continue;
    }
    // A computation may have the same name.
    Cursor ahead = cursor;
    ahead.SkipBlanks();
    if (ahead.peek() == '{' || ahead.peek() == '(') {
      cursor.MoveTo(start);
      return;
    }
    tables = static_cast<size_t>(table - std::begin(kTables)) + 1;
    if (!ReadStackTable(tables - 1)) Resync(false);
  }
}

bool Reader::ReadStackTable(size_t table) {
  for (int64_t row = 1;; ++row) {
    if (!Skip()) return false;
    if (!IsClass(cursor.peek(), kDigit)) return true;
    const char* start = cursor.at();
    int64_t number = 0;
    if (!ReadInt(number)) return false;
    if (number != row) {
      return Error(diag::kBadStackTable, start,
                   "expected row " + std::to_string(row) + " of " + std::string(kTables[table]));
    }
    Doubt doubt;
    if (Try(doubt, [&] { return ReadStackRow(table) && EndLine(); })) continue;
    const char* stop = EndOfUnknown(start, false);
    if (stop != nullptr && *stop != '\n') stop = nullptr;
    if (!KeepUnknown(doubt, start, stop, "this row")) return false;
    const std::string_view text(start, static_cast<size_t>(stop - start));
    module.stack.verbatim.push_back(
        {static_cast<uint32_t>(table), static_cast<size_t>(row), module.Str(text)});
  }
}

// The row is in its table even if its text is not understood: other rows count on its number.
bool Reader::ReadStackRow(size_t table) {
  StackTables& stack = module.stack;
  if (table < kFileLocations) {
    StrId name(0u);
    const bool read = ReadStrId(name);
    (table == 0 ? stack.file_names : stack.function_names).push_back(name);
    return read;
  }
  FileLocation location;
  StackFrame frame;
  const bool read = ReadStackFields(table, location, frame);
  if (table == kFileLocations) {
    stack.file_locations.push_back(location);
  } else {
    stack.stack_frames.push_back(frame);
  }
  return read;
}

bool Reader::EndLine() {
  while (cursor.peek() == ' ') cursor.Step();
  const bool ends = IsClass(cursor.peek(), kMayBeBlank) || cursor.at_end();
  return ends || Expected("the end of the line");
}

bool Reader::ReadStackFields(size_t table, FileLocation& location, StackFrame& frame) {
  if (!Expect('{')) return false;
  while (!TakeAfterBlanks('}')) {
    const char* start = cursor.at();
    const std::string_view field = cursor.TakeName();
    int64_t* target = nullptr;
    if (table == kFileLocations) {
      if (field == "file_name_id") target = &location.file_name_id;
      if (field == "function_name_id") target = &location.function_name_id;
      if (field == "line") target = &location.line;
      if (field == "end_line") target = &location.end_line;
      if (field == "column") target = &location.column;
      if (field == "end_column") target = &location.end_column;
    } else {
      if (field == "file_location_id") target = &frame.file_location_id;
      if (field == "parent_frame_id") target = &frame.parent_frame_id;
    }
    if (target == nullptr) {
      return Error(diag::kBadStackTable, start,
                   "'" + std::string(field.substr(0, 40)) + "' is not a field of " +
                       std::string(kTables[table]));
    }
    if (!Expect('=') || !ReadInt(*target)) return false;
  }
  return true;
}

// A name on a line and numbered rows after it.
bool Reader::ReadUnknownStackTable(size_t tables_before) {
  const char* start = cursor.at();
  Cursor ahead = cursor;
  const std::string_view name = ahead.TakeName();
  if (name.empty() || !ahead.Take('\n') || !IsClass(ahead.peek(), kDigit)) return false;
  const char* stop = ahead.at();
  while (IsClass(ahead.peek(), kDigit)) {
    stop = std::find(ahead.at(), cursor.end(), '\n');
    ahead.MoveTo(stop);
    if (!ahead.Take('\n')) break;
  }
  Warn(diag::kUnknownForm, start,
       "table '" + std::string(name.substr(0, 80)) + "' is unknown to this version");
  const std::string_view text(start, static_cast<size_t>(stop - start));
  module.stack.verbatim.push_back({static_cast<uint32_t>(tables_before), 0, module.Str(text)});
  cursor.MoveTo(stop);
  return true;
}

void Reader::Finish() {
  const char* begin = cursor.at() - cursor.offset();
  for (const CompRef& ref : comp_refs) {
    const Computation& computation = module.comps[ref.comp.index()];
    if (computation.defined || malformed_comps.contains(module.text(computation.name))) continue;
    Error(diag::kUnknownComputation, begin + ref.offset,
          "computation '" + std::string(module.text(computation.name).substr(0, 80)) +
              "' is not defined");
  }
  ResolveControlRefs();
  if (!module.entry.valid() && !module.order.empty()) {
    module.entry = module.order.back();
    Computation& last = module.comps[module.entry.index()];
    if (module.style.header && diagnostics.ok()) {
      Warn(diag::kNoEntry, begin,
           "no computation is marked ENTRY; using '" +
               std::string(module.text(last.name).substr(0, 80)) + "'");
    }
  }
  if (module.order.empty() && diagnostics.ok()) {
    if (module.style.header) {
      Error(diag::kUnexpectedEnd, cursor.end(), "this module has no computations");
    } else {
      Error(diag::kNotHlo, begin, "this is not HLO text");
    }
  }
}

void Reader::ResolveControlRefs() {
  CompId mapped;
  std::vector<Attr> attrs;
  std::vector<int64_t> preds;
  for (const ControlRef& ref : control_refs) {
    if (ref.inst.index() >= module.insts.size()) continue;
    Inst& inst = module.insts[ref.inst.index()];
    const Computation& parent = module.comp(inst.parent);
    if (mapped != inst.parent) {
      mapped = inst.parent;
      names.Clear();
      for (uint32_t i = parent.first; i < parent.first + parent.count; ++i) {
        if ((module.insts[i].flags & kInstImplicit) == 0) names.Add(i);
      }
    }
    preds.clear();
    for (const std::string_view name : ref.names) {
      const uint32_t found = names.Find(name);
      if (found != InstId::kNoneValue) {
        preds.push_back(found);
      } else if (!malformed_insts.contains({inst.parent, name})) {
        Error(diag::kUnknownControlPredecessor, LocationOfName(name),
              "'" + std::string(name.substr(0, 80)) + "' is not defined in this computation");
      }
    }
    attrs.assign(module.attrs_of(inst).begin(), module.attrs_of(inst).end());
    for (Attr& attr : attrs) {
      if (attr.key == AttrKey::k_control_predecessors) attr.value = module.Ints(preds).value;
    }
    inst.attrs = module.Attrs(attrs);
  }
  control_refs.clear();
}

}  // namespace halo
