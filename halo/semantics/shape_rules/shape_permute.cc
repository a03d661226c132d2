// Shapes of collective permutes, and their source-target pairs. With four operands and slice_sizes
// a permute writes parts of a buffer in place.
#include <algorithm>
#include <vector>

#include "halo/semantics/rules/collective_groups.h"
#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

using Pair = std::pair<int64_t, int64_t>;

// Returns nothing after a report.
std::optional<std::vector<Pair>> PairsOf(RuleContext& op) {
  const auto list = op.ints(AttrKey::k_source_target_pairs);
  std::vector<Pair> pairs;
  // [count, 2, source, target, 2, source, target, ...]
  for (size_t i = 1; i < list.size();) {
    const auto length = static_cast<size_t>(list[i]);
    if (length != 2 || i + 2 >= list.size()) {
      return op.Fail(Rule::kSourceTargetPairs, "source_target_pairs has an entry of ", length,
                     " numbers");
    }
    pairs.emplace_back(list[i + 1], list[i + 2]);
    i += 3;
  }
  return pairs;
}

bool IsInPlace(const RuleContext& op) { return op.has(AttrKey::k_slice_sizes); }

// An in-place permute may name a device in as many pairs as there are slices.
size_t TimesAllowed(const RuleContext& op) {
  if (!IsInPlace(op)) return 1;
  ShapeId offsets = op.operand(2);
  if (!op.is_array(0)) {
    if (!op.shapes().is_tuple(offsets) || op.shapes().elements(offsets).empty()) return 1;
    offsets = op.shapes().elements(offsets)[0];
  }
  if (!op.shapes().is_tuple(offsets)) return 1;
  return op.shapes().elements(offsets).size();
}

bool RepeatsMoreThan(std::vector<int64_t> ids, size_t allowed) {
  std::sort(ids.begin(), ids.end());
  for (size_t i = allowed; i < ids.size(); ++i) {
    if (ids[i] == ids[i - allowed]) return true;
  }
  return false;
}

bool NeedSourceTargetPairs(RuleContext& op) {
  const auto pairs = PairsOf(op);
  if (!pairs) return false;
  const int64_t limit = WrittenGroupMode(op) == GroupMode::kCrossReplica
                            ? op.facts().replica_count()
                            : op.facts().num_partitions();
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  for (const auto& [source, target] : *pairs) {
    // If the module does not specify the number of devices, it has as many as the pairs name.
    if (source < 0 || target < 0 || (limit != 1 && (source >= limit || target >= limit))) {
      op.Report(Rule::kPermuteRange, "pair {", source, ",", target, "} is not within [0, ", limit,
                ")");
      return false;
    }
    sources.push_back(source);
    targets.push_back(target);
  }
  const size_t allowed = TimesAllowed(op);
  const bool twice_source = RepeatsMoreThan(std::move(sources), allowed);
  if (!twice_source && !RepeatsMoreThan(std::move(targets), allowed)) return true;
  op.Report(Rule::kPermuteTwice, "a device is ", twice_source ? "source" : "target",
            " more than once in ", pairs->size(), " pairs");
  return false;
}

bool NeedOperands(RuleContext& op) {
  if (IsInPlace(op)) {
    if (op.operand_count() == 4) return true;
    op.Report(Rule::kOperandCount, op.opcode_text(), " in place takes four operands, not ",
              op.operand_count());
    return false;
  }
  if (op.operand_count() == 0) {
    op.Report(Rule::kOperandCount, op.opcode_text(), " has no operands");
    return false;
  }
  return op.NeedArrays();
}

ShapeValue AllOperands(const RuleContext& op) {
  if (op.operand_count() == 1) return ShapeValue::Same(op.operand(0));
  std::vector<ShapeValue> values;
  for (size_t i = 0; i < op.operand_count(); ++i) values.push_back(ShapeValue::Same(op.operand(i)));
  return ShapeValue::Tuple(std::move(values));
}

}  // namespace

Inferred InferCollectivePermute(RuleContext& op) {
  if (!NeedOperands(op) || !NeedSourceTargetPairs(op)) return std::nullopt;
  if (IsInPlace(op)) return ShapeValue::Same(op.operand(1));
  return AllOperands(op);
}

Inferred InferCollectivePermuteStart(RuleContext& op) {
  if (!NeedOperands(op) || !NeedSourceTargetPairs(op)) return std::nullopt;
  std::vector<ShapeValue> values;
  if (IsInPlace(op)) {
    values.push_back(ShapeValue::Same(op.operand(0)));
    values.push_back(ShapeValue::Same(op.operand(1)));
  } else {
    values.push_back(AllOperands(op));
    values.push_back(AllOperands(op));
  }
  // The backend may add further elements that it needs.
  if (op.shapes().is_tuple(op.shape())) {
    const auto declared = op.shapes().elements(op.shape());
    for (size_t i = 2; i < declared.size(); ++i) values.push_back(ShapeValue::Same(declared[i]));
  }
  return ShapeValue::Tuple(std::move(values));
}

// all-gather-done and collective-permute-done: yields the second element of the start's tuple.
Inferred InferSecondElement(RuleContext& op) {
  const ShapeTable& shapes = op.shapes();
  if (!shapes.is_tuple(op.operand(0)) || shapes.elements(op.operand(0)).size() < 2) {
    return op.Fail(Rule::kAsyncOperandShape, op.opcode_text(), " takes what its start gives, not ",
                   op.OperandText(0));
  }
  return ShapeValue::Same(shapes.elements(op.operand(0))[1]);
}

}  // namespace halo
