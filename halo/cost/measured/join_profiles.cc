// Executions of a program are told apart by the profiler's own records of them, or else by
// counting: an op that runs n times in a step belongs to the next step from its n-th event on.
#include "halo/cost/measured/join_profiles.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "halo/cost/measured/choose_program.h"

namespace halo {
namespace {

struct Sample {
  InstId inst;
  uint32_t device = 0;  // of all profiles
  uint32_t step = 0;
  int64_t start = 0, duration = 0;
};

double MedianOf(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

class Joiner {
 public:
  Joiner(const Module& module, std::span<const RunCount> runs, const ProfileJoinOptions& options)
      : module_(module), runs_(runs), options_(options) {
    result_.insts.resize(module.insts.size());
    for (uint32_t i = 0; i < module.insts.size(); ++i) {
      by_name_.try_emplace(module.name_of(module.inst(InstId(i))), i);
    }
  }

  void Add(const Profile& profile) {
    std::vector<InstId> insts;
    for (const std::string& op : profile.ops) {
      const auto found = by_name_.find(op);
      insts.push_back(found == by_name_.end() ? InstId() : InstId(found->second));
    }
    result_.events += profile.events.size();
    result_.unnamed += profile.unnamed;
    result_.launches += profile.launches;
    const ProgramChoice choice =
        ChooseProgram(profile, insts, module_.text(module_.name), options_.program);
    if (result_.why.empty() || choice.program) result_.why = choice.why;
    if (choice.program) {
      std::string label = ProgramLabel(profile.programs[*choice.program]);
      if (std::find(result_.programs.begin(), result_.programs.end(), label) ==
          result_.programs.end()) {
        result_.programs.push_back(std::move(label));
      }
    }
    std::vector<std::vector<size_t>> by_device(profile.devices.size());
    std::vector<size_t> unknown(profile.ops.size());  // events
    for (size_t i = 0; i < profile.events.size(); ++i) {
      const ProfileEvent& event = profile.events[i];
      const bool is_ours =
          choice.takes_unattributed || (choice.program && event.program == *choice.program);
      if (!is_ours) {
        ++result_.other_programs;
      } else if (!insts[event.op].valid()) {
        ++unknown[event.op];
        ++result_.unknown_events;
      } else {
        by_device[event.device].push_back(i);
      }
    }
    for (size_t op = 0; op < unknown.size(); ++op) {
      if (unknown[op] > 0) unknown_[profile.ops[op]] += unknown[op];
    }
    for (uint32_t device = 0; device < by_device.size(); ++device) {
      if (!by_device[device].empty()) {
        AddDevice(profile, insts, device, choice, std::move(by_device[device]));
      }
    }
  }

  MeasuredModule Take() {
    FindInstructionTimes();
    FindStepTimes();
    for (auto& [name, events] : unknown_) result_.unknown.push_back({name, events});
    std::sort(result_.unknown.begin(), result_.unknown.end(),
              [](const UnknownOp& a, const UnknownOp& b) {
                return a.events != b.events ? a.events > b.events : a.name < b.name;
              });
    return std::move(result_);
  }

 private:
  [[nodiscard]] int64_t RunsOf(InstId inst) const {
    return std::max<int64_t>(runs_[module_.inst(inst).parent.index()].runs, 1);
  }

  // `events` are those of one device.
  void AddDevice(const Profile& profile, const std::vector<InstId>& insts, uint32_t device,
                 const ProgramChoice& choice, std::vector<size_t> events) {
    const uint32_t number = static_cast<uint32_t>(result_.devices++);
    std::sort(events.begin(), events.end(), [&](size_t a, size_t b) {
      const ProfileEvent &left = profile.events[a], &right = profile.events[b];
      return std::tuple(insts[left.op], left.start, a) <
             std::tuple(insts[right.op], right.start, b);
    });
    // The device's executions of the program, in order.
    std::vector<uint32_t> runs;
    for (uint32_t i = 0; i < profile.runs.size(); ++i) {
      if (profile.runs[i].device != device) continue;
      if (choice.program && profile.runs[i].program != *choice.program) continue;
      runs.push_back(i);
    }
    std::sort(runs.begin(), runs.end(), [&](uint32_t a, uint32_t b) {
      return profile.runs[a].start < profile.runs[b].start;
    });
    std::unordered_map<uint32_t, uint32_t> step_of_run;
    for (const uint32_t run : runs) {
      const uint32_t step = static_cast<uint32_t>(step_of_run.size());
      step_of_run.emplace(run, step);
      if (Wants(step)) lengths_[{number, step}] = profile.runs[run].duration;
    }
    const size_t steps = runs.empty() ? CountSteps(profile, insts, events) : runs.size();
    for (size_t begin = 0; begin < events.size();) {
      const InstId inst = insts[profile.events[events[begin]].op];
      size_t end = begin;
      while (end < events.size() && insts[profile.events[events[end]].op] == inst) ++end;
      const size_t count = end - begin;
      for (size_t i = begin; i < end; ++i) {
        const ProfileEvent& event = profile.events[events[i]];
        const auto known = step_of_run.find(event.run);
        const uint32_t step =
            known != step_of_run.end()
                ? known->second
                : static_cast<uint32_t>((i - begin) * std::min(steps, count) / count);
        if (!Wants(step)) {
          ++result_.other_steps;
          continue;
        }
        ++result_.joined;
        ++result_.insts[inst.index()].events;
        samples_.push_back({inst, number, step, event.start, event.duration});
      }
      begin = end;
    }
  }

  [[nodiscard]] bool Wants(uint32_t step) const { return !options_.step || *options_.step == step; }

  // How often the program ran, by what most ops say.
  size_t CountSteps(const Profile& profile, const std::vector<InstId>& insts,
                    const std::vector<size_t>& events) const {
    std::map<size_t, size_t> votes;
    for (size_t begin = 0; begin < events.size();) {
      const InstId inst = insts[profile.events[events[begin]].op];
      size_t end = begin;
      while (end < events.size() && insts[profile.events[events[end]].op] == inst) ++end;
      const auto runs = static_cast<size_t>(RunsOf(inst));
      if ((end - begin) % runs == 0) ++votes[(end - begin) / runs];
      begin = end;
    }
    size_t best = 1, most = 0;
    for (const auto& [steps, count] : votes) {
      if (count <= most) continue;
      best = steps;
      most = count;
    }
    return best;
  }

  void FindInstructionTimes() {
    // In order of instructions, devices and steps; one op may be several kernels.
    std::sort(samples_.begin(), samples_.end(), [](const Sample& a, const Sample& b) {
      return std::tuple(a.inst, a.device, a.step) < std::tuple(b.inst, b.device, b.step);
    });
    std::vector<double> sums;
    for (size_t i = 0; i < samples_.size();) {
      const Sample& first = samples_[i];
      int64_t sum = 0;
      for (; i < samples_.size() && samples_[i].inst == first.inst &&
             samples_[i].device == first.device && samples_[i].step == first.step;
           ++i) {
        sum = std::min(sum + samples_[i].duration, kMaxPicoseconds);
      }
      sums.push_back(SecondsFrom(sum));
      if (i < samples_.size() && samples_[i].inst == first.inst) continue;
      result_.insts[first.inst.index()].seconds =
          MedianOf(sums) / static_cast<double>(RunsOf(first.inst));
      sums.clear();
    }
  }

  void FindStepTimes() {
    struct Extent {
      int64_t begin, end;
    };
    std::map<std::pair<uint32_t, uint32_t>, Extent> extents;
    for (const Sample& sample : samples_) {
      const int64_t end = sample.start + sample.duration;
      const auto [found, is_new] =
          extents.try_emplace({sample.device, sample.step}, Extent{sample.start, end});
      found->second.begin = std::min(found->second.begin, sample.start);
      found->second.end = std::max(found->second.end, end);
    }
    std::vector<double> seconds;
    for (const auto& [key, extent] : extents) {
      const auto known = lengths_.find(key);
      const int64_t length =
          known != lengths_.end() && known->second > 0 ? known->second : extent.end - extent.begin;
      seconds.push_back(SecondsFrom(length));
    }
    result_.steps = seconds.size();
    if (seconds.empty()) return;
    result_.shortest_step = *std::min_element(seconds.begin(), seconds.end());
    result_.longest_step = *std::max_element(seconds.begin(), seconds.end());
    result_.step_seconds = MedianOf(seconds);
  }

  const Module& module_;
  std::span<const RunCount> runs_;
  const ProfileJoinOptions& options_;
  std::unordered_map<std::string_view, uint32_t> by_name_;
  std::map<std::string, size_t, std::less<>> unknown_;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> lengths_;  // by device and step
  std::vector<Sample> samples_;
  MeasuredModule result_;
};

}  // namespace

MeasuredModule JoinProfiles(const Module& module, std::span<const RunCount> runs,
                            std::span<const Profile> profiles, const ProfileJoinOptions& options) {
  Joiner joiner(module, runs, options);
  for (const Profile& profile : profiles) joiner.Add(profile);
  return joiner.Take();
}

}  // namespace halo
