// Tests the C interface: results, arrays, tables, and errors as values.
#include "haloscope/c.h"

#include <string>
#include <string_view>
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

}  // namespace
