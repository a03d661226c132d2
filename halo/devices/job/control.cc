// Polls non-blocking MPI collectives.
#include "halo/devices/job/control.h"

#include <climits>
#include <numeric>
#include <unistd.h>
#include <utility>

#include "halo/devices/job/mpi_call.h"
#include "halo/devices/job/shared_wait.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

constexpr const char* kWhat = "exchanging messages between devices";

Diagnostic TooLong() {
  return MakeBinaryDiagnostic(diag::kCannotEvaluate, 0,
                              "more than 2 GiB in one exchange between devices");
}

}  // namespace

Control::Control(MPI_Comm comm, GiveUp give_up) : comm_(comm), give_up_(std::move(give_up)) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
}

std::optional<Diagnostic> Control::Finish(MPI_Request request,
                                          std::shared_ptr<const void> buffers) {
  const double begin = MonotonicSeconds();
  for (int64_t tries = 0;; ++tries) {
    int done = 0;
    std::optional<Diagnostic> problem =
        MpiProblem(MPI_Test(&request, &done, MPI_STATUS_IGNORE), kWhat);
    if (!problem && done != 0) return std::nullopt;
    if (!problem && tries < 200) {
      YieldCore();
      continue;
    }
    if (!problem) problem = give_up_(MonotonicSeconds() - begin);
    if (problem) {
      KeepForMpi(std::move(buffers));
      return problem;
    }
    usleep(tries < 2000 ? 100 : 1000);
  }
}

std::optional<Diagnostic> Control::Barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  if (auto failed = MpiProblem(MPI_Ibarrier(comm_, &request), kWhat)) return failed;
  return Finish(request, nullptr);
}

// Through the first device: MPI's own exchange between all opens a connection between every two of
// them, thousands for each in a large job.
Result<std::vector<std::string>> Control::Gather(std::string_view mine) {
  struct Exchange {
    std::string mine, all;
    int bytes = 0;
    std::vector<int> counts, begins;
  };
  if (mine.size() > INT_MAX) return TooLong();
  const auto exchange = std::make_shared<Exchange>();
  auto& [own, all, bytes, counts, begins] = *exchange;
  own = mine;
  bytes = static_cast<int>(mine.size());
  counts.resize(static_cast<size_t>(size_));
  MPI_Request request = MPI_REQUEST_NULL;
  const auto finished = [&](int code) {
    std::optional<Diagnostic> failed = MpiProblem(code, kWhat);
    return failed ? failed : Finish(request, exchange);
  };
  if (auto failed = finished(
          MPI_Igather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm_, &request))) {
    return *std::move(failed);
  }
  if (auto failed = finished(MPI_Ibcast(counts.data(), size_, MPI_INT, 0, comm_, &request))) {
    return *std::move(failed);
  }
  const int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  if (total > INT_MAX) return TooLong();
  begins.resize(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  all.resize(static_cast<size_t>(total));
  if (auto failed = finished(MPI_Igatherv(own.data(), bytes, MPI_CHAR, all.data(), counts.data(),
                                          begins.data(), MPI_CHAR, 0, comm_, &request))) {
    return *std::move(failed);
  }
  if (auto failed =
          finished(MPI_Ibcast(all.data(), static_cast<int>(total), MPI_CHAR, 0, comm_, &request))) {
    return *std::move(failed);
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < counts.size(); ++i) {
    texts.push_back(all.substr(static_cast<size_t>(begins[i]), static_cast<size_t>(counts[i])));
  }
  return texts;
}

Result<std::string> Control::Broadcast(std::string_view text, int64_t root) {
  struct Exchange {
    int64_t bytes = 0;
    std::string text;
  };
  const auto exchange = std::make_shared<Exchange>();
  if (root == rank_) *exchange = {static_cast<int64_t>(text.size()), std::string(text)};
  MPI_Request request = MPI_REQUEST_NULL;
  const int from = static_cast<int>(root);
  if (auto failed =
          MpiProblem(MPI_Ibcast(&exchange->bytes, 1, MPI_INT64_T, from, comm_, &request), kWhat)) {
    return *std::move(failed);
  }
  if (auto failed = Finish(request, exchange)) return *std::move(failed);
  if (exchange->bytes > INT_MAX) return TooLong();
  exchange->text.resize(static_cast<size_t>(exchange->bytes));
  if (auto failed = MpiProblem(MPI_Ibcast(exchange->text.data(), static_cast<int>(exchange->bytes),
                                          MPI_CHAR, from, comm_, &request),
                               kWhat)) {
    return *std::move(failed);
  }
  if (auto failed = Finish(request, exchange)) return *std::move(failed);
  return std::move(exchange->text);
}

}  // namespace halo
