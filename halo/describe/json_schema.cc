// A field's meaning, unit and condition are its description.
#include "halo/describe/json_schema.h"

#include <string_view>

namespace halo::describe {
namespace {

class SchemaWriter {
 public:
  SchemaWriter(const ChoiceList& choices, JsonWriter& json) : choices_(choices), json_(json) {}

  void Object(const TypeModel& type, bool may_be_null) {
    if (may_be_null) {
      json_.Key("type").BeginArray().String("object").String("null").EndArray();
    } else {
      json_.Field("type", "object");
    }
    if (!type.name.empty()) json_.Field("title", std::string_view(type.name));
    Members(type, /*head=*/false);
  }

  // `head`: the document's own members come first.
  void Members(const TypeModel& type, bool head) {
    json_.Key("properties").BeginObject();
    if (head) {
      json_.Key("schema").BeginObject().Field("const", schema_).EndObject();
      json_.Key("halo_version").BeginObject();
      json_.Field("description", "the command that printed it").Field("type", "string");
      json_.EndObject();
    }
    for (const FieldModel& field : type.fields) {
      json_.Key(field.name).BeginObject();
      Member(field);
      json_.EndObject();
    }
    json_.EndObject();
    json_.Key("required").BeginArray();
    if (head) json_.String("schema").String("halo_version");
    for (const FieldModel& field : type.fields) {
      if (!field.may_be_absent) json_.String(field.name);
    }
    json_.EndArray();
  }

  void Member(const FieldModel& field) {
    std::string meaning = field.meaning;
    if (!field.when.empty()) meaning += (meaning.empty() ? "" : "; ") + field.when;
    if (!meaning.empty()) json_.Field("description", std::string_view(meaning));
    if (field.unit != v0::Unit::kNone) json_.Field("unit", UnitText(field.unit));
    Type(field, field.type);
  }

  void set_schema(std::string_view schema) { schema_ = schema; }

 private:
  void Type(const FieldModel& field, const TypeModel& type) {
    switch (type.kind) {
      case TypeModel::Kind::kObject: return Object(type, field.may_be_null);
      case TypeModel::Kind::kList:
        json_.Field("type", "array").Key("items").BeginObject();
        Type(field, type.element.front());
        json_.EndObject();
        return;
      case TypeModel::Kind::kKeyed:
        json_.Field("type", "object").Key("additionalProperties").BeginObject();
        Type(field, type.element.front());
        json_.EndObject();
        return;
      case TypeModel::Kind::kText:
        Scalar(field, "string");
        Choices(field);
        return;
      case TypeModel::Kind::kInteger: return Scalar(field, "integer");
      case TypeModel::Kind::kReal: return Scalar(field, "number");
      case TypeModel::Kind::kBool: return Scalar(field, "boolean");
    }
  }

  void Scalar(const FieldModel& field, std::string_view name) {
    if (!field.may_be_null && !field.may_be_text) {
      json_.Field("type", name);
      return;
    }
    json_.Key("type").BeginArray().String(name);
    if (field.may_be_text) json_.String("string");
    if (field.may_be_null) json_.String("null");
    json_.EndArray();
  }

  // The values of today; a later version may add some, so they are examples to a reader.
  void Choices(const FieldModel& field) {
    if (field.choices.empty() || !choices_) return;
    json_.Key("examples").BeginArray();
    for (const std::string_view each : choices_(field.choices)) json_.String(each);
    json_.EndArray();
  }

  const ChoiceList& choices_;
  JsonWriter& json_;
  std::string_view schema_;
};

}  // namespace

std::string DocumentSchema(const DocumentModel& document, const ChoiceList& choices) {
  JsonWriter json;
  json.BeginObject()
      .Field("$schema", "https://json-schema.org/draft/2020-12/schema")
      .Field("$id", document.schema + ".json")
      .Field("title", std::string_view(document.schema))
      .Field("description", std::string_view(document.made_by))
      .Field("type", "object");
  SchemaWriter writer(choices, json);
  writer.set_schema(document.schema);
  writer.Members(document.type, /*head=*/true);
  json.EndObject();
  return std::string(json.view());
}

void WriteRequestSchema(const TypeModel& request, const ChoiceList& choices, JsonWriter& json) {
  SchemaWriter writer(choices, json);
  for (const FieldModel& field : request.fields) {
    json.Key(field.name).BeginObject();
    writer.Member(field);
    json.EndObject();
  }
}

}  // namespace halo::describe
