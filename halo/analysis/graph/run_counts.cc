// Counts propagate from callers to callees once all callers of a computation are known (Kahn's
// algorithm). There is no recursion, and a cycle in a malformed module is never reached.
#include "halo/analysis/graph/run_counts.h"

#include <charconv>

#include "halo/analysis/graph/counted_loop.h"
#include "halo/base/capped.h"

namespace halo {
namespace {

// The known_trip_count in a while's backend_config.
std::optional<int64_t> RecordedTripCount(const Module& module, const Inst& loop) {
  const std::string_view config = module.TextOr(loop.attrs, AttrKey::k_backend_config);
  size_t at = config.find("\"known_trip_count\"");
  if (at == std::string_view::npos) return std::nullopt;
  at = config.find("\"n\"", at);
  if (at == std::string_view::npos) return std::nullopt;
  at = config.find_first_of("0123456789", at);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t count = 0;
  const auto [end, error] =
      std::from_chars(config.data() + at, config.data() + config.size(), count);
  if (error != std::errc()) return std::nullopt;
  return count;
}

// How one call contributes to the callee's run count.
RunCount Through(const Module& module, const Inst& caller, CompId callee, RunCount runs) {
  if (caller.opcode == Opcode::kConditional) runs.at_least = true;
  if (caller.opcode == Opcode::kWhile) {
    const Attr* body = module.Find(caller, AttrKey::k_body);
    if (const auto trips = KnownTripCount(module, caller)) {
      const bool is_body = body != nullptr && CompId(body->value) == callee;
      runs.runs = MultiplyCapped(runs.runs, is_body ? *trips : AddCapped(*trips, 1));
    } else {
      runs.at_least = true;
    }
  }
  return runs;
}

}  // namespace

std::optional<int64_t> KnownTripCount(const Module& module, const Inst& loop) {
  const std::optional<int64_t> recorded = RecordedTripCount(module, loop);
  return recorded ? recorded : CountedTrips(module, loop);
}

std::vector<RunCount> CountRuns(const Module& module) {
  const size_t comps = module.comps.size();
  std::vector<RunCount> counts(comps);
  if (!module.entry.valid()) return counts;
  std::vector<uint32_t> callers_left(comps, 0);
  std::vector<CompId> called;
  for (const Inst& inst : module.insts) {
    called.clear();
    module.CalledBy(inst, called);
    for (const CompId comp : called) ++callers_left[comp.index()];
  }
  std::vector<CompId> ready;
  for (size_t i = 0; i < comps; ++i) {
    if (callers_left[i] == 0) ready.emplace_back(i);
  }
  counts[module.entry.index()].runs = 1;
  while (!ready.empty()) {
    const CompId id = ready.back();
    ready.pop_back();
    const Computation& comp = module.comp(id);
    const RunCount runs = counts[id.index()];
    for (uint32_t i = comp.first; i < comp.first + comp.count; ++i) {
      called.clear();
      module.CalledBy(module.insts[i], called);
      for (const CompId callee : called) {
        const RunCount more = Through(module, module.insts[i], callee, runs);
        RunCount& total = counts[callee.index()];
        if (runs.runs != 0) {
          total.runs = AddCapped(total.runs, more.runs);
          total.at_least = total.at_least || more.at_least;
        }
        if (--callers_left[callee.index()] == 0) ready.push_back(callee);
      }
    }
  }
  return counts;
}

}  // namespace halo
