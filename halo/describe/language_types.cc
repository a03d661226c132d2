// Structs are written before what contains them, once each; a struct's name identifies it.
#include "halo/describe/language_types.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

namespace halo::describe {
namespace {

// All structs inside a type and the type itself, innermost first.
void AddStructs(const TypeModel& type, std::set<std::string>& known,
                std::vector<const TypeModel*>& structs) {
  for (const TypeModel& each : type.element) AddStructs(each, known, structs);
  for (const FieldModel& each : type.fields) AddStructs(each.type, known, structs);
  if (type.kind == TypeModel::Kind::kObject && known.insert(type.name).second) {
    structs.push_back(&type);
  }
}

std::vector<const TypeModel*> StructsOf(std::span<const DocumentModel> documents) {
  std::set<std::string> known;
  std::vector<const TypeModel*> structs;
  for (const DocumentModel& each : documents) AddStructs(each.type, known, structs);
  return structs;
}

// Comments of at most about 110 bytes a line.
void AddComment(std::string_view text, std::string_view prefix, std::string& out) {
  constexpr size_t kWidth = 110;
  while (!text.empty()) {
    size_t end = text.size();
    if (end > kWidth) {
      end = text.rfind(' ', kWidth);
      if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    }
    out += std::string(prefix) + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string CommentOf(const FieldModel& field) {
  std::string text = field.meaning;
  if (!field.when.empty()) text += (text.empty() ? "" : "; ") + field.when;
  return text;
}

std::string TypeScriptOf(const FieldModel& field, const TypeModel& type) {
  switch (type.kind) {
    case TypeModel::Kind::kText: return "string";
    case TypeModel::Kind::kInteger:
    case TypeModel::Kind::kReal: return field.may_be_text ? "number | string" : "number";
    case TypeModel::Kind::kBool: return "boolean";
    case TypeModel::Kind::kObject: return type.name;
    case TypeModel::Kind::kList: {
      const std::string inner = TypeScriptOf(field, type.element.front());
      return inner.find(' ') == std::string::npos ? inner + "[]" : "(" + inner + ")[]";
    }
    case TypeModel::Kind::kKeyed:
      return "Record<string, " + TypeScriptOf(field, type.element.front()) + ">";
  }
  return "unknown";
}

void TypeScriptStruct(const TypeModel& type, bool all_optional, std::string& out) {
  out += "\nexport interface " + type.name + " {\n";
  for (const FieldModel& field : type.fields) {
    std::string comment;
    AddComment(CommentOf(field), "", comment);
    if (!comment.empty()) {
      comment.pop_back();
      out += "  /** ";
      for (const char c : comment) out += c == '\n' ? std::string("\n      ") : std::string(1, c);
      out += " */\n";
    }
    out += "  " + field.name + (field.may_be_absent || all_optional ? "?: " : ": ") +
           TypeScriptOf(field, field.type) + (field.may_be_null ? " | null" : "") + ";\n";
  }
  out += "}\n";
}

constexpr std::array kPythonWords = {
    "and",  "as",     "assert", "async", "await",  "break", "class",  "def",  "del",  "elif",
    "else", "except", "for",    "from",  "global", "if",    "import", "in",   "is",   "lambda",
    "not",  "or",     "pass",   "raise", "return", "try",   "while",  "with", "yield"};

// The attribute of a field: a keyword of Python gets an underscore. Empty if it can be none.
std::string AttributeOf(const std::string& name) {
  const bool is_name = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!is_name) return {};
  const auto is_it = [&](std::string_view word) { return word == name; };
  return std::any_of(kPythonWords.begin(), kPythonWords.end(), is_it) ? name + "_" : name;
}

std::string PythonOf(const FieldModel& field, const TypeModel& type) {
  switch (type.kind) {
    case TypeModel::Kind::kText: return "str";
    case TypeModel::Kind::kInteger: return "int";
    case TypeModel::Kind::kReal: return field.may_be_text ? "Union[float, str]" : "float";
    case TypeModel::Kind::kBool: return "bool";
    case TypeModel::Kind::kObject: return type.name;
    case TypeModel::Kind::kList: return "list[" + PythonOf(field, type.element.front()) + "]";
    case TypeModel::Kind::kKeyed: return "Record";
  }
  return "Any";
}

const TypeModel& Innermost(const TypeModel& type) {
  const TypeModel* inner = &type;
  while (!inner->element.empty()) inner = &inner->element.front();
  return *inner;
}

void PythonClass(const TypeModel& type, std::string_view what, std::string& out) {
  out += "\n\nclass " + type.name + "(Record):\n    \"\"\"" + std::string(what) + "\"\"\"\n\n";
  std::string nested, optional, fields;
  for (const FieldModel& field : type.fields) {
    const TypeModel& inner = Innermost(field.type);
    if (inner.kind == TypeModel::Kind::kObject && field.type.kind != TypeModel::Kind::kKeyed) {
      nested += "        \"" + field.name + "\": " + inner.name + ",\n";
    }
    if (field.may_be_absent) optional += "        \"" + field.name + "\",\n";
    const std::string attribute = AttributeOf(field.name);
    if (attribute.empty()) continue;
    AddComment(CommentOf(field), "    # ", fields);
    const std::string python = PythonOf(field, field.type);
    const bool maybe = field.may_be_absent || field.may_be_null;
    fields += "    " + attribute + ": " + (maybe ? "Optional[" + python + "]" : python) + "\n";
  }
  if (!nested.empty()) out += "    _nested = {\n" + nested + "    }\n";
  if (!optional.empty()) out += "    _optional = frozenset({\n" + optional + "    })\n";
  out += fields.empty() && nested.empty() && optional.empty() ? "    pass\n" : fields;
}

// What a caller of Python gives: sizes may be texts.
void PythonRequest(const TypeModel& type, std::string& out) {
  out += "\n\nclass " + type.name +
         "(TypedDict, total=False):\n    \"\"\"Options of a request.\"\"\"\n\n";
  for (const FieldModel& field : type.fields) {
    const std::string attribute = AttributeOf(field.name);
    if (attribute.empty() || attribute != field.name) continue;
    AddComment(CommentOf(field), "    # ", out);
    std::string python = PythonOf(field, field.type);
    if (field.type.kind == TypeModel::Kind::kList) {
      python = "Sequence[" + PythonOf(field, field.type.element.front()) + "]";
    }
    if (field.unit == v0::Unit::kBytes) python = "Union[int, str]";
    out += "    " + attribute + ": Optional[" + python + "]\n";
  }
}

}  // namespace

std::string TypeScriptTypes(std::span<const DocumentModel> documents,
                            std::span<const DocumentModel> requests) {
  std::string out =
      "// The documents and requests of Haloscope. Generated by `halo describe --typescript`.\n";
  for (const TypeModel* type : StructsOf(documents)) TypeScriptStruct(*type, false, out);
  for (const DocumentModel& each : requests) TypeScriptStruct(each.type, true, out);
  return out;
}

std::string PythonTypes(std::span<const DocumentModel> documents,
                        std::span<const DocumentModel> requests) {
  std::string out =
      "\"\"\"What the JSON documents hold, one class for each object, and the options of requests. "
      "Generated "
      "by\n`halo describe --python`.\"\"\"\n\n"
      "from __future__ import annotations\n\n"
      "from typing import Any, Optional, Sequence, TypedDict, Union\n\n"
      "from haloscope._record import Record\n";
  for (const TypeModel* type : StructsOf(documents)) {
    std::string what = "An object of a document.";
    for (const DocumentModel& each : documents) {
      if (each.type.name == type->name) what = each.schema + ": " + each.made_by + ".";
    }
    PythonClass(*type, what, out);
  }
  for (const DocumentModel& each : requests) PythonRequest(each.type, out);
  return out;
}

}  // namespace halo::describe
