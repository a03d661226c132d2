// Steps hand their results on, and a checkpoint is whole or absent, whatever goes wrong.
#include "halo/api/steps/repeated_steps.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/text/read/read_text.h"

namespace halo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr const char* kStep = R"(
HloModule step, input_output_alias={ {1}: (0, {1}, may-alias) }
ENTRY e {
  state = (s32[2], s32[]) parameter(0)
  x = s32[] parameter(1)
  n = s32[] get-tuple-element(state), index=1
  sum = s32[] add(n, x)
  ROOT out = (s32[], s32[]) tuple(x, sum)
}
)";

Array Number(int32_t number) {
  Array array(ElementType::kS32, {});
  array.Mutable<int32_t>()[0] = number;
  return array;
}
int32_t NumberIn(const Value& value) { return value.array().as<int32_t>()[0]; }

std::vector<Value> Arguments(int32_t state, int32_t x) {
  Array pair(ElementType::kS32, std::vector<int64_t>{2});
  return {Value::Tuple({pair, Number(state)}), Number(x)};
}

class RepeatedStepsTest : public ::testing::Test {
 protected:
  RepeatedStepsTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("halo-steps-" + std::to_string(getpid()))),
        module_(ReadHloText(kStep).module) {
    std::filesystem::remove_all(folder_);
  }
  ~RepeatedStepsTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] StepsRequest Request(bool resumes) const {
    return {.feeds_back = true, .folder = folder_.string(), .every = 1, .resumes = resumes};
  }
  [[nodiscard]] std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& each : std::filesystem::directory_iterator(folder_)) {
      names.push_back(each.path().filename().string());
    }
    return names;
  }

  std::filesystem::path folder_;
  Module module_;
};

TEST_F(RepeatedStepsTest, AliasesDecideWhatIsFedBack) {
  const Result<std::vector<FedResult>> fed = FindFedResults(module_);
  ASSERT_TRUE(fed.ok());
  ASSERT_EQ(fed->size(), 1U);
  EXPECT_THAT(fed->front().result, ElementsAre(1));
  EXPECT_THAT(fed->front().path, ElementsAre(1));
  EXPECT_EQ(fed->front().input, 1U);
  std::vector<Value> arguments = Arguments(3, 4);
  FeedBack(*fed, Value::Tuple({Number(1), Number(2)}), arguments);
  EXPECT_EQ(NumberIn(arguments[0].elements()[1]), 2);
  EXPECT_EQ(NumberIn(arguments[1]), 4);
}

TEST_F(RepeatedStepsTest, ModulesWithoutAliasesHaveNoState) {
  const Module plain =
      ReadHloText("HloModule m\nENTRY e {\n  ROOT x = s32[] parameter(0)\n}\n").module;
  const Result<RepeatedSteps> steps = RepeatedSteps::Make(plain, Request(false), {});
  ASSERT_FALSE(steps.ok());
  EXPECT_THAT(steps.error().message, HasSubstr("has no input_output_alias"));
}

TEST_F(RepeatedStepsTest, ContinuesWithTheState) {
  std::vector<Value> arguments = Arguments(10, 1);
  {
    Result<RepeatedSteps> steps = RepeatedSteps::Make(module_, Request(false), {});
    EXPECT_EQ(*steps->Begin(5, {&arguments, 1}), 0);
    for (int32_t done = 1; done <= 2; ++done) {
      const Value result = Value::Tuple({Number(0), Number(10 + done)});
      EXPECT_FALSE(steps->HandOn(done, {&result, 1}, {&arguments, 1}));
    }
    EXPECT_EQ(steps->report().written, 2);
  }
  EXPECT_THAT(Names(), UnorderedElementsAre("checkpoint.json", "step-2.device-0.npz"));
  std::ofstream(folder_ / "step-3.device-0.npz.tmp") << "half";
  std::ofstream(folder_ / "step-3.device-0.npz") << "not in a manifest";
  arguments = Arguments(10, 1);
  Result<RepeatedSteps> again = RepeatedSteps::Make(module_, Request(true), {});
  EXPECT_EQ(*again->Begin(5, {&arguments, 1}), 2);
  EXPECT_EQ(NumberIn(arguments[0].elements()[1]), 12);
  EXPECT_THAT(Names(), UnorderedElementsAre("checkpoint.json", "step-2.device-0.npz"));
  arguments = Arguments(10, 9);
  Result<RepeatedSteps> other = RepeatedSteps::Make(module_, Request(true), {});
  const Result<int64_t> refused = other->Begin(5, {&arguments, 1});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("inputs of device 0 that are no state differ"));
}

// Every byte of an archive counts.
TEST_F(RepeatedStepsTest, RefusesDamagedArchives) {
  const CheckpointFolder folder(folder_.string());
  ASSERT_FALSE(folder.Create());
  const Result<CheckpointFile> written = folder.WriteState(1, 0, {{"in_0", Number(5)}});
  ASSERT_TRUE(written.ok());
  std::vector<CheckpointArray> arrays = {{"in_0", Number(0)}};
  EXPECT_FALSE(folder.ReadState(1, 0, *written, arrays));
  EXPECT_EQ(NumberIn(arrays[0].array), 5);
  const std::string path = folder.StatePath(1, 0);
  std::string bytes(static_cast<size_t>(written->bytes), '\0');
  std::ifstream(path).read(bytes.data(), written->bytes);
  for (size_t i = 0; i < bytes.size(); i += 7) {
    std::string altered = bytes;
    altered[i] = static_cast<char>(altered[i] ^ 1);
    std::ofstream(path) << altered;
    EXPECT_THAT(folder.ReadState(1, 0, *written, arrays).value_or(""), HasSubstr("altered"));
    std::ofstream(path) << bytes.substr(0, i);
    EXPECT_THAT(folder.ReadState(1, 0, *written, arrays).value_or(""), HasSubstr("truncated"));
  }
  // A manifest that matches does not make another archive fit.
  const Result<CheckpointFile> other = folder.WriteState(1, 0, {{"in_1", Number(5)}});
  EXPECT_THAT(folder.ReadState(1, 0, *other, arrays).value_or(""), HasSubstr("lacks in_0"));
  const Result<CheckpointFile> wide =
      folder.WriteState(1, 0, {{"in_0", Array(ElementType::kS32, std::vector<int64_t>{2})}});
  EXPECT_THAT(folder.ReadState(1, 0, *wide, arrays).value_or(""), HasSubstr("type or shape"));
}

// The second of two processes cannot write. The first one hears it from the exchange.
TEST_F(RepeatedStepsTest, OneProcessThatFailsKeepsTheCheckpointBefore) {
  std::string other = "0 0 0 ";
  bool says = false;
  StepsJob job{.replicas = 2, .gather = [&](std::string_view own) {
                 return Result<std::vector<std::string>>(std::vector<std::string>{
                     std::string(own), says ? std::exchange(other, "0 0 0 ") : ""});
               }};
  std::vector<Value> arguments = Arguments(10, 1);
  Result<RepeatedSteps> steps = RepeatedSteps::Make(module_, Request(false), job);
  ASSERT_TRUE(steps->Begin(5, {&arguments, 1}).ok());
  const Value result = Value::Tuple({Number(0), Number(11)});
  says = true;
  EXPECT_FALSE(steps->HandOn(1, {&result, 1}, {&arguments, 1}));
  other = "!no space";
  const std::optional<Diagnostic> failed = steps->HandOn(2, {&result, 1}, {&arguments, 1});
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->message, "no space");
  EXPECT_THAT(Names(), UnorderedElementsAre("checkpoint.json", "step-1.device-0.npz"));
  const Result<std::string> text = CheckpointFolder(folder_.string()).ReadManifestText();
  EXPECT_EQ(ReadManifest(*text)->step, 1);
}

TEST_F(RepeatedStepsTest, AManifestThatCannotBeReplacedStays) {
  std::vector<Value> arguments = Arguments(10, 1);
  Result<RepeatedSteps> steps = RepeatedSteps::Make(module_, Request(false), {});
  ASSERT_TRUE(steps->Begin(5, {&arguments, 1}).ok());
  const Value result = Value::Tuple({Number(0), Number(11)});
  // Nothing can be written under this name.
  std::filesystem::create_directories(folder_ / "checkpoint.json.tmp" / "x");
  const std::optional<Diagnostic> failed = steps->HandOn(1, {&result, 1}, {&arguments, 1});
  ASSERT_TRUE(failed);
  EXPECT_THAT(failed->message, HasSubstr("checkpoint.json"));
  EXPECT_THAT(Names(), ElementsAre("checkpoint.json.tmp"));
  EXPECT_THAT(*CheckpointFolder(folder_.string()).ReadManifestText(), IsEmpty());
}

}  // namespace
}  // namespace halo
