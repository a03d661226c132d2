// `halo scan`: reads every program of any number of dumps into a dataset of Parquet files.
#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "halo/api/scan/scan_document.h"
#include "halo/base/machine_cores.h"
#include "halo/base/strings/human_size.h"
#include "halo/cost/device/time_device.h"
#include "tools/halo/guard/guarded_work.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/session.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {
namespace {

struct ScanFlags {
  std::vector<std::string> roots;
  std::string to, partition, shard = "1/1", device;
  bool follow = false;
  WorkLimits limits;
};

// Sets what "3/64" says; false if it says nothing.
bool ReadShard(std::string_view text, DatasetPlace& place) {
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, place.shard);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '/') return false;
  const auto second = std::from_chars(first.ptr + 1, end, place.shards);
  return second.ec == std::errc() && second.ptr == end && place.shard >= 1 &&
         place.shard <= place.shards;
}

// A Hive partition: "day=2026-11-17", or several with slashes between them.
bool IsPartition(std::string_view text) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('/'));
    const size_t equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos || part.front() == '_' ||
        part.front() == '.') {
      return false;
    }
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return true;
}

// The arguments one by one; "-" means the lines of standard input.
class RootReader {
 public:
  explicit RootReader(const std::vector<std::string>& roots) : roots_(roots) {}

  bool Next(std::string& root) {
    while (next_ < roots_.size()) {
      if (roots_[next_] != "-") {
        root = roots_[next_++];
        return true;
      }
      while (std::getline(std::cin, root)) {
        if (!root.empty()) return true;
      }
      ++next_;
    }
    return false;
  }

 private:
  const std::vector<std::string>& roots_;
  size_t next_ = 0;
};

void PrintScan(const ScanResult& result, const std::string& to, Session& session) {
  std::string text = Phrase("{}: {} added, {} of them new programs", to,
                            Counted(result.files, "file"), result.programs);
  if (result.skipped != 0) text += Phrase(", {} there already", result.skipped);
  if (result.skipped_refused != 0) text += Phrase(" ({} refused)", result.skipped_refused);
  if (result.elsewhere != 0) text += Phrase(", {} in other shards", result.elsewhere);
  session.console.Print(text + "\n");
  TextTable table("lr");
  for (size_t i = 0; i < kScanTables; ++i) {
    table.Add({std::string(TextOf(static_cast<ScanTable>(i))), GroupedDigits(result.rows[i])});
  }
  session.console.Print(table.Text(2, session.console.Width()));
  session.console.Print(
      Phrase("{} in {}\n", HumanBytes(result.bytes), Counted(result.parts, "part")));
  if (result.refused == 0) return;
  session.console.Print(
      Phrase("{} set aside, with the reason in files.refused:\n", Counted(result.refused, "file")));
  for (const auto& [path, why] : result.first_refused) {
    session.console.Print(Phrase("  {}: {}\n", path, why));
  }
  const auto shown = static_cast<int64_t>(result.first_refused.size());
  if (result.refused > shown) {
    session.console.Print(Phrase("  and {} more\n", result.refused - shown));
  }
}

void ScanAndShow(ScanRequest& request, const ScanFlags& flags,
                 const std::function<void()>& has_result, Session& session) {
  RootReader roots(flags.roots);
  request.next_root = [&](std::string& root) { return roots.Next(root); };
  request.progress = [&](int64_t files) {
    constexpr int64_t kStep = 64;
    if (files % kStep == 0) session.console.Status(Phrase("scanning: {} files", files));
  };
  const ScanResult result = Scan(request);
  has_result();
  session.console.Status("");
  if (!result.succeeded) return Refuse(result.diagnostics.all().front(), flags.to, session);
  if (result.refused + result.skipped_refused != 0) session.Worsen(kExitFindings);
  if (session.json) return PrintJson(ScanJson(result, flags.to), session);
  PrintScan(result, flags.to, session);
}

void RunScan(const ScanFlags& flags, Session& session) {
  session.files = {flags.to};
  ScanRequest request;
  request.to.folder = flags.to;
  request.to.partition = flags.partition;
  if (!ReadShard(flags.shard, request.to)) {
    return Refuse(
        kWrongUsage,
        "halo scan: --shard takes K/N with K from 1 to N, such as 3/64, not " + flags.shard,
        session);
  }
  if (!IsPartition(flags.partition)) {
    return Refuse(
        kWrongUsage,
        "halo scan: --partition takes NAME=VALUE, such as day=2026-11-17, not " + flags.partition,
        session);
  }
  if (!flags.device.empty() && !FindTimeDevice(flags.device)) {
    std::string names;
    for (const std::string_view name : TimeDeviceNames()) names += " " + std::string(name);
    return Refuse(
        kWrongUsage,
        "halo scan: no rates of a device '" + flags.device + "' are known; there are" + names,
        session);
  }
  request.device = flags.device;
  request.follow = flags.follow;
  request.threads = session.threads.value_or(MachineCores());
  GuardedWork guarded;
  guarded.name = "halo scan";
  guarded.input = flags.to;
  guarded.work = [&](const std::function<void()>& has_result) {
    ScanAndShow(request, flags, has_result, session);
  };
  RunLimited(flags.limits, guarded, session);
}

}  // namespace

void AddScanCommand(CLI::App& app, Session& session) {
  auto flags = std::make_shared<ScanFlags>();
  CLI::App* command = app.add_subcommand(
      "scan", "Write the programs of many dumps into a dataset of Parquet files");
  command
      ->add_option(
          "DIR", flags->roots,
          "Folders with dumps at any depth, archives or files; - reads a list of them, one "
          "per line")
      ->required();
  command->option_defaults()->group(kOutputOptions);
  command->add_option("--to", flags->to, "The folder of the dataset")->required();
  command->add_option("--partition", flags->partition,
                      "Store what is added under NAME=VALUE, such as day=2026-11-17");
  command->add_flag("--json", session.json, "Print the counts as JSON");
  command->option_defaults()->group(kInputOptions);
  command->add_option("--shard", flags->shard, "Scan only this share of the files: K/N")
      ->capture_default_str();
  command->add_option("--device", flags->device,
                      "Predict times for this device; by default, the one that a dump names");
  command->add_flag("--follow", flags->follow, "Follow links to files outside their folder");
  command->add_option("--threads", session.threads, "Number of threads (default: all cores)")
      ->check(CLI::Range(1, 1024));
  AddReadLimitOptions(*command, flags->limits);
  command->footer(
      "The tables are files, modules, instructions, collectives, buffers (at the peak), times and\n"
      "findings. Each program is stored once, however many files contain it. A scan can be "
      "repeated or\n"
      "resumed, also after a limit has ended it: files that are in the dataset are left out.\n"
      "docs/scan.md lists the columns.\n"
      "The exit code is 1 if a file cannot be read, now or in an earlier scan; the reason is in "
      "the "
      "table\nfiles.\n\n"
      "Examples:\n"
      "  halo scan dumps --to dataset\n"
      "  find /dumps -mtime -1 -name '*after_optimizations.txt' | halo scan - --to dataset "
      "--partition day=2026-11-17\n"
      "  halo scan dumps --to dataset --shard $((SLURM_ARRAY_TASK_ID + 1))/64");
  command->callback([flags, &session] { RunScan(*flags, session); });
}

}  // namespace halo::tool
