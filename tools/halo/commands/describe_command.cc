// `halo describe`: what the JSON documents and the requests hold, as tables, schemas or types of
// other languages.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "halo/api/describe/choice_lists.h"
#include "halo/api/registry/all_documents.h"
#include "halo/api/registry/describe_document.h"
#include "halo/describe/json_schema.h"
#include "halo/describe/language_types.h"
#include "halo/describe/tables.h"
#include "halo/describe/write_json.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

constexpr std::string_view kPartsName = "parts";

struct DescribeFlags {
  std::string name, schemas;
  bool markdown = false, typescript = false, python = false;
};

std::string TypeText(const documents::DescribedType& type, const Session& session) {
  TextTable table("llt");
  for (const documents::DescribedField& field : type.fields) {
    table.Add({field.path, field.type, field.meaning});
  }
  return Phrase("{}  ({})\n", type.name, type.made_by) + table.Text(2, session.console.Width()) +
         "\n";
}

// What every document has is a separate table.
std::string MarkdownOf(const std::string& name) {
  const describe::TypeModel parts = describe::ModelOf<v0::ResultParts>();
  if (name == kPartsName) return describe::MarkdownTable(parts, {});
  const describe::DocumentModel* document = FindDocument(name);
  return document == nullptr ? std::string() : describe::MarkdownTable(document->type, parts);
}

void WriteSchemas(const std::string& folder, Session& session) {
  for (const describe::DocumentModel& each : AllDocuments()) {
    const std::string path = folder + "/" + each.schema + ".json";
    if (!WriteFile(path, describe::DocumentSchema(each, ChoicesNamed), session)) return;
  }
}

void RunDescribe(const DescribeFlags& options, Session& session) {
  if (options.markdown && options.name == kPartsName) {
    return session.console.Out(MarkdownOf(options.name));
  }
  const Result<documents::DescribeResult> found = Describe(options.name);
  if (!found.ok()) {
    return RefuseWithHint(kWrongUsage, "halo describe: " + found.error().message,
                          "try: halo describe, which lists them", session);
  }
  if (!options.schemas.empty()) return WriteSchemas(options.schemas, session);
  if (session.json) return PrintJson(describe::DocumentJson(*found), session);
  if (options.markdown) return session.console.Out(MarkdownOf(options.name));
  if (options.typescript) {
    return session.console.Out(describe::TypeScriptTypes(AllDocuments(), AllRequests()));
  }
  if (options.python) {
    return session.console.Out(describe::PythonTypes(AllDocuments(), AllRequests()));
  }
  if (options.name.empty()) {
    TextTable table("ll");
    for (const auto& each : found->documents) table.Add({each.name, each.made_by});
    return session.console.Print(table.Text(0, session.console.Width()));
  }
  std::string out;
  for (const auto& each : found->documents) out += TypeText(each, session);
  for (const auto& each : found->requests) out += TypeText(each, session);
  session.console.Print(out);
}

}  // namespace

void AddDescribeCommand(CLI::App& app, Session& session) {
  auto options = std::make_shared<DescribeFlags>();
  CLI::App* command = app.add_subcommand(
      "describe", "Describe the JSON documents that commands print, and the requests they take");
  command->add_option("NAME", options->name, "A document or a command, such as memory");
  command->option_defaults()->group(kOutputOptions);
  command->add_flag("--json", session.json, "Print the result as JSON");
  command->add_flag("--markdown", options->markdown,
                    "Print the fields of NAME as a Markdown table");
  command->add_option("--schemas", options->schemas,
                      "Write a JSON Schema of every document into this folder");
  command->add_flag("--typescript", options->typescript, "Print all types in TypeScript");
  command->add_flag("--python", options->python, "Print all types in Python");
  command->footer(
      "Without NAME, the documents are listed. `parts` with --markdown is what every document "
      "has.\n\n"
      "Examples:\n"
      "  halo describe\n"
      "  halo describe memory\n"
      "  halo describe --schemas schemas");
  command->callback([options, &session] { RunDescribe(*options, session); });
}

}  // namespace halo::tool
