// What all descriptions together must hold.
#include "halo/api/registry/all_documents.h"

#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "halo/api/describe/choice_lists.h"
#include "halo/describe/tables.h"

namespace halo {
namespace {

using describe::TypeModel;

void ForEachStruct(const TypeModel& type, const std::function<void(const TypeModel&)>& visit) {
  if (type.kind == TypeModel::Kind::kObject) visit(type);
  for (const TypeModel& each : type.element) ForEachStruct(each, visit);
  for (const describe::FieldModel& each : type.fields) ForEachStruct(each.type, visit);
}

void ForEachStruct(const std::function<void(const TypeModel&)>& visit) {
  for (const describe::DocumentModel& each : AllDocuments()) ForEachStruct(each.type, visit);
  for (const describe::DocumentModel& each : AllRequests()) ForEachStruct(each.type, visit);
}

// A list that does not exist would allow every text.
TEST(AllDocuments, ListsOfValuesExist) {
  size_t lists = 0;
  ForEachStruct([&](const TypeModel& type) {
    for (const describe::FieldModel& field : type.fields) {
      if (field.choices.empty()) continue;
      ++lists;
      EXPECT_FALSE(ChoicesNamed(field.choices).empty())
          << type.name << "." << field.name << ": " << field.choices;
    }
  });
  EXPECT_GT(lists, 20U);
  EXPECT_TRUE(ChoicesNamed("no_such_list").empty());
}

// Types of other languages are written once for each name.
TEST(AllDocuments, AStructsNameIdentifiesIt) {
  std::map<std::string, std::string> known;
  ForEachStruct([&](const TypeModel& type) {
    const std::string table = describe::MarkdownTable(type, {});
    const auto [entry, is_new] = known.try_emplace(type.name, table);
    EXPECT_EQ(entry->second, table) << type.name;
  });
  EXPECT_GT(known.size(), 50U);
}

TEST(AllDocuments, AreFoundByName) {
  ASSERT_NE(FindDocument("memory"), nullptr);
  EXPECT_EQ(FindDocument("memory"), FindDocument(FindDocument("memory")->schema));
  EXPECT_EQ(FindDocument("mem"), nullptr);
  EXPECT_EQ(FindDocument(""), nullptr);
}

}  // namespace
}  // namespace halo
