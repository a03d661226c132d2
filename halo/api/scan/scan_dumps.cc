// Threads take the next program each; the caller's thread stores the results in order.
#include "halo/api/scan/scan_dumps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#ifdef HALO_WITH_THREADS
#include <condition_variable>
#include <mutex>
#include <thread>
#endif

#include "halo/api/scan/list_programs.h"
#include "halo/base/io/crc32.h"

namespace halo {
namespace {

constexpr size_t kMostRefusedKept = 20;

class Scanner {
 public:
  Scanner(const ScanRequest& request, Dataset& dataset, ScanResult& result)
      : request_(request),
        dataset_(dataset),
        result_(result),
        list_(request.next_root, request.follow) {
    how_.device = request.device;
    how_.shard = request.to.shard;
  }

  void Run() {
#ifdef HALO_WITH_THREADS
    if (request_.threads > 1) return RunThreads();
#endif
    how_.is_known = [this](int64_t program) { return dataset_.HasProgram(program); };
    while (std::optional<ScanInput> input = NextInput()) {
      const DescribedProgram described = DescribeProgram(*std::move(input), how_);
      if (!Store(described, dataset_.Claim(described))) return;
    }
    Finish();
  }

 private:
  // The next file that is to be read. Counts the others.
  std::optional<ScanInput> NextInput() {
    while (std::optional<ScanInput> input = list_.Next()) {
      if (request_.divide && ScanShardOf(*input, request_.to.shards) != request_.to.shard) {
        ++result_.elsewhere;
      } else if (dataset_.Has(*input)) {
        ++result_.skipped;
        if (dataset_.HasRefused(*input)) ++result_.skipped_refused;
      } else {
        return input;
      }
    }
    return std::nullopt;
  }

  // False, with a diagnostic, if it cannot be written.
  bool Store(const DescribedProgram& described, bool is_first) {
    const Result<bool> added = dataset_.Add(described, is_first);
    if (!added) {
      result_.diagnostics.Add(added.error());
      return false;
    }
    ++result_.files;
    if (!described.refused.empty()) {
      ++result_.refused;
      if (result_.first_refused.size() < kMostRefusedKept) {
        result_.first_refused.emplace_back(described.input.path, described.refused);
      }
    } else if (is_first) {
      ++result_.programs;
    } else {
      ++result_.duplicates;
    }
    if (request_.progress) request_.progress(result_.files);
    return true;
  }

  void Finish() {
    const Result<bool> finished = dataset_.Finish();
    if (!finished) result_.diagnostics.Add(finished.error());
    result_.succeeded = finished.ok();
  }

#ifdef HALO_WITH_THREADS
  // Threads may be this far ahead of what is stored, which bounds the rows in memory.
  [[nodiscard]] size_t most_ahead() const { return static_cast<size_t>(request_.threads) * 4; }

  void Work() {
    DescribeOptions how = how_;
    how.is_known = [this](int64_t program) {
      const std::scoped_lock lock(mutex_);
      return dataset_.HasProgram(program);
    };
    while (true) {
      std::optional<ScanInput> input;
      size_t number = 0;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stops_ || listed_ < stored_ + most_ahead(); });
        if (stops_) return;
        input = NextInput();
        if (!input) {
          stops_ = true;
          changed_.notify_all();
          return;
        }
        number = listed_++;
      }
      DescribedProgram described = DescribeProgram(*std::move(input), how);
      const std::scoped_lock lock(mutex_);
      described_.emplace(number, std::move(described));
      changed_.notify_all();
    }
  }

  void RunThreads() {
    std::vector<std::thread> threads;
    for (int i = 0; i < request_.threads; ++i) threads.emplace_back([this] { Work(); });
    bool is_whole = true;
    while (is_whole) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock,
                    [&] { return described_.contains(stored_) || (stops_ && stored_ == listed_); });
      const auto next = described_.find(stored_);
      if (next == described_.end()) break;
      const DescribedProgram described = std::move(next->second);
      described_.erase(next);
      const bool is_first = dataset_.Claim(described);
      ++stored_;
      changed_.notify_all();
      lock.unlock();
      is_whole = Store(described, is_first);
    }
    if (!is_whole) {
      const std::scoped_lock lock(mutex_);
      stops_ = true;
      changed_.notify_all();
    }
    for (std::thread& each : threads) each.join();
    if (is_whole) Finish();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<size_t, DescribedProgram> described_;  // by number, until they are stored
  size_t listed_ = 0, stored_ = 0;
  bool stops_ = false;
#endif

  const ScanRequest& request_;
  Dataset& dataset_;
  ScanResult& result_;
  ProgramList list_;
  DescribeOptions how_;
};

}  // namespace

int64_t ScanShardOf(const ScanInput& input, int64_t shards) {
  const std::string_view path = input.path;
  std::string key(path.substr(path.rfind('/') + 1));
  key += '\0' + std::to_string(input.bytes);
  const auto* bytes = reinterpret_cast<const uint8_t*>(key.data());
  return static_cast<int64_t>(Crc32(std::span(bytes, key.size()))) % std::max<int64_t>(shards, 1) +
         1;
}

ScanResult Scan(const ScanRequest& request) {
  ScanResult result;
  Result<Dataset> dataset = Dataset::Open(request.to, request.limits);
  if (!dataset) {
    result.diagnostics.Add(dataset.error());
    return result;
  }
  Scanner(request, *dataset, result).Run();
  result.parts = dataset->parts();
  result.bytes = dataset->bytes();
  result.rows = dataset->rows();
  return result;
}

}  // namespace halo
