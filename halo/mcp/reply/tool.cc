// Schemas follow the tables; every structured result has its conclusion, and rows if the tool has
// columns.
#include "halo/mcp/reply/tool.h"

#include <algorithm>

namespace halo::mcp {
namespace {

constexpr std::string_view kCursorName = "cursor";
constexpr std::string_view kCursorWhat = "From an earlier answer: its next rows";

std::string_view TypeText(FieldType type) {
  switch (type) {
    case FieldType::kText: return "string";
    case FieldType::kInteger: return "integer";
    case FieldType::kNumber: return "number";
    case FieldType::kBool: return "boolean";
    case FieldType::kTexts:
    case FieldType::kIntegers: return "array";
  }
  return "string";
}

JsonValue TypeSchema(std::string_view type) {
  JsonValue schema = MakeObject();
  Put(schema, "type", type);
  return schema;
}

JsonValue FieldSchema(const Field& field) {
  JsonValue schema = TypeSchema(TypeText(field.type));
  if (field.type == FieldType::kTexts) Put(schema, "items", TypeSchema("string"));
  if (field.type == FieldType::kIntegers) Put(schema, "items", TypeSchema("integer"));
  PutIfAny(schema, "description", field.what);
  if (!field.choices.empty()) {
    JsonValue choices = MakeArray();
    for (const std::string_view each : field.choices) choices.items.push_back(MakeText(each));
    Put(schema, "enum", std::move(choices));
  }
  return schema;
}

JsonValue ObjectSchema(const std::vector<Field>& fields) {
  JsonValue properties = MakeObject();
  JsonValue required = MakeArray();
  for (const Field& field : fields) {
    Put(properties, field.name, FieldSchema(field));
    if (field.is_required) required.items.push_back(MakeText(field.name));
  }
  JsonValue schema = TypeSchema("object");
  Put(schema, "properties", std::move(properties));
  if (!required.items.empty()) Put(schema, "required", std::move(required));
  return schema;
}

std::vector<Field> AllArguments(const Tool& tool) {
  std::vector<Field> all = tool.arguments;
  if (!tool.columns.empty()) all.push_back({kCursorName, FieldType::kText, kCursorWhat});
  return all;
}

JsonValue OutputSchema(const Tool& tool) {
  std::vector<Field> all = {{"conclusion", FieldType::kText, "", true}};
  all.insert(all.end(), tool.figures.begin(), tool.figures.end());
  if (!tool.columns.empty()) {
    all.push_back({"from", FieldType::kInteger, "", true});
    all.push_back({"total", FieldType::kInteger, "", true});
    all.push_back({kCursorName, FieldType::kText, ""});
  }
  JsonValue schema = ObjectSchema(all);
  if (tool.columns.empty()) return schema;
  JsonValue rows = TypeSchema("array");
  Put(rows, "items", ObjectSchema(tool.columns));
  for (size_t i = 0; i < schema.keys.size(); ++i) {
    if (schema.keys[i] == "properties") Put(schema.items[i], "rows", rows);
    if (schema.keys[i] == "required") schema.items[i].items.push_back(MakeText("rows"));
  }
  return schema;
}

bool IsWhole(const JsonValue& value) {
  return value.kind == JsonValue::Kind::kNumber && ParseInt(value.text).has_value();
}

bool Fits(const JsonValue& value, FieldType type) {
  const auto all = [&](auto is_right) {
    return value.kind == JsonValue::Kind::kArray &&
           std::all_of(value.items.begin(), value.items.end(), is_right);
  };
  switch (type) {
    case FieldType::kText: return value.kind == JsonValue::Kind::kString;
    case FieldType::kInteger: return IsWhole(value);
    case FieldType::kNumber: return value.kind == JsonValue::Kind::kNumber;
    case FieldType::kBool: return value.kind == JsonValue::Kind::kBool;
    case FieldType::kTexts:
      return all([](const JsonValue& each) { return each.kind == JsonValue::Kind::kString; });
    case FieldType::kIntegers: return all(IsWhole);
  }
  return false;
}

std::string NamesOf(const std::vector<Field>& fields) {
  std::string names;
  for (const Field& each : fields) names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

std::string ChoicesOf(const Field& field) {
  std::string choices;
  for (const std::string_view each : field.choices) {
    choices += (choices.empty() ? "" : ", ") + std::string(each);
  }
  return choices;
}

}  // namespace

JsonValue DescribeTool(const Tool& tool) {
  JsonValue entry = MakeObject();
  Put(entry, "name", tool.name);
  Put(entry, "title", tool.title);
  Put(entry, "description", tool.what);
  JsonValue input = ObjectSchema(AllArguments(tool));
  Put(input, "additionalProperties", false);
  Put(entry, "inputSchema", std::move(input));
  Put(entry, "outputSchema", OutputSchema(tool));
  JsonValue hints = MakeObject();
  Put(hints, "readOnlyHint", true);
  Put(hints, "openWorldHint", false);
  Put(entry, "annotations", std::move(hints));
  return entry;
}

ToolReply CheckArguments(const Tool& tool, const JsonValue& arguments) {
  const std::vector<Field> known = AllArguments(tool);
  const std::string name(tool.name);
  if (!arguments.is_object() && !arguments.is_null()) {
    return Refuse("the arguments of `" + name + "` must be an object",
                  "give any of: " + NamesOf(known));
  }
  for (size_t i = 0; i < arguments.keys.size(); ++i) {
    const std::string& key = arguments.keys[i];
    const auto field = std::find_if(known.begin(), known.end(),
                                    [&](const Field& each) { return each.name == key; });
    if (field == known.end()) {
      return Refuse("`" + name + "` takes no argument `" + key + "`",
                    "give any of: " + NamesOf(known));
    }
    if (!Fits(arguments.items[i], field->type)) {
      std::string type(TypeText(field->type));
      if (field->type == FieldType::kTexts) type += " of strings";
      if (field->type == FieldType::kIntegers) type += " of integers";
      return Refuse("`" + key + "` must be of type " + type, std::string(field->what));
    }
    const std::string_view text = arguments.items[i].AsString();
    if (!field->choices.empty() &&
        std::find(field->choices.begin(), field->choices.end(), text) == field->choices.end()) {
      return Refuse("`" + key + "` cannot be `" + std::string(text) + "`",
                    "give one of: " + ChoicesOf(*field));
    }
  }
  for (const Field& field : known) {
    if (field.is_required && arguments[field.name].is_null()) {
      return Refuse("`" + name + "` needs `" + std::string(field.name) + "`",
                    std::string(field.what));
    }
  }
  return {};
}

}  // namespace halo::mcp
