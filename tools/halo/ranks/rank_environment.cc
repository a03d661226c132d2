// Knows the environment variables of the common launchers.
#include "tools/halo/ranks/rank_environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tools/halo/ranks/mpirun_process.h"

namespace halo::tool {
namespace {

// Reads a number that is not negative from the front of `text` and removes it.
std::optional<int64_t> TakeNumber(std::string_view& text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  return number;
}

bool Take(std::string_view& text, std::string_view front) {
  const bool has = text.starts_with(front);
  if (has) text.remove_prefix(front.size());
  return has;
}

std::optional<int64_t> Number(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  std::string_view text = value;
  const std::optional<int64_t> number = TakeNumber(text);
  return text.empty() ? number : std::nullopt;
}

// Slurm writes 4(x2),3 for two machines with four tasks and one with three.
std::optional<int64_t> TasksOfThisNode() {
  const char* value = std::getenv("SLURM_STEP_TASKS_PER_NODE");
  int64_t nodes = Number("SLURM_NODEID").value_or(0);
  std::string_view text = value == nullptr ? "" : value;
  while (true) {
    const std::optional<int64_t> tasks = TakeNumber(text);
    int64_t times = 1;
    if (Take(text, "(x")) times = TakeNumber(text).value_or(0);
    if (!tasks || times < 1) return std::nullopt;
    if (nodes < times) return tasks;
    nodes -= times;
    Take(text, ")");
    if (!Take(text, ",")) return std::nullopt;
  }
}

// srun offers its tasks PMIx, with which Open MPI finds the others, or PMI (below), or nothing.
MpiKind MpiOfSlurm() {
  return std::getenv("PMIX_RANK") != nullptr ? MpiKind::kOpenMpi : MpiKind::kNone;
}

std::optional<int64_t> LocalCount(const char* variable) {
  return variable == nullptr ? TasksOfThisNode() : Number(variable);
}

struct Names {
  const char *rank, *count, *local_rank, *local_count;
};
// Open MPI's mpirun, then MPICH and its derivatives or whatever else offers PMI, then Slurm's
// steps. A Slurm batch script, which is not a rank, has no number of tasks of a step.
constexpr Names kOpenMpiNames = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                 "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Names kPmiNames = {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};
constexpr Names kSlurmNames = {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr};

std::optional<RankEnvironment> Find(const Names& names, MpiKind mpi) {
  const std::optional<int64_t> rank = Number(names.rank);
  const std::optional<int64_t> count = Number(names.count);
  if (!rank || !count || *count < 2 || *rank >= *count) return std::nullopt;
  RankEnvironment out;
  out.rank = *rank;
  out.count = *count;
  out.mpi = mpi;
  out.local_rank = Number(names.local_rank).value_or(*rank);
  out.local_count = std::max<int64_t>(1, LocalCount(names.local_count).value_or(*count));
  return out;
}

}  // namespace

std::optional<RankEnvironment> FindRankEnvironment() {
  std::optional<RankEnvironment> found = Find(kOpenMpiNames, MpiKind::kOpenMpi);
  if (!found) found = Find(kPmiNames, MpiKind::kMpich);
  const std::optional<RankEnvironment> step = Find(kSlurmNames, MpiOfSlurm());
  if (!found) {
    found = step;
  } else if (step && found->mpi == MpiKind::kMpich && !Number(kPmiNames.local_rank)) {
    // srun --mpi=pmi2: only Slurm's own variables tell how many ranks this machine has.
    found->local_rank = step->local_rank;
    found->local_count = step->local_count;
  }
  if (!found) return std::nullopt;
  found->is_launched = std::getenv(kRankPageVariable) != nullptr;
  if (const char* colors = std::getenv(kRankColorVariable); colors != nullptr) {
    found->out_color = std::strchr(colors, 'o') != nullptr;
    found->err_color = std::strchr(colors, 'e') != nullptr;
  }
  return found;
}

}  // namespace halo::tool
