// Scans of the examples: what is stored, what a second scan adds, and what is left of one that was
// killed.
#include "halo/api/scan/scan_dumps.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/api/scan/list_programs.h"
#include "halo/profile/parquet/parquet.h"

namespace halo {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string ExamplesFolder() { return std::string(HALO_SOURCE_DIR) + "/examples"; }

class ScanTest : public ::testing::Test {
 protected:
  ScanTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / ("scan_" + std::string(test->name()));
    fs::remove_all(folder_);
  }
  ~ScanTest() override { fs::remove_all(folder_); }

  ScanResult ScanInto(const std::string& name, const std::vector<std::string>& roots,
                      ScanRequest request = {}) const {
    size_t next = 0;
    request.next_root = [&](std::string& root) {
      if (next == roots.size()) return false;
      root = roots[next++];
      return true;
    };
    request.to.folder = folder_ / name;
    return Scan(request);
  }

  // Bytes by path, without the lock.
  [[nodiscard]] std::map<std::string, std::string> Contents(const std::string& name) const {
    std::map<std::string, std::string> contents;
    for (const auto& each : fs::recursive_directory_iterator(folder_ / name)) {
      if (!each.is_regular_file() || each.path().extension() == ".lock") continue;
      std::ostringstream bytes;
      bytes << std::ifstream(each.path(), std::ios::binary).rdbuf();
      contents[fs::relative(each.path(), folder_ / name).string()] = bytes.str();
    }
    return contents;
  }

  fs::path folder_;
};

TEST_F(ScanTest, StoresEachProgramOnceAndSetsBrokenFilesAside) {
  fs::create_directories(folder_ / "copies/rank1");
  const std::string module =
      ExamplesFolder() + "/cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations.txt";
  for (const char* name : {"copies/a.hlo", "copies/rank1/b.hlo"}) {
    fs::copy_file(module, folder_ / name);
  }
  const ScanResult result = ScanInto(
      "to", {(folder_ / "copies").string(), ExamplesFolder() + "/broken.hlo", "/no/such/folder"});
  ASSERT_TRUE(result.succeeded);
  EXPECT_EQ(result.files, 4);
  EXPECT_EQ(result.programs, 1);
  EXPECT_EQ(result.duplicates, 1);
  EXPECT_EQ(result.refused, 2);
  EXPECT_EQ(result.rows[static_cast<size_t>(ScanTable::kModules)], 1);
  EXPECT_GT(result.rows[static_cast<size_t>(ScanTable::kInstructions)], 50);
  ASSERT_EQ(result.first_refused.size(), 2U);
  EXPECT_THAT(result.first_refused[0].second, HasSubstr("is not defined"));
}

TEST_F(ScanTest, AddsNothingTwice) {
  const ScanResult first = ScanInto("to", {ExamplesFolder()});
  ASSERT_TRUE(first.succeeded);
  const auto before = Contents("to");
  const ScanResult second = ScanInto("to", {ExamplesFolder()});
  ASSERT_TRUE(second.succeeded);
  EXPECT_EQ(second.files, 0);
  EXPECT_EQ(second.skipped, first.files);
  EXPECT_EQ(Contents("to"), before);
}

TEST_F(ScanTest, DoesNotDependOnThreads) {
  ScanRequest request;
  request.threads = 4;
  request.limits.files = 2;
  ASSERT_TRUE(ScanInto("many", {ExamplesFolder()}, request).succeeded);
  request.threads = 1;
  ASSERT_TRUE(ScanInto("one", {ExamplesFolder()}, request).succeeded);
  EXPECT_EQ(Contents("many"), Contents("one"));
}

TEST_F(ScanTest, ReplacesWhatAKilledScanLeft) {
  ScanRequest request;
  request.limits.files = 1;
  ASSERT_TRUE(ScanInto("to", {ExamplesFolder()}, request).succeeded);
  const auto whole = Contents("to");
  // As if the process had been killed before the manifests of the last two parts.
  fs::remove(folder_ / "to/_manifest/part-001of001-00003.json");
  fs::remove(folder_ / "to/_manifest/part-001of001-00002.json");
  fs::remove(folder_ / "to/times/part-001of001-00003.parquet");
  std::ofstream(folder_ / "to/findings/part-001of001-00009.parquet") << "PAR1";
  std::ofstream(folder_ / "to/files/_part-001of001-00003.parquet.1.tmp") << "PAR1";
  const ScanResult resumed = ScanInto("to", {ExamplesFolder()}, request);
  ASSERT_TRUE(resumed.succeeded);
  EXPECT_EQ(resumed.files, 2);
  EXPECT_EQ(resumed.skipped, 2);
  EXPECT_EQ(Contents("to"), whole);
}

TEST_F(ScanTest, ShardsCoverEverythingOnce) {
  int64_t files = 0;
  for (int64_t shard = 1; shard <= 3; ++shard) {
    ScanRequest request;
    request.to.shard = shard;
    request.to.shards = 3;
    const ScanResult result = ScanInto("to", {ExamplesFolder()}, request);
    ASSERT_TRUE(result.succeeded);
    EXPECT_EQ(result.files + result.elsewhere, 4);
    files += result.files;
  }
  EXPECT_EQ(files, 4);
  const ScanResult other = ScanInto("to", {ExamplesFolder()});
  EXPECT_FALSE(other.succeeded);
  EXPECT_THAT(other.diagnostics.all().front().message, HasSubstr("another number of shards"));
}

TEST_F(ScanTest, CopiesOfAFileBelongToOneShard) {
  ScanInput one;
  one.path = "a/rank0/m.txt";
  one.bytes = 10;
  ScanInput two = one;
  two.path = "b/rank7/m.txt";
  EXPECT_EQ(ScanShardOf(one, 64), ScanShardOf(two, 64));
  EXPECT_GE(ScanShardOf(one, 64), 1);
  EXPECT_LE(ScanShardOf(one, 64), 64);
}

TEST_F(ScanTest, RefusesADatasetOfAnotherSchema) {
  fs::create_directories(folder_ / "to");
  std::ofstream(folder_ / "to/_dataset.json") << R"({"schema": "halo.dataset.v0"})";
  const ScanResult result = ScanInto("to", {ExamplesFolder()});
  EXPECT_FALSE(result.succeeded);
  EXPECT_THAT(result.diagnostics.all().front().message, HasSubstr("halo.dataset.v0"));
}

}  // namespace
}  // namespace halo
