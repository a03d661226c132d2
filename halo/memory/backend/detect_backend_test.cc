// Each kind of clue, which one wins, and that a module without clues is unknown.
#include "halo/memory/backend/detect_backend.h"

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

BackendGuess Detect(const std::string& body, std::string_view file_name = "") {
  const TextReadResult read =
      ReadHloText(SourceBuffer::Copy("HloModule m\nENTRY e {\n" + body + "}\n", "m"));
  EXPECT_TRUE(read.diagnostics.ok());
  return DetectBackend(read.module, file_name);
}

constexpr char kPlain[] = "ROOT p = f32[8]{0} parameter(0)\n";

TEST(DetectBackend, ByCustomCall) {
  const BackendGuess guess = Detect(
      "p = f32[8]{0} parameter(0)\n"
      "ROOT c = f32[8]{0} custom-call(p), custom_call_target=\"__cublas$gemm\"\n");
  EXPECT_EQ(guess.backend, Backend::kGpu);
  EXPECT_EQ(guess.why, "custom call __cublas$gemm");
}

TEST(DetectBackend, ByBackendConfig) {
  const BackendGuess guess = Detect(
      "p = f32[8]{0} parameter(0)\n"
      "ROOT c = f32[8]{0} negate(p), backend_config={\"flag_configs\":[]}\n");
  EXPECT_EQ(guess.backend, Backend::kTpu);
  EXPECT_EQ(guess.why, "backend_config with flag_configs");
}

TEST(DetectBackend, ByTiledLayout) {
  const BackendGuess guess = Detect("ROOT p = f32[8,128]{1,0:T(8,128)} parameter(0)\n");
  EXPECT_EQ(guess.backend, Backend::kTpu);
}

TEST(DetectBackend, FileNameOnlyWhereTheModuleShowsNothing) {
  EXPECT_EQ(Detect(kPlain, "a/module_1.cpu_after_optimizations.txt").backend, Backend::kCpu);
  EXPECT_EQ(Detect("ROOT p = f32[8,128]{1,0:T(8,128)} parameter(0)\n",
                   "module_1.cpu_after_optimizations.txt")
                .backend,
            Backend::kTpu);
  const BackendGuess unknown = Detect(kPlain, "module.hlo");
  EXPECT_EQ(unknown.backend, std::nullopt);
  EXPECT_EQ(BackendText(unknown.backend), "unknown");
  EXPECT_FALSE(unknown.why.empty());
}

TEST(DetectBackend, OfAnAssignmentAlone) {
  Assignment assignment;
  EXPECT_EQ(DetectBackend(assignment).backend, std::nullopt);
  AssignedValue value;
  value.shape = assignment.Text("f32[8,128]{1,0:T(8,128)}");
  assignment.values.push_back(value);
  EXPECT_EQ(DetectBackend(assignment).backend, Backend::kTpu);
}

}  // namespace
}  // namespace halo
