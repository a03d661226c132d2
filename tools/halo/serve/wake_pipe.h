// Wakes a thread that waits in poll, from another thread or a signal handler.
#ifndef TOOLS_HALO_SERVE_WAKE_PIPE_H_
#define TOOLS_HALO_SERVE_WAKE_PIPE_H_

#include <array>

namespace halo::tool {

class WakePipe {
 public:
  WakePipe();
  ~WakePipe();
  WakePipe(const WakePipe&) = delete;
  WakePipe& operator=(const WakePipe&) = delete;

  // Never waits; may be called in a signal handler.
  void Wake() const;
  // Readable after Wake until Clear.
  [[nodiscard]] int descriptor() const { return ends_[0]; }
  void Clear() const;

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_WAKE_PIPE_H_
