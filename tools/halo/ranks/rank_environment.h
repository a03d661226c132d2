// How a process finds out from its environment that a launcher started it as one of several ranks:
// Open MPI's mpirun, MPICH and its derivatives, Slurm's srun; and which MPI finds the other ranks
// there. rank_process.h loads that one.
#ifndef TOOLS_HALO_RANKS_RANK_ENVIRONMENT_H_
#define TOOLS_HALO_RANKS_RANK_ENVIRONMENT_H_

#include <cstdint>
#include <optional>

namespace halo::tool {

// Whose processes a launcher can connect. kNone: srun without --mpi connects none.
enum class MpiKind : uint8_t { kNone, kOpenMpi, kMpich };

// What the environment says, before MPI is initialized.
struct RankEnvironment {
  int64_t rank = 0, count = 1;
  int64_t local_rank = 0, local_count = 1;  // on this machine
  MpiKind mpi = MpiKind::kOpenMpi;
  bool is_launched = false;                   // by this command, which supervises it
  bool out_color = false, err_color = false;  // the launcher's streams show colors
};

// Nothing if the process was started on its own.
std::optional<RankEnvironment> FindRankEnvironment();

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_RANK_ENVIRONMENT_H_
