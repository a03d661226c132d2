// Tests the C interface: results, arrays, tables, and errors as values.
#include "haloscope/c.h"

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::HasSubstr;

constexpr std::string_view kDotModule = R"(HloModule step

ENTRY main {
  p = f32[2]{0} parameter(0)
  ROOT r = f32[2]{0} multiply(p, p)
}
)";

class CTest : public testing::Test {
 protected:
  CTest() {
    EXPECT_EQ(halo_open_bytes("step.hlo", kDotModule.data(), kDotModule.size(), &document_),
              HALO_OK);
  }
  ~CTest() override { halo_close(document_); }

  halo_document* document_ = nullptr;
};

TEST_F(CTest, RefusesMoreDimensionsThanAnyShapeHas) {
  const float element = 3;
  const int64_t dims[] = {1};
  const halo_array input = {"in_0", "f32", 1'000'000, dims, &element, sizeof element};
  halo_result* result = nullptr;
  EXPECT_EQ(halo_run(document_, "{}", &input, 1, &result), HALO_BAD_ARGUMENT);
  EXPECT_EQ(result, nullptr);
  EXPECT_THAT(halo_error(document_), HasSubstr("more than 256 dimensions"));
}

TEST_F(CTest, RefusesCallsWithoutTheResultTheyNeed) {
  constexpr std::string_view kPad = R"(HloModule m
ENTRY e {
  a = f32[2,2] parameter(0)
  ROOT r = () custom-call(a), custom_call_target="PadToStatic"
}
)";
  halo_document* document = nullptr;
  ASSERT_EQ(halo_open_bytes("pad.hlo", kPad.data(), kPad.size(), &document), HALO_OK);
  halo_result* result = nullptr;
  EXPECT_EQ(halo_run(document, R"({"random":1,"engine":"reference"})", nullptr, 0, &result),
            HALO_RUN_FAILED);
  EXPECT_THAT(halo_error(document), HasSubstr("needs a result 0, but declares ()"));
  halo_close(document);
}

TEST_F(CTest, RequestsAndResultsAreJson) {
  halo_result* result = nullptr;
  ASSERT_EQ(halo_ask(document_, R"({"ask":"info"})", &result), HALO_OK);
  size_t size = 0;
  const std::string_view json = halo_result_json(result, &size);
  EXPECT_EQ(json.size(), size);
  EXPECT_THAT(json, HasSubstr("halo.info.v1"));
  EXPECT_EQ(halo_result_array_count(result), 0U);
  halo_result_free(result);
  EXPECT_EQ(halo_ask(document_, R"({"ask":"the time"})", &result), HALO_BAD_REQUEST);
  EXPECT_EQ(result, nullptr);
  EXPECT_THAT(halo_error(document_), HasSubstr("no such request"));
  EXPECT_EQ(halo_ask(document_, "{", &result), HALO_BAD_REQUEST);
}

TEST_F(CTest, RunsWithArraysByPointer) {
  const std::vector<float> elements = {3, 4};
  const int64_t dims[] = {2};
  const halo_array input = {"in_0", "f32", 1, dims, elements.data(), sizeof(float) * 2};
  halo_result* result = nullptr;
  ASSERT_EQ(halo_run(document_, "{}", &input, 1, &result), HALO_OK) << halo_error(document_);
  ASSERT_EQ(halo_result_array_count(result), 1U);
  halo_array output;
  ASSERT_EQ(halo_result_array(result, 0, &output), HALO_OK);
  EXPECT_STREQ(output.name, "out_0");
  EXPECT_STREQ(output.type, "f32");
  ASSERT_EQ(output.bytes, sizeof(float) * 2);
  EXPECT_EQ(static_cast<const float*>(output.data)[1], 16);
  EXPECT_EQ(halo_result_array(result, 1, &output), HALO_BAD_ARGUMENT);
  halo_result_free(result);
  EXPECT_EQ(halo_run(document_, "{}", nullptr, 0, &result), HALO_RUN_FAILED);
  EXPECT_THAT(halo_error(document_), HasSubstr("missing input in_0"));
  EXPECT_EQ(halo_run(document_, R"({"speed":9})", &input, 1, &result), HALO_BAD_REQUEST);
  EXPECT_THAT(halo_error(document_), HasSubstr("speed"));
  for (const char* request : {R"({"engine":"steam"})", R"({"devices":0})", R"({"devices":"two"})",
                              R"({"random":-1})", R"({"max_memory":"much"})", "[]"}) {
    EXPECT_EQ(halo_run(document_, request, &input, 1, &result), HALO_BAD_REQUEST) << request;
  }
  EXPECT_EQ(halo_run(document_, R"({"random":1})", nullptr, 0, &result), HALO_OK);
  halo_result_free(result);
}

TEST_F(CTest, TablesAreArrowArrays) {
  for (const char* name : {"instructions", "computations", "values"}) {
    ArrowSchema schema;
    ArrowArray array;
    ASSERT_EQ(halo_table(document_, name, &schema, &array), HALO_OK) << halo_error(document_);
    EXPECT_STREQ(schema.format, "+s");
    ASSERT_EQ(schema.n_children, array.n_children);
    for (int64_t i = 0; i < array.n_children; ++i) {
      const std::string_view format = schema.children[i]->format;
      EXPECT_TRUE(format == "l" || format == "u") << format;
      EXPECT_EQ(array.children[i]->length, array.length);
      EXPECT_EQ(array.children[i]->n_buffers, format == "l" ? 2 : 3);
    }
    schema.release(&schema);
    array.release(&array);
    EXPECT_EQ(schema.release, nullptr);
  }
  ArrowSchema schema;
  ArrowArray array;
  EXPECT_EQ(halo_table(document_, "chairs", &schema, &array), HALO_BAD_REQUEST);
  EXPECT_EQ(schema.release, nullptr);
}

TEST_F(CTest, AColumnCanBeMovedOutOfItsTable) {
  ArrowSchema schema;
  ArrowArray array;
  ASSERT_EQ(halo_table(document_, "instructions", &schema, &array), HALO_OK);
  ASSERT_STREQ(schema.children[1]->name, "name");
  ArrowArray moved = *array.children[1];
  array.children[1]->release = nullptr;
  schema.release(&schema);
  array.release(&array);
  const auto* offsets = static_cast<const int32_t*>(moved.buffers[1]);
  const auto* bytes = static_cast<const char*>(moved.buffers[2]);
  EXPECT_EQ(std::string_view(bytes + offsets[1], static_cast<size_t>(offsets[2] - offsets[1])),
            "r");
  moved.release(&moved);
}

TEST(COpenTest, ErrorsAreValues) {
  halo_document* document = nullptr;
  EXPECT_EQ(halo_open_path("/no/such/file", &document), HALO_UNREADABLE);
  ASSERT_NE(document, nullptr);
  EXPECT_THAT(halo_error(document), HasSubstr("/no/such/file"));
  halo_close(document);
  EXPECT_EQ(halo_open_bytes("noise", "\1\2\3", 3, &document), HALO_UNREADABLE);
  halo_close(document);
  EXPECT_EQ(halo_open_path(nullptr, &document), HALO_BAD_ARGUMENT);
  EXPECT_EQ(halo_open_path("x", nullptr), HALO_BAD_ARGUMENT);
  EXPECT_EQ(halo_ask(nullptr, "{}", nullptr), HALO_BAD_ARGUMENT);
  EXPECT_STREQ(halo_error(nullptr), "");
  EXPECT_STREQ(halo_result_json(nullptr, nullptr), "");
  halo_close(nullptr);
  halo_result_free(nullptr);
  EXPECT_STREQ(halo_status_text(HALO_UNREADABLE), "unreadable file");
}

TEST(COpenTest, PiecesOfADumpAreAdded) {
  const std::string stem = std::string(HALO_SOURCE_DIR) +
                           "/examples/cpu_mlp_train/module_0000.jit_mlp_train."
                           "cpu_after_optimizations";
  halo_document* document = nullptr;
  ASSERT_EQ(halo_open_path((stem + ".txt").c_str(), &document), HALO_OK);
  ASSERT_EQ(halo_add_path(document, (stem + "-buffer-assignment.txt").c_str()), HALO_OK);
  EXPECT_EQ(halo_add_path(document, (stem + "-nothing.txt").c_str()), HALO_UNREADABLE);
  halo_result* result = nullptr;
  ASSERT_EQ(halo_ask(document, R"({"ask":"memory"})", &result), HALO_OK) << halo_error(document);
  EXPECT_THAT(halo_result_json(result, nullptr), HasSubstr("\"planned_by_halo\": false"));
  halo_result_free(result);
  halo_close(document);
}

TEST(COpenTest, OneProgramOfADumpIsOpened) {
  const std::string folder = std::string(HALO_SOURCE_DIR) + "/examples/cpu_mlp_train";
  halo_document* document = nullptr;
  ASSERT_EQ(halo_open_dump(folder.c_str(), "{}", &document), HALO_OK) << halo_error(document);
  EXPECT_THAT(halo_path(document), HasSubstr("cpu_after_optimizations.txt"));
  ASSERT_EQ(halo_add_related(document), HALO_OK);
  ASSERT_EQ(halo_add_related(document), HALO_OK);
  halo_result* result = nullptr;
  ASSERT_EQ(halo_ask(document, R"({"ask":"memory"})", &result), HALO_OK) << halo_error(document);
  EXPECT_THAT(halo_result_json(result, nullptr), HasSubstr("\"planned_by_halo\": false"));
  EXPECT_THAT(halo_result_json(result, nullptr), HasSubstr("\"found\": true"));
  halo_result_free(result);
  halo_close(document);
  ASSERT_EQ(halo_open_dump(folder.c_str(), R"({"stage":"before"})", &document), HALO_OK);
  EXPECT_THAT(halo_path(document), HasSubstr("before_optimizations.txt"));
  halo_close(document);
  EXPECT_EQ(halo_open_dump(folder.c_str(), R"({"module":"nothing"})", &document), HALO_UNREADABLE);
  EXPECT_THAT(halo_error(document), HasSubstr("nothing"));
  halo_close(document);
  EXPECT_EQ(halo_open_dump(folder.c_str(), R"({"size":9})", &document), HALO_UNREADABLE);
  EXPECT_THAT(halo_error(document), HasSubstr("not a JSON object of"));
  halo_close(document);
  EXPECT_EQ(halo_open_dump(folder.c_str(), nullptr, &document), HALO_BAD_ARGUMENT);
  EXPECT_STREQ(halo_path(nullptr), "");
}

TEST_F(CTest, TimeAndDifferenceAreTheCommandsDocuments) {
  halo_result* result = nullptr;
  ASSERT_EQ(halo_time(document_, R"({"device":"h100","top":3})", &result), HALO_OK)
      << halo_error(document_);
  EXPECT_THAT(halo_result_json(result, nullptr), HasSubstr("halo.time.v2"));
  halo_result_free(result);
  EXPECT_EQ(halo_time(document_, R"({"speed":1})", &result), HALO_BAD_REQUEST);
  EXPECT_THAT(halo_error(document_), HasSubstr("no member `speed`"));
  EXPECT_EQ(halo_time(document_, R"({"backend":"abacus"})", &result), HALO_BAD_REQUEST);
  EXPECT_THAT(halo_error(document_), HasSubstr("`backend` is one of"));
  EXPECT_EQ(halo_time(document_, R"({"links":9e11})", &result), HALO_BAD_REQUEST);
  EXPECT_THAT(halo_error(document_), HasSubstr("`links` must be from 0.001 to 1"));
  EXPECT_EQ(halo_time(document_, R"({"calibration":"none"})", &result), HALO_BAD_REQUEST);
  ASSERT_EQ(halo_diff(document_, document_, "{}", &result), HALO_OK) << halo_error(document_);
  EXPECT_THAT(halo_result_json(result, nullptr), HasSubstr("\"same\": true"));
  halo_result_free(result);
  EXPECT_EQ(halo_diff(document_, nullptr, "{}", &result), HALO_BAD_ARGUMENT);
  EXPECT_EQ(halo_diff(document_, document_, "[]", &result), HALO_BAD_REQUEST);
}

TEST_F(CTest, SnapshotsNumbersAndFolders) {
  halo_result* result = nullptr;
  ASSERT_EQ(halo_snapshot(document_, "{}", &result), HALO_OK) << halo_error(document_);
  EXPECT_THAT(halo_result_json(result, nullptr), HasSubstr("halo.snapshot.v1"));
  halo_result_free(result);
  EXPECT_EQ(halo_snapshot(document_, R"({"device":"abacus"})", &result), HALO_BAD_REQUEST);
  EXPECT_THAT(halo_error(document_), HasSubstr("`device` is one of"));
  EXPECT_EQ(result, nullptr);

  ASSERT_EQ(halo_numbers(document_, document_, "{}", nullptr, 0, &result), HALO_OK)
      << halo_error(document_);
  EXPECT_THAT(halo_result_json(result, nullptr), HasSubstr("halo.numbers.v1"));
  halo_result_free(result);
  EXPECT_EQ(halo_numbers(document_, nullptr, "{}", nullptr, 0, &result), HALO_BAD_ARGUMENT);
  EXPECT_EQ(halo_numbers(document_, document_, "[]", nullptr, 0, &result), HALO_BAD_REQUEST);

  const std::string folder = std::string(HALO_SOURCE_DIR) + "/examples/cpu_mlp_train";
  ASSERT_EQ(halo_ranks(folder.c_str(), "{}", &result), HALO_OK);
  EXPECT_THAT(halo_result_json(result, nullptr), HasSubstr("halo.ranks.v1"));
  halo_result_free(result);
  ASSERT_EQ(halo_recompiles(folder.c_str(), "{}", &result), HALO_OK);
  EXPECT_THAT(halo_result_json(result, nullptr), HasSubstr("halo.recompiles.v1"));
  halo_result_free(result);
  ASSERT_EQ(halo_ranks("/no/such/folder", "{}", &result), HALO_UNREADABLE);
  EXPECT_THAT(halo_result_json(result, nullptr), HasSubstr("halo.error.v1"));
  halo_result_free(result);
  EXPECT_EQ(halo_recompiles(folder.c_str(), "no JSON", &result), HALO_BAD_REQUEST);
  EXPECT_EQ(halo_ranks(nullptr, "{}", &result), HALO_BAD_ARGUMENT);
}

TEST_F(CTest, APageHoldsTheProgram) {
  const std::string page = "<html><!--halo:data--><!--/halo:data--></html>";
  halo_result* result = nullptr;
  ASSERT_EQ(halo_page(document_, page.data(), page.size(), "graph", &result), HALO_OK)
      << halo_error(document_);
  const std::string_view text = halo_result_json(result, nullptr);
  EXPECT_THAT(text, HasSubstr("halo-manifest"));
  EXPECT_THAT(text, HasSubstr("halo-data-0"));
  EXPECT_THAT(text, HasSubstr("graph"));
  halo_result_free(result);
  EXPECT_EQ(halo_page(document_, "<html>", 6, "graph", &result), HALO_BAD_REQUEST);
}

TEST_F(CTest, ATableIsAStreamOfOneArray) {
  ArrowArrayStream stream;
  ASSERT_EQ(halo_table_stream(document_, "instructions", &stream), HALO_OK);
  for (int i = 0; i < 2; ++i) {
    ArrowSchema schema;
    ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_STREQ(schema.children[1]->name, "name");
    schema.release(&schema);
  }
  ArrowArray array;
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  EXPECT_EQ(array.length, 2);
  array.release(&array);
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(stream.get_last_error(&stream), nullptr);
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
  ASSERT_EQ(halo_table_stream(document_, "values", &stream), HALO_OK);
  stream.release(&stream);  // with what was not taken
  EXPECT_EQ(halo_table_stream(document_, "chairs", &stream), HALO_BAD_REQUEST);
  EXPECT_EQ(stream.release, nullptr);
}

TEST(CRunTest, AnotherThreadStopsARun) {
  constexpr std::string_view kLoop = R"(HloModule forever

body {
  b = (s32[]) parameter(0)
  v = s32[] get-tuple-element(b), index=0
  ROOT t = (s32[]) tuple(v)
}

condition {
  c = (s32[]) parameter(0)
  ROOT y = pred[] constant(true)
}

ENTRY main {
  p = s32[] parameter(0)
  i = (s32[]) tuple(p)
  ROOT w = (s32[]) while(i), condition=condition, body=body
}
)";
  halo_document* document = nullptr;
  ASSERT_EQ(halo_open_bytes("loop.hlo", kLoop.data(), kLoop.size(), &document), HALO_OK);
  std::thread stopper([&] {
    while (halo_steps(document) < 1000) std::this_thread::yield();
    halo_stop(document);
  });
  halo_result* result = nullptr;
  EXPECT_EQ(halo_run(document, R"({"random":1})", nullptr, 0, &result), HALO_RUN_FAILED);
  EXPECT_THAT(halo_error(document), HasSubstr("stopped"));
  stopper.join();
  halo_close(document);
  halo_stop(nullptr);
  EXPECT_EQ(halo_steps(nullptr), 0);
}

}  // namespace
