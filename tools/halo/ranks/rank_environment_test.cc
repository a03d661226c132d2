// Tests the environments that mpirun, MPICH's launchers and srun set up, and those of no launcher.
#include "tools/halo/ranks/rank_environment.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace halo::tool {
namespace {

class RankEnvironmentTest : public testing::Test {
 protected:
  // Clears the variables of a launcher that runs the tests themselves.
  void SetUp() override {
    for (const char* prefix : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",
                               "PMI_SIZE", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}) {
      Set(prefix, "");
      unsetenv(prefix);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) {
      if (value) {
        setenv(name.c_str(), value->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
  }
  void Set(const char* name, const char* value) {
    const char* old = std::getenv(name);
    before_.try_emplace(name, old != nullptr ? std::optional<std::string>(old) : std::nullopt);
    setenv(name, value, 1);
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(RankEnvironmentTest, AloneIsNoRank) { EXPECT_FALSE(FindRankEnvironment()); }

TEST_F(RankEnvironmentTest, OpenMpi) {
  Set("OMPI_COMM_WORLD_RANK", "5");
  Set("OMPI_COMM_WORLD_SIZE", "8");
  Set("OMPI_COMM_WORLD_LOCAL_RANK", "1");
  Set("OMPI_COMM_WORLD_LOCAL_SIZE", "4");
  const auto found = FindRankEnvironment();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 5);
  EXPECT_EQ(found->count, 8);
  EXPECT_EQ(found->local_rank, 1);
  EXPECT_EQ(found->local_count, 4);
  EXPECT_FALSE(found->is_launched);
}

TEST_F(RankEnvironmentTest, Pmi) {
  Set("PMI_RANK", "3");
  Set("PMI_SIZE", "4");
  const auto found = FindRankEnvironment();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 3);
  EXPECT_EQ(found->count, 4);
  EXPECT_EQ(found->local_rank, 3);  // default: one machine
}

TEST_F(RankEnvironmentTest, SlurmStep) {
  Set("SLURM_PROCID", "6");
  Set("SLURM_STEP_NUM_TASKS", "8");
  Set("SLURM_LOCALID", "2");
  Set("SLURM_STEP_TASKS_PER_NODE", "4(x2)");
  const auto found = FindRankEnvironment();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 6);
  EXPECT_EQ(found->count, 8);
  EXPECT_EQ(found->local_rank, 2);
  EXPECT_EQ(found->local_count, 4);
}

TEST_F(RankEnvironmentTest, SlurmBatchScriptIsNoRank) {
  Set("SLURM_PROCID", "0");
  EXPECT_FALSE(FindRankEnvironment());
}

TEST_F(RankEnvironmentTest, NonsenseIsNoRank) {
  Set("PMI_RANK", "4");
  Set("PMI_SIZE", "4");
  EXPECT_FALSE(FindRankEnvironment());
  Set("PMI_RANK", "x");
  EXPECT_FALSE(FindRankEnvironment());
}

}  // namespace
}  // namespace halo::tool
