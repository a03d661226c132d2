// One TCP connection from each other machine to the first. The kernel notices cut links; heartbeats
// notice machines that stand still.
#include "halo/devices/job/host_watch.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "halo/base/process_state.h"
#include "halo/devices/job/mpi_call.h"
#include "halo/devices/job/shared_wait.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

constexpr double kBeat = 0.5;            // seconds between heartbeats
constexpr double kCut = 4;               // without an acknowledgement either, its link is cut
constexpr double kStopped = 1;           // longer than a scheduling hiccup
constexpr double kStarved = 0.25;        // between two looks, instead of kWatchPoll
constexpr double kToEnd = 2.5;           // for a process to end by itself after a failure
constexpr int kLinkMilliseconds = 4000;  // without an acknowledgement, a link is cut
constexpr double kToConnect = 5;
constexpr int kWatchPoll = 50;  // milliseconds
constexpr size_t kMostAddresses = 16;
constexpr size_t kMostText = 4096;
constexpr char kBeatByte = 'h', kByeByte = 'b', kFailureByte = 'f', kLossByte = 'l',
               kStoppedByte = 's';

struct Hello {
  uint64_t token = 0;
  int64_t machine = 0;
};

struct Invitation {
  uint64_t token = 0;
  uint32_t addresses[kMostAddresses] = {};
  uint32_t count = 0;
  uint16_t port = 0;
};

// Nothing if the message is no failure.
std::optional<Board::Kind> KindOf(char first) {
  switch (first) {
    case kFailureByte: return Board::Kind::kSaid;
    case kLossByte: return Board::Kind::kLost;
    case kStoppedByte: return Board::Kind::kStopped;
    default: return std::nullopt;
  }
}

Diagnostic Gone(std::string message) {
  return MakeBinaryDiagnostic(diag::kCannotEvaluate, 0, std::move(message));
}

void Prepare(int file) {
  const int on = 1;
  const int idle = 1;
  const int probes = 3;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(file, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(file, IPPROTO_TCP, TCP_KEEPINTVL, &idle, sizeof idle);
  setsockopt(file, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  setsockopt(file, IPPROTO_TCP, TCP_USER_TIMEOUT, &kLinkMilliseconds, sizeof kLinkMilliseconds);
}

// The kernel of the other machine acknowledges even what no process there reads.
bool IsUnacknowledged(int file) {
  tcp_info info{};
  socklen_t size = sizeof info;
  return getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_unacked > 0;
}

// Reads exactly one object, within a time limit.
bool ReadHello(int file, Hello* hello) {
  timeval limit{.tv_sec = static_cast<time_t>(kToConnect), .tv_usec = 0};
  setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return recv(file, hello, sizeof *hello, MSG_WAITALL) == sizeof *hello;
}

int Listen(Invitation* invitation) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  if (bind(file, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(file, 1024) != 0 ||
      getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    close(file);
    return -1;
  }
  invitation->port = ntohs(address.sin_port);
  std::random_device random;
  invitation->token = uint64_t{random()} << 32 | random();
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return file;
  for (const ifaddrs* at = found; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    const uint32_t number = reinterpret_cast<sockaddr_in*>(at->ifa_addr)->sin_addr.s_addr;
    if (ntohl(number) >> 24 == 127 || invitation->count == kMostAddresses) continue;
    invitation->addresses[invitation->count++] = number;
  }
  freeifaddrs(found);
  return file;
}

int ConnectTo(uint32_t number, uint16_t port) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = number;
  address.sin_port = htons(port);
  const int code = connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address);
  if (code == 0) return file;
  pollfd ready{file, POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof error;
  if (errno == EINPROGRESS && poll(&ready, 1, static_cast<int>(kToConnect * 1000)) == 1 &&
      getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) {
    return file;
  }
  close(file);
  return -1;
}

}  // namespace

Result<std::unique_ptr<HostWatch>> HostWatch::Open(MPI_Comm world, WatchedJob job, Board& board) {
  constexpr const char* kWhat = "joining devices";
  std::unique_ptr<HostWatch> watch(new HostWatch(std::move(job), board));
  const size_t devices = watch->job_.machine_of.size();
  size_t machines = 0;
  for (size_t i = 0; i < devices; ++i) {
    machines += watch->job_.machine_of[i] == static_cast<int64_t>(i) ? 1 : 0;
  }
  Invitation invitation;
  const bool is_first = watch->job_.device == 0;
  const int listener = is_first ? Listen(&invitation) : -1;
  if (auto failed =
          MpiProblem(MPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, world), kWhat)) {
    return *std::move(failed);
  }
  if (is_first && listener >= 0) {
    watch->Accept(listener, invitation.token, machines - 1);
    close(listener);
  } else if (watch->is_leader() && invitation.port != 0) {
    for (uint32_t i = 0; i < invitation.count && watch->links_.empty(); ++i) {
      const int file = ConnectTo(invitation.addresses[i], invitation.port);
      if (file < 0) continue;
      const Hello hello{invitation.token, watch->job_.device};
      Link link{.socket = file, .heard = MonotonicSeconds()};
      link.unsent.assign(reinterpret_cast<const char*>(&hello), sizeof hello);
      Prepare(file);
      watch->links_.push_back(std::move(link));
      watch->Flush(watch->links_.back());
    }
  }
  // A machine that cannot be reached this way is not watched; the run goes on. Such a machine must
  // not take it for the end of the first one that this link was not accepted.
  std::vector<char> accepted(devices, 0);
  for (const Link& link : watch->links_) accepted[static_cast<size_t>(link.machine)] = 1;
  if (auto failed = MpiProblem(
          MPI_Bcast(accepted.data(), static_cast<int>(devices), MPI_BYTE, 0, world), kWhat)) {
    return *std::move(failed);
  }
  if (!is_first && accepted[watch->Index()] == 0) {
    for (const Link& link : watch->links_) close(link.socket);
    watch->links_.clear();
  }
  watch->thread_ = std::thread([raw = watch.get()] { raw->Watch(); });
  return watch;
}

void HostWatch::Accept(int listener, uint64_t token, size_t machines) {
  const double begin = MonotonicSeconds();
  while (links_.size() < machines && MonotonicSeconds() - begin < kToConnect) {
    pollfd ready{listener, POLLIN, 0};
    if (poll(&ready, 1, 100) != 1) continue;
    const int file = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (file < 0) continue;
    Hello hello;
    const bool is_ours = ReadHello(file, &hello) && hello.token == token && hello.machine > 0 &&
                         hello.machine < static_cast<int64_t>(job_.machine_of.size());
    if (!is_ours) {
      close(file);
      continue;
    }
    Prepare(file);
    links_.push_back({.socket = file, .machine = hello.machine, .heard = MonotonicSeconds()});
  }
}

HostWatch::~HostWatch() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
  for (Link& link : links_) {
    if (link.socket >= 0) close(link.socket);
  }
  ForgetNeighbour();
}

std::string HostWatch::NameOf(int64_t device) const {
  return "rank " + std::to_string(device) + " on " + job_.hosts[static_cast<size_t>(device)];
}

void HostWatch::TellFailure() {
  const double begin = MonotonicSeconds();
  while (!told_ && MonotonicSeconds() - begin < 0.5) usleep(5000);
}

void HostWatch::Watch() {
  while (true) {
    const bool ends = ends_;
    const double now = MonotonicSeconds();
    ForgiveOwnPause(now);
    WatchNeighbour(now);
    WatchLinks(now);
    SpreadFailure();
    TellIfStuck(now);
    if (ends) return;
    std::vector<pollfd> files;
    for (const Link& link : links_) {
      if (!link.is_lost) files.push_back({link.socket, POLLIN, 0});
    }
    if (neighbour_ >= 0) files.push_back({neighbour_, POLLIN, 0});
    poll(files.data(), files.size(), board_.failed() && !told_ ? 0 : kWatchPoll);
  }
}

// While this process had no core, silence says nothing about the others, which may have waited for
// the same core.
void HostWatch::ForgiveOwnPause(double now) {
  const double pause = now - last_look_;
  last_look_ = now;
  if (pause < kStarved) return;
  for (Link& link : links_) link.heard = std::min(now, link.heard + pause);
}

void HostWatch::ForgetNeighbour() {
  if (neighbour_ >= 0) close(neighbour_);
  neighbour_ = -1;
}

// Every process watches the next one of its machine, and so all are watched. Some launchers give
// the others a few milliseconds to say who was lost, so its end wakes this thread.
void HostWatch::WatchNeighbour(double now) {
  if (job_.local.size() < 2 || board_.failed()) return ForgetNeighbour();
  const auto processes = static_cast<int64_t>(job_.local.size());
  const int64_t next = (job_.process + 1) % processes;
  const int32_t pid = board_.PidOf(next);
  if (pid == 0) return;
  if (board_.StateOf(next).state == DeviceState::kFinished) return ForgetNeighbour();
  if (neighbour_ < 0) neighbour_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  const char state = ProcessState(pid);
  const std::string name =
      NameOf(job_.local[static_cast<size_t>(next)]) + " (process " + std::to_string(pid) + ")";
  const auto fail = [&](const char* what, Board::Kind kind) {
    if (job_.local[static_cast<size_t>(next)] == 0) has_lost_first_ = true;
    board_.Fail(Gone(name + what), kind);
  };
  if (state == 'X') {
    if (board_.StateOf(next).state == DeviceState::kFinished) return;
    fail(" was killed, by a user or by the system because memory ran out", Board::Kind::kLost);
  } else if (state != 'T') {
    stopped_since_ = 0;
  } else if (stopped_since_ == 0) {
    stopped_since_ = now;
  } else if (now - stopped_since_ > kStopped) {
    fail(" is stopped (SIGSTOP)", Board::Kind::kStopped);
  }
}

void HostWatch::WatchLinks(double now) {
  const bool beats = now >= next_beat_;
  if (beats) next_beat_ = now + kBeat;
  for (Link& link : links_) {
    if (link.is_lost) continue;
    Read(link, now);
    // Only the last heartbeat matters.
    if (beats && link.unsent.empty()) link.unsent += kBeatByte;
    if (finished_ && ends_) link.unsent += kByeByte;
    Flush(link);
    if (link.is_lost || link.said_bye) continue;
    if (now - link.heard > kCut && IsUnacknowledged(link.socket)) {
      Lose(link, "cannot be reached: the link is cut or the machine is down");
    } else if (now - link.heard > job_.silence) {
      Lose(link, "does not answer: its processes stand still", Board::Kind::kStopped);
    }
  }
}

void HostWatch::Read(Link& link, double now) {
  char bytes[4096];
  const char* why = nullptr;
  while (why == nullptr) {
    const ssize_t count = recv(link.socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) {
      link.heard = now;
      link.unread.append(bytes, static_cast<size_t>(count));
      continue;
    }
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    const bool is_cut = count < 0 && errno != ECONNRESET;
    why = is_cut ? "cannot be reached: the link is cut or the machine is down"
                 : "was killed, by a user or by the system because memory ran out";
  }
  // A machine that ends says why first.
  Understand(link);
  if (why != nullptr && !link.is_lost) Lose(link, why);
}

void HostWatch::Understand(Link& link) {
  while (!link.unread.empty()) {
    if (const std::optional<Board::Kind> kind = KindOf(link.unread[0])) {
      uint32_t sizes[2];
      if (link.unread.size() < 1 + sizeof sizes) return;
      std::memcpy(sizes, link.unread.data() + 1, sizeof sizes);
      if (sizes[1] > kMostText) return Lose(link, "sends what no rank sends");
      if (link.unread.size() < 1 + sizeof sizes + sizes[1]) return;
      board_.FailAs(sizes[0], link.unread.substr(1 + sizeof sizes, sizes[1]), *kind);
      link.unread.erase(0, 1 + sizeof sizes + sizes[1]);
      continue;
    }
    link.said_bye = link.said_bye || link.unread[0] == kByeByte;
    link.unread.erase(0, 1);
  }
}

void HostWatch::Flush(Link& link) {
  while (!link.unsent.empty()) {
    const ssize_t count =
        send(link.socket, link.unsent.data(), link.unsent.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count <= 0) return;  // what is wrong shows when reading
    link.unsent.erase(0, static_cast<size_t>(count));
  }
}

void HostWatch::Lose(Link& link, const std::string& why, Board::Kind kind) {
  link.is_lost = true;
  if (link.said_bye || finished_) return;
  if (link.machine == 0 && IsSecondMachine() && !board_.failed()) has_lost_first_ = true;
  board_.Fail(Gone(NameOf(link.machine) + " " + why), kind);
}

bool HostWatch::IsSecondMachine() const {
  return std::ranges::none_of(
      job_.machine_of, [&](int64_t machine) { return machine != 0 && machine < job_.device; });
}

// Once. Machines that know already keep what they know.
void HostWatch::SpreadFailure() {
  if (told_ || !board_.failed()) return;
  const Diagnostic why = board_.why();
  const std::string text = why.message.substr(0, kMostText);
  const uint32_t sizes[2] = {why.code.id(), static_cast<uint32_t>(text.size())};
  // Also to a machine that was silent for too long: it may only have had no core.
  for (Link& link : links_) {
    link.unsent += board_.has_stopped() ? kStoppedByte
                   : board_.has_lost()  ? kLossByte
                                        : kFailureByte;
    link.unsent.append(reinterpret_cast<const char*>(sizes), sizeof sizes);
    link.unsent += text;
    Flush(link);
  }
  told_ = true;
}

// A kernel that computes, or a call into MPI that does not return, must not keep the job alive.
void HostWatch::TellIfStuck(double now) {
  if (!board_.failed() || is_stuck_) return;
  if (failed_since_ == 0) failed_since_ = now;
  if (now - failed_since_ < kToEnd) return;
  is_stuck_ = true;
  const bool reports = job_.device == 0 || has_lost_first_;
  if (job_.on_stuck) job_.on_stuck(board_.why(), reports && board_.has_stopped());
}

}  // namespace halo
