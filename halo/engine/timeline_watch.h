// Records when steps began and ended, and sends each rank's recording to the first rank.
#ifndef HALO_ENGINE_TIMELINE_WATCH_H_
#define HALO_ENGINE_TIMELINE_WATCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/api/observe/timeline.h"
#include "halo/runtime/step_watch.h"

namespace halo {

// Loops, branches and calls are represented by their steps. Only the beginning of a long run is
// kept.
class TimelineWatch : public StepWatch {
 public:
  explicit TimelineWatch(const Module& module) : module_(module) {}

  // Sets the origin of all times. Devices start together.
  void Restart();
  void OnBegin(const Step& step, std::span<void* const> buffers) override;
  std::optional<Diagnostic> OnEnd(const Step& step, std::span<void* const> buffers) override;
  [[nodiscard]] const std::vector<TimelineEvent>& events() const { return events_; }

 private:
  const Module& module_;
  int64_t origin_ = 0, begin_ = 0;
  uint64_t collectives_ = 0;                          // started so far
  std::unordered_map<uint32_t, uint64_t> under_way_;  // by their number in the plan
  std::vector<TimelineEvent> events_;
};

std::string PackEvents(const std::vector<TimelineEvent>& events);
std::vector<TimelineEvent> UnpackEvents(std::string_view text);

}  // namespace halo

#endif  // HALO_ENGINE_TIMELINE_WATCH_H_
