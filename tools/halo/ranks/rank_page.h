// Memory that a launcher and its ranks share: one RankSlot per rank. It has no name in any file
// system, so that nothing is left behind however a run ends.
#ifndef TOOLS_HALO_RANKS_RANK_PAGE_H_
#define TOOLS_HALO_RANKS_RANK_PAGE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "halo/api/observe/rank_slot.h"

namespace halo::tool {

class RankPage {
 public:
  // Null if the system refuses.
  static std::unique_ptr<RankPage> Create(int64_t ranks);
  // The page that a launcher created, given the value of its path().
  static std::unique_ptr<RankPage> Open(const std::string& path, int64_t ranks);
  ~RankPage();
  RankPage(const RankPage&) = delete;
  RankPage& operator=(const RankPage&) = delete;

  [[nodiscard]] std::span<RankSlot> slots() const { return slots_; }
  // For other processes to open while this one is alive.
  [[nodiscard]] std::string path() const;

 private:
  RankPage(int file, std::span<RankSlot> slots) : file_(file), slots_(slots) {}
  static std::unique_ptr<RankPage> Map(int file, int64_t ranks);

  int file_;
  std::span<RankSlot> slots_;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_RANK_PAGE_H_
