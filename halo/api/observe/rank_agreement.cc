// The first run locates the difference by digests; the second run keeps the values to show.
#include "halo/api/observe/rank_agreement.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "halo/api/observe/agreement_table.h"
#include "halo/api/observe/run_observers.h"
#include "halo/base/hash.h"
#include "halo/eval/collectives/shards.h"
#include "halo/eval/inputs/compare_values.h"

namespace halo {
namespace {

bool SameValues(const Value& a, const Value& b) {
  std::vector<const Array*> all;
  ForEachArray(a, [&](const Array& array) { all.push_back(&array); });
  size_t next = 0;
  bool same = true;
  ForEachArray(b, [&](const Array& array) {
    same = same && next < all.size() && SameBits(*all[next], array);
    ++next;
  });
  return same && next == all.size();
}

// Counts executions and passes each value's digest to the table.
class DigestObserver : public EvalObserver {
 public:
  DigestObserver(const Module& module, AgreementTable& table, int64_t devices)
      : table_(table),
        sequences_(static_cast<size_t>(devices), 0),
        executions_(static_cast<size_t>(devices), std::vector<int64_t>(module.insts.size(), 0)) {}

  bool OnValue(int64_t device, InstId inst, std::span<const Value> /*operands*/,
               const Value& value) override {
    const auto d = static_cast<size_t>(device);
    OfferedValue offered{device, ++sequences_[d], inst, executions_[d][inst.index()]++, 0, 0};
    ForEachArray(value, [&](const Array& array) {
      offered.digest = DigestOf(array);
      table_.Offer(offered);
      ++offered.leaf;
    });
    return !table_.IsSettled();
  }

 private:
  AgreementTable& table_;
  std::vector<int64_t> sequences_;
  std::vector<std::vector<int64_t>> executions_;
};

// Keeps the values of two devices at selected executions.
class KeepingObserver : public EvalObserver {
 public:
  struct Kept {
    DisagreeingDevices where;
    Value value[2];
    std::vector<Value> operands[2];
    bool is_kept[2] = {false, false};
  };

  KeepingObserver(const Module& module, std::vector<Kept>& all, int64_t devices)
      : all_(all),
        executions_(static_cast<size_t>(devices), std::vector<int64_t>(module.insts.size(), 0)) {}

  bool OnValue(int64_t device, InstId inst, std::span<const Value> operands,
               const Value& value) override {
    const int64_t execution = executions_[static_cast<size_t>(device)][inst.index()]++;
    bool is_complete = true;
    for (Kept& each : all_) {
      const int which = device == each.where.device ? 0 : device == each.where.other ? 1 : -1;
      if (which >= 0 && each.where.inst == inst && each.where.execution == execution) {
        each.value[which] = value;
        each.operands[which].assign(operands.begin(), operands.end());
        each.is_kept[which] = true;
      }
      is_complete = is_complete && each.is_kept[0] && each.is_kept[1];
    }
    return !is_complete;
  }

 private:
  std::vector<Kept>& all_;
  std::vector<std::vector<int64_t>> executions_;
};

const Array* LeafOf(const Value& value, size_t leaf) {
  const Array* found = nullptr;
  ForEachArray(value, [&](const Array& array) {
    if (leaf-- == 0) found = &array;
  });
  return found;
}

RankDifference Describe(const Module& module, const Replication& replication,
                        const KeepingObserver::Kept& kept) {
  RankDifference out;
  out.location = LocationOf(module, kept.where.inst);
  out.execution = kept.where.execution;
  out.leaf = kept.where.leaf;
  out.device = kept.where.device;
  out.other = kept.where.other;
  out.is_tuple = kept.value[0].is_tuple();
  const Array* one = LeafOf(kept.value[0], kept.where.leaf);
  const Array* other = LeafOf(kept.value[1], kept.where.leaf);
  if (one != nullptr && other != nullptr) DescribeDifference(*one, *other, out);
  const std::span<const InstId> ids = module.operands_of(module.inst(kept.where.inst));
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i >= kept.operands[0].size() || i >= kept.operands[1].size()) break;
    OperandState& state = out.operands.emplace_back();
    state.name = module.name_of(module.inst(ids[i]));
    state.is_same = SameValues(kept.operands[0][i], kept.operands[1][i]);
    state.must_be = true;
    size_t leaf = 0;
    ForEachArray(kept.operands[0][i], [&](const Array&) {
      const std::span<const uint32_t> classes = replication.ClassesOf(ids[i], leaf++);
      state.must_be =
          state.must_be && !classes.empty() &&
          classes[static_cast<size_t>(out.device)] == classes[static_cast<size_t>(out.other)];
    });
  }
  return out;
}

bool SameLocation(const std::optional<DisagreeingDevices>& a,
                  const std::optional<DisagreeingDevices>& b) {
  return a && b && a->inst == b->inst && a->execution == b->execution && a->leaf == b->leaf;
}

bool IsAsked(const Module& module, const RunInput& input, std::span<const std::string> same) {
  return std::ranges::any_of(same, [&](const std::string& text) {
    const std::string_view pattern = std::string_view(text).substr(text.starts_with('%') ? 1 : 0);
    return MatchesPattern(input.name, pattern) || MatchesPattern(input.parameter, pattern) ||
           MatchesPattern(module.name_of(module.inst(input.leaf.inst)), pattern);
  });
}

InputDigests DigestsOf(const std::vector<std::vector<Value>>& arguments) {
  InputDigests all;
  for (const std::vector<Value>& own : arguments) {
    all.resize(own.size());
    for (size_t i = 0; i < own.size(); ++i) {
      size_t leaf = 0;
      ForEachArray(own[i], [&](const Array& array) {
        if (all[i].size() <= leaf) all[i].resize(leaf + 1);
        all[i][leaf++].push_back(DigestOf(array));
      });
    }
  }
  return all;
}

}  // namespace

uint64_t DigestOf(const Array& array) {
  uint64_t digest = HashBytes(array.bytes(), array.byte_count());
  for (const int64_t dim : array.dims()) digest = HashMix(digest ^ static_cast<uint64_t>(dim), 31);
  return digest;
}

InputClasses StatedClasses(const Module& module, std::span<const RunInput> inputs,
                           std::span<const std::string> same, int64_t devices) {
  InputClasses all;
  for (const RunInput& input : inputs) {
    if (!module.shapes.is_array(input.leaf.shape)) continue;
    const auto number = static_cast<size_t>(input.leaf.parameter);
    if (all.size() <= number) all.resize(number + 1);
    DeviceClasses& classes = all[number].emplace_back();
    if (IsAsked(module, input, same)) {
      classes.assign(static_cast<size_t>(devices), 0);
      continue;
    }
    const std::string_view text =
        module.TextOr(module.inst(input.leaf.inst).attrs, AttrKey::k_sharding);
    if (text.empty() || !input.leaf.path.empty()) continue;
    const std::optional<Sharding> sharding = ParseSharding(text);
    if (!sharding) continue;
    const std::optional<Tiling> tiling =
        TilingOf(*sharding, module.shapes.dims(input.leaf.shape), devices);
    if (tiling) classes = ClassesByKey<Dims>(tiling->corners);
  }
  return all;
}

void AddGivenClasses(const InputDigests& digests, InputClasses& classes) {
  classes.resize(std::max(classes.size(), digests.size()));
  for (size_t i = 0; i < digests.size(); ++i) {
    classes[i].resize(std::max(classes[i].size(), digests[i].size()));
    for (size_t leaf = 0; leaf < digests[i].size(); ++leaf) {
      DeviceClasses given = ClassesByKey<uint64_t>(digests[i][leaf]);
      const bool all_same = std::ranges::count(given, 0U) == std::ssize(given);
      if (classes[i][leaf].empty() || all_same) classes[i][leaf] = std::move(given);
    }
  }
}

void DescribeDifference(const Array& one, const Array& other, RankDifference& where) {
  where.type = one.type();
  where.dims.assign(one.dims().begin(), one.dims().end());
  where.count = one.count();
  if (!std::ranges::equal(one.dims(), other.dims())) return;
  const size_t width = one.element_bytes();
  Dims index(one.rank(), 0);
  for (int64_t at = 0; at < one.count(); ++at) {
    const size_t offset = static_cast<size_t>(at) * width;
    if (std::memcmp(one.bytes() + offset, other.bytes() + offset, width) != 0) {
      if (where.different++ == 0) {
        where.has_values = true;
        where.index = index;
        const auto text = [&](const Array& array) {
          Array element(array.type(), {});
          std::memcpy(element.MutableBytes(), array.bytes() + offset, width);
          return LiteralText(element);
        };
        where.value = text(one);
        where.other_value = text(other);
      }
    }
    NextIndex(one.dims(), index);
  }
}

Result<RankAgreement> CompareDevices(const Module& module, const DeviceGrid& grid,
                                     const InputClasses& stated,
                                     const std::vector<std::vector<Value>>& arguments,
                                     EvalOptions options) {
  InputClasses parameters = stated;
  AddGivenClasses(DigestsOf(arguments), parameters);
  Result<Replication> replication = Replication::Analyze(module, grid, parameters);
  if (!replication.ok()) return replication.error();
  RankAgreement result;
  result.instructions = replication->CountTied();
  AgreementTable table(*replication, grid.count());
  DigestObserver digests(module, table, grid.count());
  options.observer = &digests;
  const Result<EvalOutput> first = Evaluate(module, arguments, options);
  if (!first.ok()) return first.error();
  result.compared = table.compared();
  std::vector<KeepingObserver::Kept> kept;
  for (const auto* found : {&table.difference(), &table.divergence()}) {
    if (*found) kept.emplace_back().where = **found;
  }
  if (kept.empty()) return result;
  KeepingObserver keeping(module, kept, grid.count());
  options.observer = &keeping;
  const Result<EvalOutput> second = Evaluate(module, arguments, options);
  if (!second.ok()) return second.error();
  size_t next = 0;
  if (table.difference()) result.difference = Describe(module, *replication, kept[next++]);
  // A difference between devices that must agree is not reported as a permitted divergence.
  if (table.divergence() && !SameLocation(table.divergence(), table.difference())) {
    result.divergence = Describe(module, *replication, kept[next]);
  }
  return result;
}

}  // namespace halo
