// Knows the environment variables of the common launchers.
#include "tools/halo/ranks/rank_environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "tools/halo/ranks/mpirun_process.h"

namespace halo::tool {
namespace {

// Slurm writes 4(x2),3 for two machines with four tasks and one with three. The first count is
// used, which is correct on most machines.
std::optional<int64_t> Number(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  int64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, failed] = std::from_chars(text, end, number);
  const bool is_end = stop == end || *stop == '(' || *stop == ',';
  if (failed != std::errc() || !is_end || number < 0) return std::nullopt;
  return number;
}

struct Names {
  const char *rank, *count, *local_rank, *local_count;
};
// Open MPI, then MPICH and its derivatives, then Slurm's steps. A Slurm batch script, which is not
// a rank, has no number of tasks of a step.
constexpr Names kNames[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
};

}  // namespace

std::optional<RankEnvironment> FindRankEnvironment() {
  for (const Names& names : kNames) {
    const std::optional<int64_t> rank = Number(names.rank);
    const std::optional<int64_t> count = Number(names.count);
    if (!rank || !count || *count < 2 || *rank >= *count) continue;
    RankEnvironment out;
    out.rank = *rank;
    out.count = *count;
    out.local_rank = Number(names.local_rank).value_or(*rank);
    out.local_count = std::max<int64_t>(1, Number(names.local_count).value_or(*count));
    out.is_launched = std::getenv(kRankPageVariable) != nullptr;
    if (const char* colors = std::getenv(kRankColorVariable); colors != nullptr) {
      out.out_color = std::strchr(colors, 'o') != nullptr;
      out.err_color = std::strchr(colors, 'e') != nullptr;
    }
    return out;
  }
  return std::nullopt;
}

}  // namespace halo::tool
