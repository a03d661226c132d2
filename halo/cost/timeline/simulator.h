// Runs computations one instruction after the other and records when each runs.
#ifndef HALO_COST_TIMELINE_SIMULATOR_H_
#define HALO_COST_TIMELINE_SIMULATOR_H_

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/cost/timeline/step_timeline.h"
#include "halo/cost/timeline/under_way.h"

namespace halo {

class Simulator {
 public:
  Simulator(const Module& module, ModuleCost& cost, const std::vector<OpTime>& times,
            const TimelineOptions& options, Timeline& timeline);

  // Fills frames, events and loops.
  void Run();

 private:
  class Frame;
  struct Ended {
    uint32_t frame = kNoEvent;
    UnderWay after;
  };

  const Ended& RunComputation(CompId comp, const UnderWay& before, int depth);
  // Whether a frame that begins with work under way may be simulated.
  [[nodiscard]] bool MayNest(int depth) const;
  void DescribeComputation(CompId comp);
  void DescribeMoves();

  const Module& module_;
  const ModuleCost& cost_;
  const std::vector<OpTime>& times_;
  TimelineOptions options_;
  Timeline& timeline_;
  std::vector<QueueSet> collectives_;  // by instruction; empty if it is none
  std::vector<QueueSet> inside_;       // by computation: queues of what communicates in it
  std::vector<InstId> longest_;        // by computation
  std::vector<uint32_t> flying_;       // by start: its transfer in the frame that runs
  std::vector<Ended> idle_;            // by computation: run with nothing under way
  std::map<std::pair<uint32_t, UnderWay>, Ended> busy_;
  size_t budget_ = 0;  // of events
  // By instruction, if anything moved: whether it runs elsewhere, and whether others run before it.
  struct Role {
    bool is_moved = false, has_moved = false;
  };
  std::vector<Role> roles_;
  // Positions and the moved transfers that are issued, or waited for, before them; sorted.
  std::vector<std::pair<uint32_t, InstId>> issues_, waits_;
};

}  // namespace halo

#endif  // HALO_COST_TIMELINE_SIMULATOR_H_
