// Watches the other machines of a job, and the other processes of this one, in a thread that never
// calls MPI. If one of them ends early, stops or cannot be reached, the board of every machine that
// can still be reached says so, and waiting devices give up.
#ifndef HALO_DEVICES_JOB_HOST_WATCH_H_
#define HALO_DEVICES_JOB_HOST_WATCH_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mpi.h>
#include <string>
#include <thread>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/devices/job/board.h"

namespace halo {

// What the watch knows about the job.
struct WatchedJob {
  int64_t device = 0;
  std::vector<int64_t> machine_of;  // by device: the lowest device of its machine
  std::vector<std::string> hosts;   // by device: the name of its machine
  std::vector<int64_t> local;       // devices of this machine, by process
  int64_t process = 0;              // this one, on this machine
  double silence = 0;               // as JoinOptions says
  // Called if this process does not end by itself after a failure, as JoinOptions says.
  std::function<void(const Diagnostic& why, bool must_end_job)> on_stuck = {};
};

class HostWatch {
 public:
  // Collective on `world`. `board` must outlive the watch.
  static Result<std::unique_ptr<HostWatch>> Open(MPI_Comm world, WatchedJob job, Board& board);
  ~HostWatch();
  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;

  // This process joins no more collectives and may end at any time.
  void Finish() { finished_ = true; }
  // Waits a moment until the other machines have been told what the board says.
  void TellFailure();
  // Whether this process noticed that device 0 is lost. Of the other machines, only the first one
  // says so.
  [[nodiscard]] bool has_lost_first() const { return has_lost_first_; }
  // "rank 4 on host2"
  [[nodiscard]] std::string NameOf(int64_t device) const;

 private:
  // A connection between the first machine and another one.
  struct Link {
    int socket = -1;
    int64_t machine = 0;  // its lowest device
    double heard = 0;     // when it last sent something
    bool said_bye = false;
    bool is_lost = false;
    std::string unsent = {}, unread = {};
  };

  HostWatch(WatchedJob job, Board& board) : job_(std::move(job)), board_(board) {}
  [[nodiscard]] bool is_leader() const { return job_.machine_of[Index()] == job_.device; }
  [[nodiscard]] size_t Index() const { return static_cast<size_t>(job_.device); }
  void Accept(int listener, uint64_t token, size_t machines);
  void Watch();
  void ForgiveOwnPause(double now);
  void ForgetNeighbour();
  void WatchNeighbour(double now);
  void WatchLinks(double now);
  void Read(Link& link, double now);
  void Understand(Link& link);
  void Flush(Link& link);
  void Lose(Link& link, const std::string& why, Board::Kind kind = Board::Kind::kLost);
  [[nodiscard]] bool IsSecondMachine() const;
  void SpreadFailure();
  void TellIfStuck(double now);

  WatchedJob job_;
  Board& board_;
  std::vector<Link> links_;
  std::thread thread_;
  std::atomic<bool> finished_ = false, ends_ = false, told_ = false, has_lost_first_ = false;
  int neighbour_ = -1;  // its pidfd, if the system has them
  bool is_stuck_ = false;
  double next_beat_ = 0, stopped_since_ = 0, failed_since_ = 0, last_look_ = 0;
};

}  // namespace halo

#endif  // HALO_DEVICES_JOB_HOST_WATCH_H_
