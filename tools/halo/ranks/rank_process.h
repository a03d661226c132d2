// This process as one of the ranks of a run, started by launch_ranks.h, by mpirun or by a
// scheduler: how it joins the others, and how it reports its end.
#ifndef TOOLS_HALO_RANKS_RANK_PROCESS_H_
#define TOOLS_HALO_RANKS_RANK_PROCESS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "halo/api/run/compiled_engine.h"
#include "tools/halo/ranks/rank_environment.h"
#include "tools/halo/ranks/rank_page.h"

namespace halo::tool {

class RankProcess {
 public:
  // Null, with the reason, if it cannot join the others.
  static std::unique_ptr<RankProcess> Join(const RankEnvironment& environment,
                                           std::string& problem);
  ~RankProcess();
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  [[nodiscard]] RankContext& context() { return context_; }
  [[nodiscard]] bool is_first() const { return context_.rank == 0; }
  [[nodiscard]] bool is_launched() const { return environment_.is_launched; }
  // The launcher reads its exit code from its slot.
  [[nodiscard]] bool has_slot() const { return context_.slot != nullptr; }
  // For code that must not be cached but is shared with the other ranks of this machine; empty if
  // no launcher cleans up.
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] int threads() const;

  // Tells the others that this rank cannot continue, and the launcher why.
  void Fail(const Diagnostic& why);
  // Leaves the others; without synchronizing if something went wrong.
  void End(int exit_code, bool is_well);

 private:
  explicit RankProcess(const RankEnvironment& environment) : environment_(environment) {}
  void WaitForOthers() const;
  void CleanUpHost() const;

  RankEnvironment environment_;
  std::string folder_;
  std::unique_ptr<RankPage> page_;
  RankContext context_;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_RANK_PROCESS_H_
