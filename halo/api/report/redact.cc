// Uses an allowlist: everything that is not listed is removed.
#include "halo/api/report/redact.h"

#include <array>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/base/json/json_writer.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/memory/text/write_assignment.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

// Thread names that XLA itself uses.
constexpr std::array<std::string_view, 5> kThreads = {"main", "host", "sparsecore", "parallel",
                                                      "explicit"};

// Keeps only the numbers, booleans and structure of a configuration.
bool WriteWithoutStrings(const JsonValue& value, JsonWriter& json) {
  switch (value.kind) {
    case JsonValue::Kind::kNull: json.Null(); return true;
    case JsonValue::Kind::kBool: json.Bool(value.truth); return true;
    case JsonValue::Kind::kNumber:
    case JsonValue::Kind::kString:
      // The JSON form of 64-bit integers is a string.
      if (const auto number = ParseInt(value.text)) {
        if (value.kind == JsonValue::Kind::kString) {
          json.String(value.text);
        } else {
          json.Number(*number);
        }
        return true;
      }
      if (value.kind == JsonValue::Kind::kString) return false;
      json.Double(value.AsDouble(0));
      return true;
    case JsonValue::Kind::kArray:
      json.BeginArray();
      for (const JsonValue& item : value.items) WriteWithoutStrings(item, json);
      json.EndArray();
      return true;
    case JsonValue::Kind::kObject:
      json.BeginObject();
      for (size_t i = 0; i < value.keys.size(); ++i) {
        const JsonValue& item = value.items[i];
        const bool is_text =
            item.kind == JsonValue::Kind::kString && !ParseInt(item.text).has_value();
        if (is_text) continue;
        json.Key(value.keys[i]);
        WriteWithoutStrings(item, json);
      }
      json.EndObject();
      return true;
  }
  return false;
}

// The writer indents, but a configuration is on one line.
std::string OnOneLine(std::string_view json) {
  std::string line;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') {
      line += c;
      line += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == ' ' || c == '\n')) continue;
    line += c;
  }
  return line;
}

// Kinds whose values are numbers, XLA keywords or references, but not names.
bool MayStay(AttrKind kind) {
  switch (kind) {
    case AttrKind::kInt:
    case AttrKind::kBool:
    case AttrKind::kNumber:
    case AttrKind::kWord:
    case AttrKind::kWords:
    case AttrKind::kInts:
    case AttrKind::kBools:
    case AttrKind::kComp:
    case AttrKind::kCompList:
    case AttrKind::kInsts:
    case AttrKind::kWindow:
    case AttrKind::kSlices:
    case AttrKind::kPadding:
    case AttrKind::kDimLabels:
    case AttrKind::kShape:
    case AttrKind::kShapes:
    case AttrKind::kProgramLayout:
    case AttrKind::kLiteral:
    case AttrKind::kAliasing:
    case AttrKind::kDonors: return true;
    case AttrKind::kString:
    case AttrKind::kConfig:
    case AttrKind::kSharding:
    case AttrKind::kGroups:
    case AttrKind::kMetadata:
    case AttrKind::kDict:
    case AttrKind::kVerbatim: return false;
  }
  return false;
}

}  // namespace

Redactor::Redactor() : known_(KnownCustomCalls()) {
  for (const std::string_view thread : kThreads) threads_.emplace(thread, thread);
}

std::string Redactor::Renamed(std::string_view stem, std::string_view name, Names& names) {
  const auto found = names.find(name);
  if (found != names.end()) return found->second;
  std::string made = std::string(stem) + std::to_string(names.size());
  return names.emplace(name, std::move(made)).first->second;
}

std::string Redactor::InstName(std::string_view stem, std::string_view name) {
  return Renamed(std::string(stem) + ".r", name, insts_);
}

std::string_view Redactor::Thread(std::string_view name) {
  if (name.empty()) return {};
  Renamed("thread.r", name, threads_);
  return threads_.find(name)->second;
}

// Axes are quoted; metadata={...} is removed with the space before it.
std::string Redactor::Sharding(std::string_view text) {
  constexpr std::string_view kMetadata = "metadata=";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kMetadata)) {
      size_t depth = 0;
      bool quoted = false;
      for (i += kMetadata.size(); i < text.size(); ++i) {
        if (text[i] == '\\') {
          ++i;
        } else if (text[i] == '"') {
          quoted = !quoted;
        } else if (!quoted && text[i] == '{') {
          ++depth;
        } else if (!quoted && text[i] == '}' && --depth == 0) {
          break;
        }
      }
      while (!out.empty() && (out.back() == ' ' || out.back() == ',')) out.pop_back();
      continue;
    }
    if (text[i] != '\'' && text[i] != '"') {
      out += text[i];
      continue;
    }
    size_t end = i + 1;
    while (end < text.size() && text[end] != text[i]) end += text[end] == '\\' ? 2 : 1;
    end = std::min(end, text.size());
    out += text[i] + Renamed("x", text.substr(i + 1, end - i - 1), axes_) + text[i];
    i = end;
  }
  return out;
}

AttrListId Redactor::Attributes(AttrListId list, bool is_known_call, Module& module) {
  std::vector<Attr> kept;
  const std::span<const Attr> given = module.attrs_of(list);
  for (const Attr& attr : std::vector<Attr>(given.begin(), given.end())) {
    const AttrKind kind = InfoOf(attr.key).kind;
    if (MayStay(kind)) {
      kept.push_back(attr);
    } else if (kind == AttrKind::kSharding || kind == AttrKind::kGroups) {
      const std::string text = Sharding(module.text(StrId(attr.value)));
      kept.push_back(module.MakeText(attr.key, text, attr.form));
    } else if (kind == AttrKind::kConfig && is_known_call) {
      const std::optional<JsonValue> config = ParseJson(module.text(StrId(attr.value)));
      if (!config || !config->is_object()) continue;
      JsonWriter json;
      WriteWithoutStrings(*config, json);
      kept.push_back(module.MakeText(attr.key, OnOneLine(json.view()), AttrForm::kBare));
    } else if (attr.key == AttrKey::k_custom_call_target) {
      const std::string target(module.text(StrId(attr.value)));
      kept.push_back(module.MakeText(
          attr.key, is_known_call ? target : Renamed("target.r", target, targets_)));
    } else if (attr.key == AttrKey::k_async_execution_thread) {
      kept.push_back(module.MakeText(attr.key, Thread(module.text(StrId(attr.value)))));
    }
  }
  return module.Attrs(kept);
}

std::string Redactor::Redacted(const Module& given) {
  Module module = given;
  module.name = module.AddName(ModuleName(given.text(given.name)));
  module.attrs = Attributes(given.attrs, false, module);
  module.stack = {};
  module.style.large_constants = false;
  std::map<std::pair<uint32_t, bool>, AttrListId> lists;
  for (Inst& inst : module.insts) {
    std::string_view stem = inst.opcode == Opcode::kUnknown ? "op" : TextOf(inst.opcode);
    inst.name = module.AddName(InstName(stem, given.text(inst.name)));
    const Attr* target = given.Find(inst.attrs, AttrKey::k_custom_call_target);
    const bool is_known =
        target == nullptr || known_.Find(given.text(StrId(target->value))) != nullptr;
    const auto [found, is_new] = lists.try_emplace({inst.attrs.value, is_known});
    if (is_new) found->second = Attributes(inst.attrs, is_known, module);
    inst.attrs = found->second;
  }
  for (Computation& comp : module.comps) {
    comp.tail = {};
    comp.name = module.AddName(Renamed("comp.r", given.text(comp.name), comps_));
    if (comp.execution_thread.valid()) {
      comp.execution_thread = module.Str(Thread(given.text(comp.execution_thread)));
    }
  }
  return HloText(module);
}

std::string Redactor::Redacted(const Assignment& given, AssignmentPieces pieces) {
  Assignment assignment = given;
  const auto rename = [&](TextId& id) {
    if (id.valid()) id = assignment.Text(InstName("inst", given.text(id)));
  };
  for (AssignedValue& value : assignment.values) {
    rename(value.instruction);
    value.from_instruction = {};
  }
  for (ValuePosition& position : assignment.positions) rename(position.instruction);
  for (ValueUse& use : assignment.uses) rename(use.instruction);
  for (TextId& step : assignment.sequence) rename(step);
  for (PeakEntry& entry : assignment.peak.entries) rename(entry.instruction);
  for (Allocation& allocation : assignment.allocations) allocation.address = {};
  assignment.peak.stack_trace.clear();
  assignment.kept.clear();
  TextBuffer out;
  WriteAssignment(assignment, assignment.style, pieces, out);
  return std::string(out.view());
}

}  // namespace halo
