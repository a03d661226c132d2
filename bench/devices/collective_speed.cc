// Compares our collectives with MPI's own in one run, alternating between them. Run under mpirun
// with one device per process. Prints one JSON line per op and size: the best time of each, where a
// time is that of the slowest device. MPI's own is measured both as a blocking call and as a
// non-blocking one followed by a wait, since either may be the faster.
//
//   mpirun -n 8 collective_speed [--op OP] [--bytes N]... [--seconds S]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <mpi.h>
#include <string>
#include <vector>

#include "halo/devices/job/join.h"

namespace halo {
namespace {

// MPI's own calls wait by spinning. More processes than cores keep the thread that sends heartbeats
// from running for seconds.
constexpr double kSilence = 60;

struct Case {
  std::string name;
  CollectiveOp op;
  std::function<void()> blocking;  // the MPI equivalents
  std::function<void()> waited;
};

class Speed {
 public:
  Speed(CollectiveService& service, double seconds) : service_(service), seconds_(seconds) {}

  // `most`: bytes of the larger side on each device.
  bool Open(int64_t most) {
    Result<std::shared_ptr<SharedBlock>> block = service_.Allocate(2 * most);
    if (!block) {
      std::fprintf(stderr, "%s\n", block.error().message.c_str());
      return false;
    }
    block_ = std::move(*block);
    std::memset(block_->data(), 0, static_cast<size_t>(2 * most));
    bare_in_.assign(static_cast<size_t>(most / 4), 1.0F);
    bare_out_.assign(static_cast<size_t>(most / 4), 0.0F);
    most_ = most;
    return true;
  }

  bool Measure(const std::string& name, int64_t bytes) {
    Case c = Make(name, bytes);
    const Result<uint32_t> op = service_.Prepare({c.op});
    if (!op) {
      std::fprintf(stderr, "%s\n", op.error().message.c_str());
      return false;
    }
    const void* operand = block_->data();
    void* result = block_->data() + most_;
    bool good = true;
    double start_seconds = 1e9;
    const auto ours = [&] {
      const double begin = MPI_Wtime();
      const Result<CollectiveHandle> handle = service_.Start(*op, {&operand, 1}, {&result, 1});
      start_seconds = std::min(start_seconds, MPI_Wtime() - begin);
      if (!good) return;
      std::optional<Diagnostic> problem;
      if (handle.ok()) {
        problem = service_.Wait(*handle);
      } else {
        problem = handle.error();
      }
      good = !problem;
      if (problem) std::fprintf(stderr, "%s\n", problem->message.c_str());
    };
    const int batch = bytes <= (int64_t{256} << 10) ? 20 : 1;
    double best[3] = {1e9, 1e9, 1e9};
    double cores = 1e9;  // CPU seconds of all cores together
    double spent = 0;
    int rounds = 0;
    Time(ours, 1);
    Time(c.blocking, 1);
    Time(c.waited, 1);
    while (good && (rounds < 5 || (spent < seconds_ && rounds < 200))) {
      const double a = Time(ours, batch);
      cores = std::min(cores, cores_);
      const double b = Time(c.blocking, batch);
      const double w = Time(c.waited, batch);
      best[0] = std::min(best[0], a);
      best[1] = std::min(best[1], b);
      best[2] = std::min(best[2], w);
      spent += (a + b + w) * batch;
      ++rounds;
    }
    if (service_.device() == 0) {
      std::printf(
          "{\"op\": \"%s\", \"bytes\": %lld, \"devices\": %lld, \"ours_ms\": %.4f, "
          "\"mpi_blocking_ms\": %.4f, \"mpi_waited_ms\": %.4f, \"start_ms\": %.4f, "
          "\"ours_core_ms\": %.4f, \"rounds\": %d}\n",
          name.c_str(), static_cast<long long>(bytes),
          static_cast<long long>(service_.device_count()), best[0] * 1e3, best[1] * 1e3,
          best[2] * 1e3, start_seconds * 1e3, cores * 1e3, rounds);
      std::fflush(stdout);
    }
    return good;
  }

 private:
  // Seconds for one run on the slowest device.
  double Time(const std::function<void()>& run, int batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double core_begin = CoreSeconds();
    const double begin = MPI_Wtime();
    for (int i = 0; i < batch; ++i) run();
    double seconds = (MPI_Wtime() - begin) / batch;
    double most = 0;
    double core = (CoreSeconds() - core_begin) / batch;
    MPI_Allreduce(&core, &cores_, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
  }

  static double CoreSeconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  Case Make(const std::string& name, int64_t bytes) {
    Case c;
    c.name = name;
    const int64_t devices = service_.device_count();
    const int64_t count = bytes / 4;
    const int64_t part = count / devices;
    c.op.name = name;
    c.op.groups.emplace_back();
    for (int64_t i = 0; i < devices; ++i) c.op.groups[0].push_back(i);
    const CollectiveArray whole = {ElementType::kF32, 1, count, 1};
    const CollectiveArray piece = {ElementType::kF32, 1, part, 1};
    c.op.operands = {whole};
    c.op.results = {whole};
    c.op.reduce = ReduceKind::kSum;
    float* in = bare_in_.data();
    float* out = bare_out_.data();
    const int all = static_cast<int>(count);
    const int some = static_cast<int>(part);
    const auto wait = [](MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); };
    if (name == "all-reduce") {
      c.op.kind = CollectiveKind::kAllReduce;
      c.blocking = [=] { MPI_Allreduce(in, out, all, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); };
      c.waited = [=] {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallreduce(in, out, all, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
        wait(request);
      };
    } else if (name == "all-gather") {
      c.op.kind = CollectiveKind::kAllGather;
      c.op.operands = {piece};
      c.blocking = [=] {
        MPI_Allgather(in, some, MPI_FLOAT, out, some, MPI_FLOAT, MPI_COMM_WORLD);
      };
      c.waited = [=] {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallgather(in, some, MPI_FLOAT, out, some, MPI_FLOAT, MPI_COMM_WORLD, &request);
        wait(request);
      };
    } else if (name == "reduce-scatter") {
      c.op.kind = CollectiveKind::kReduceScatter;
      c.op.results = {piece};
      c.blocking = [=] {
        MPI_Reduce_scatter_block(in, out, some, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      };
      c.waited = [=] {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ireduce_scatter_block(in, out, some, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
        wait(request);
      };
    } else if (name == "all-to-all") {
      c.op.kind = CollectiveKind::kAllToAll;
      c.blocking = [=] { MPI_Alltoall(in, some, MPI_FLOAT, out, some, MPI_FLOAT, MPI_COMM_WORLD); };
      c.waited = [=] {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ialltoall(in, some, MPI_FLOAT, out, some, MPI_FLOAT, MPI_COMM_WORLD, &request);
        wait(request);
      };
    } else {
      c.op.kind = CollectiveKind::kPermute;
      const int rank = static_cast<int>(service_.device());
      const int size = static_cast<int>(devices);
      for (int64_t i = 0; i < devices; ++i) c.op.pairs.emplace_back(i, (i + 1) % devices);
      const int next = (rank + 1) % size;
      const int before = (rank + size - 1) % size;
      c.blocking = [=] {
        MPI_Sendrecv(in, all, MPI_FLOAT, next, 0, out, all, MPI_FLOAT, before, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
      };
      c.waited = [=] {
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Irecv(out, all, MPI_FLOAT, before, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(in, all, MPI_FLOAT, next, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      };
    }
    return c;
  }

  CollectiveService& service_;
  double seconds_;
  int64_t most_ = 0;
  double cores_ = 0;  // of all devices, in the last Time
  std::shared_ptr<SharedBlock> block_;
  std::vector<float> bare_in_, bare_out_;
};

int Main(int argc, char** argv) {
  std::vector<std::string> ops;
  std::vector<int64_t> sizes;
  double seconds = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--op") ops.emplace_back(argv[i + 1]);
    if (option == "--bytes") sizes.push_back(std::atoll(argv[i + 1]));
    if (option == "--seconds") seconds = std::atof(argv[i + 1]);
  }
  if (ops.empty()) {
    ops = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute"};
  }
  if (sizes.empty()) {
    for (const int64_t kb : {4, 64, 1024, 16384, 65536}) sizes.push_back(kb << 10);
  }
  JoinOptions options = JoinOptionsFromEnvironment();
  options.silence = kSilence;
  Result<std::unique_ptr<CollectiveService>> joined = JoinDevices(options);
  if (!joined) {
    std::fprintf(stderr, "%s\n", joined.error().message.c_str());
    return 2;
  }
  CollectiveService& service = **joined;
  service.SetTimeout(120);
  Speed speed(service, seconds);
  if (!speed.Open(*std::max_element(sizes.begin(), sizes.end()))) return 2;
  for (const std::string& op : ops) {
    for (const int64_t bytes : sizes) {
      if (!speed.Measure(op, bytes)) return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace halo

int main(int argc, char** argv) { return halo::Main(argc, argv); }
