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
    for (const char* name :
         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK",
          "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS",
          "SLURM_LOCALID", "SLURM_NODEID", "SLURM_STEP_TASKS_PER_NODE"}) {
      Set(name, "");
      unsetenv(name);
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
  EXPECT_EQ(found->mpi, MpiKind::kOpenMpi);
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
  EXPECT_EQ(found->mpi, MpiKind::kMpich);
  Set("MPI_LOCALRANKID", "1");
  Set("MPI_LOCALNRANKS", "2");
  EXPECT_EQ(FindRankEnvironment()->local_rank, 1);
  EXPECT_EQ(FindRankEnvironment()->local_count, 2);
}

// mpirun may run in a job step, and ranks inherit what it got.
TEST_F(RankEnvironmentTest, TheInnermostLauncherCounts) {
  Set("SLURM_PROCID", "0");
  Set("SLURM_STEP_NUM_TASKS", "2");
  Set("PMIX_RANK", "0");
  Set("PMI_RANK", "3");
  Set("PMI_SIZE", "4");
  Set("MPI_LOCALRANKID", "1");
  EXPECT_EQ(FindRankEnvironment()->rank, 3);
  EXPECT_EQ(FindRankEnvironment()->local_rank, 1);
  EXPECT_EQ(FindRankEnvironment()->mpi, MpiKind::kMpich);
  Set("OMPI_COMM_WORLD_RANK", "7");
  Set("OMPI_COMM_WORLD_SIZE", "8");
  EXPECT_EQ(FindRankEnvironment()->rank, 7);
  EXPECT_EQ(FindRankEnvironment()->mpi, MpiKind::kOpenMpi);
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
  EXPECT_EQ(found->mpi, MpiKind::kNone);
  Set("PMIX_RANK", "6");
  EXPECT_EQ(FindRankEnvironment()->mpi, MpiKind::kOpenMpi);
  Set("PMI_RANK", "6");
  Set("PMI_SIZE", "8");
  EXPECT_EQ(FindRankEnvironment()->mpi, MpiKind::kMpich);
  EXPECT_EQ(FindRankEnvironment()->local_rank, 2);
  EXPECT_EQ(FindRankEnvironment()->local_count, 4);
}

TEST_F(RankEnvironmentTest, SlurmNodesWithDifferentNumbersOfTasks) {
  Set("SLURM_PROCID", "6");
  Set("SLURM_STEP_NUM_TASKS", "8");
  Set("SLURM_LOCALID", "0");
  const auto on_node = [&](const char* tasks, const char* node) {
    Set("SLURM_STEP_TASKS_PER_NODE", tasks);
    Set("SLURM_NODEID", node);
    return FindRankEnvironment()->local_count;
  };
  EXPECT_EQ(on_node("3(x2),2", "0"), 3);
  EXPECT_EQ(on_node("3(x2),2", "1"), 3);
  EXPECT_EQ(on_node("3(x2),2", "2"), 2);
  EXPECT_EQ(on_node("5,1(x3)", "3"), 1);
  // Unknown: as if all were here.
  for (const char* text : {"", "3(x2),2", "x", "3(x", "3(x0),2", "3;2", "3("}) {
    EXPECT_EQ(on_node(text, "4"), 8) << text;
  }
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
