// Tests everything that is derived from a description, on one small document.
#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/describe/check_request.h"
#include "halo/describe/json_schema.h"
#include "halo/describe/language_types.h"
#include "halo/describe/read_json.h"
#include "halo/describe/tables.h"
#include "halo/describe/write_json.h"

namespace halo::sample {

using v0::Choices;
using v0::FieldFlag;
using v0::Unit;
using v0::When;

enum class Color : uint8_t { kRed, kGreen };
constexpr std::array<std::string_view, 2> EnumTexts(Color /*type*/) { return {"red", "green"}; }

struct Part {
  std::string name;
  int64_t bytes = 0;
};

template <class V>
void Fields(V& v, Part& r) {
  v("name", r.name, "what it is called");
  v("bytes", r.bytes, "of it", Unit::kBytes);
}

struct Whole {
  static constexpr std::string_view kSchema = "halo.whole.v3";

  std::string text, note;
  Color color = Color::kGreen;
  bool is_set = false;
  double ratio = 0;
  std::optional<int64_t> known, unknown;
  std::optional<Part> part, lost;
  std::vector<Part> parts;
  std::vector<std::pair<std::string, int64_t>> counts;
};

template <class V>
void Fields(V& v, Whole& r) {
  v("text", r.text, "a text");
  v("note", r.note, "a remark", FieldFlag::kIfAny);
  v("color", r.color, "");
  v("is_set", r.is_set, "whether it is set");
  v("ratio", r.ratio, "a quotient", FieldFlag::kNotFinite);
  v("known", r.known, "a number", When{"if there is one"});
  v("unknown", r.unknown, "another", FieldFlag::kNullIfUnknown);
  v("part", r.part, "one part");
  v("lost", r.lost, "another part", FieldFlag::kNullIfUnknown);
  v("parts", r.parts, "all parts", FieldFlag::kTop);
  v("counts", r.counts, "how many of each");
}

struct Asked {
  std::vector<std::string> names;
  std::optional<int64_t> capacity;
  int64_t alignment = 16;
  double seconds = 1;
  std::string backend;
};

template <class V>
void Fields(V& v, Asked& r) {
  v("names", r.names, "Names");
  v("capacity", r.capacity, "How much fits", Unit::kBytes);
  v("alignment", r.alignment, "Of offsets", FieldFlag::kPowerOfTwo);
  v("seconds", r.seconds, "How long", v0::Between{0.5, 10});
  v("backend", r.backend, "Whose rules", Choices{"backends"});
}

}  // namespace halo::sample

namespace halo::describe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string_view> Lists(std::string_view name) {
  return name == "backends" ? std::vector<std::string_view>{"cpu", "gpu"}
                            : std::vector<std::string_view>();
}

DocumentModel WholeModel() { return {"halo.whole.v3", "halo whole", ModelOf<sample::Whole>()}; }

sample::Whole Filled() {
  sample::Whole whole;
  whole.text = "x";
  whole.ratio = std::numeric_limits<double>::infinity();
  whole.known = 7;
  whole.part = {"p", 4};
  whole.parts = {{"a", 1}, {"b", 2}, {"c", 3}};
  whole.counts = {{"z", 1}, {"y", 2}};
  return whole;
}

TEST(Describe, WritesWhatIsThere) {
  const std::string text = DocumentJson(Filled(), 2);
  const auto json = ParseJson(text);
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ((*json)["schema"].AsString(), "halo.whole.v3");
  EXPECT_EQ((*json)["color"].AsString(), "green");
  EXPECT_EQ((*json)["ratio"].AsString(), "inf");
  EXPECT_EQ((*json)["known"].AsInt(0), 7);
  EXPECT_THAT(json->keys, Not(::testing::Contains("note")));
  EXPECT_THAT(json->keys, ::testing::Contains("unknown"));
  EXPECT_EQ((*json)["parts"].items.size(), 2U);  // cut to the rows that were asked for
  EXPECT_THAT((*json)["counts"].keys, ElementsAre("z", "y"));
}

TEST(Describe, ReadsWhatItWrote) {
  const std::string text = DocumentJson(Filled());
  sample::Whole read;
  ASSERT_TRUE(ReadDocument(*ParseJson(text), read));
  EXPECT_EQ(DocumentJson(read), text);
}

TEST(Describe, RequestsAreReadStrictly) {
  sample::Asked asked;
  EXPECT_THAT(ReadRequest(*ParseJson(R"({"names":"a,b{1,2}","capacity":"2KiB"})"), {}, asked),
              IsEmpty());
  EXPECT_THAT(asked.names, ElementsAre("a", "b{1,2}"));
  EXPECT_EQ(asked.capacity, 2048);
  constexpr std::array<std::string_view, 1> kOthers = {"top"};
  EXPECT_THAT(ReadRequest(*ParseJson(R"({"top":1})"), kOthers, asked), IsEmpty());
  EXPECT_EQ(ReadRequest(*ParseJson(R"({"tops":1})"), kOthers, asked), "there is no member `tops`");
  EXPECT_EQ(ReadRequest(*ParseJson(R"({"capacity":true})"), {}, asked),
            "`capacity` must be an integer");
  EXPECT_EQ(ReadRequest(*ParseJson(R"({"capacity":"much"})"), {}, asked),
            "`capacity` must be a size such as 80GiB, 16GB or 4096");
  EXPECT_EQ(ReadRequest(*ParseJson("[]"), {}, asked), "a request is a JSON object");
}

TEST(Describe, ValuesAreChecked) {
  sample::Asked asked;
  EXPECT_EQ(CheckRequest(asked, Lists), "");
  asked.backend = "GPU";
  EXPECT_EQ(CheckRequest(asked, Lists), "");
  asked.backend = "vpu";
  asked.alignment = 3;
  asked.seconds = 11;
  EXPECT_EQ(
      CheckRequest(asked, Lists),
      "`alignment` must be a power of two; `seconds` must be from 0.5 to 10; `backend` is one "
      "of cpu, gpu, not vpu");
}

TEST(Describe, Schema) {
  const auto schema = ParseJson(DocumentSchema(WholeModel(), Lists));
  ASSERT_TRUE(schema.has_value());
  const JsonValue& fields = (*schema)["properties"];
  EXPECT_EQ(fields["schema"]["const"].AsString(), "halo.whole.v3");
  EXPECT_EQ(fields["part"]["title"].AsString(), "Part");
  EXPECT_EQ(fields["part"]["properties"]["bytes"]["unit"].AsString(), "bytes");
  EXPECT_EQ(fields["counts"]["additionalProperties"]["type"].AsString(), "integer");
  EXPECT_EQ(fields["lost"]["type"].items.back().AsString(), "null");
  EXPECT_EQ(fields["unknown"]["type"].items.back().AsString(), "null");
  EXPECT_EQ(fields["known"]["description"].AsString(), "a number; if there is one");
  std::vector<std::string> required;
  for (const JsonValue& each : (*schema)["required"].items) {
    required.emplace_back(each.AsString());
  }
  EXPECT_THAT(required, ElementsAre("schema", "halo_version", "text", "color", "is_set", "ratio",
                                    "unknown", "lost", "parts", "counts"));
}

TEST(Describe, Tables) {
  const std::string table = MarkdownTable(WholeModel().type, {});
  EXPECT_THAT(table, HasSubstr("| `parts[].bytes` | int | of it |"));
  EXPECT_THAT(table, HasSubstr("| `known` | int? | a number; if there is one |"));
  EXPECT_THAT(table, HasSubstr("| `unknown` | int or null | another |"));
  EXPECT_THAT(table, HasSubstr("| `counts{}` | int | how many of each |"));
}

TEST(Describe, TypesOfOtherLanguages) {
  const std::vector<DocumentModel> documents = {WholeModel()};
  const std::vector<DocumentModel> requests = {{"whole", "halo whole", ModelOf<sample::Asked>()}};
  const std::string typescript = TypeScriptTypes(documents, requests);
  EXPECT_THAT(typescript, HasSubstr("export interface Part {"));
  EXPECT_THAT(typescript, HasSubstr("  known?: number;"));
  EXPECT_THAT(typescript, HasSubstr("  unknown: number | null;"));
  EXPECT_THAT(typescript, HasSubstr("  counts: Record<string, number>;"));
  const std::string python = PythonTypes(documents, requests);
  EXPECT_THAT(python, HasSubstr("class Part(Record):"));
  EXPECT_THAT(python, HasSubstr("    known: Optional[int]"));
  EXPECT_THAT(python, HasSubstr("        \"parts\": Part,"));
  EXPECT_THAT(python, HasSubstr("class Asked(TypedDict, total=False):"));
}

}  // namespace
}  // namespace halo::describe
