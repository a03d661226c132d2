// Needs propagate from the root of a fused computation to its parameters, in reverse order of the
// text, in which operands precede their users.
#include "halo/cost/count/traffic.h"

#include <algorithm>
#include <span>

#include "halo/cost/count/library_calls.h"
#include "halo/cost/count/touched.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr int kMaxBitcasts = 64;  // between a root and the update behind it

// True if the instruction only names or orders data, or if its computations' instructions do the
// work.
bool MovesNothing(Opcode opcode) {
  switch (FlowOf(opcode)) {
    case OpFlow::kConstant:
    case OpFlow::kParameter:
    case OpFlow::kToken:
    case OpFlow::kForwards:
    case OpFlow::kBitcast:
    case OpFlow::kTuple:
    case OpFlow::kElement:
    case OpFlow::kCall:
    case OpFlow::kWhile:
    case OpFlow::kConditional:
    case OpFlow::kAsyncStart:
    case OpFlow::kAsyncUpdate:
    case OpFlow::kAsyncDone:
    case OpFlow::kCopyDone:
    case OpFlow::kStartedResult:
    case OpFlow::kReduceDone:
    case OpFlow::kRecvDone: return true;
    default: return false;
  }
}

template <class Visit>
void ForEachLeaf(const ShapeTable& shapes, ShapeId shape, const Visit& visit) {
  std::vector<ShapeId> open = {shape};
  while (!open.empty()) {
    const ShapeId next = open.back();
    open.pop_back();
    if (shapes.is_tuple(next)) {
      const std::span<const ShapeId> parts = shapes.elements(next);
      open.insert(open.end(), parts.rbegin(), parts.rend());
    } else if (shapes.is_array(next)) {
      visit(next);
    }
  }
}

// Libraries return their scratch memory as the last element, as bytes in one dimension.
bool IsWorkspace(const ShapeTable& shapes, ShapeId shape) {
  if (!shapes.is_array(shape) || shapes.dims(shape).size() != 1) return false;
  return shapes.type(shape) == ElementType::kS8 || shapes.type(shape) == ElementType::kU8;
}

}  // namespace

CompId BodyOfFusion(const Module& module, const Inst& inst) {
  if (PropertiesOf(inst.opcode).calls != OpCalls::kFuses) return {};
  const std::span<const int64_t> calls = module.IntsOf(inst.attrs, AttrKey::k_calls);
  if (calls.empty() || static_cast<size_t>(calls[0]) >= module.comps.size()) return {};
  return CompId(static_cast<uint32_t>(calls[0]));
}

InstId BehindBitcasts(const Module& module, InstId id) {
  for (int step = 0; step < kMaxBitcasts; ++step) {
    const Inst& inst = module.inst(id);
    if (FlowOf(inst.opcode) != OpFlow::kBitcast || inst.operand_count != 1) break;
    const InstId operand = module.operands_of(inst)[0];
    if (!operand.valid()) break;
    id = operand;
  }
  return id;
}

TrafficCounter::TrafficCounter(const Module& module, MemoryLevels levels)
    : module_(module), levels_(levels), fused_(module.comps.size()) {}

void TrafficCounter::MarkOutputs(CompId id, std::vector<double>& shares,
                                 std::vector<bool>& in_place) {
  const Computation& comp = module_.comp(id);
  const auto index = [&](InstId inst) { return inst.index() - comp.first; };
  const Inst& root = module_.inst(comp.root);
  std::vector<InstId> outputs = {comp.root};
  if (FlowOf(root.opcode) == OpFlow::kTuple) {
    const std::span<const InstId> parts = module_.operands_of(root);
    outputs.assign(parts.begin(), parts.end());
  }
  for (const InstId output : outputs) {
    std::optional<UpdateBytes>& update = fused_[id.index()].outputs.emplace_back();
    if (!output.valid() || index(output) >= comp.count) continue;
    shares[index(output)] = 1;
    const InstId behind = BehindBitcasts(module_, output);
    const Inst& inst = module_.inst(behind);
    if (index(behind) >= comp.count || !UpdatesInPlace(inst.opcode) || inst.operand_count < 2 ||
        UpdatedOperands(inst) != 1) {
      continue;
    }
    in_place[index(behind)] = true;
    update = BytesOfUpdate(module_, inst, 0);
  }
}

void TrafficCounter::AddFused(CompId id) {
  const Computation& comp = module_.comp(id);
  FusedNeeds& needs = fused_[id.index()];
  if (needs.is_known || !comp.root.valid()) return;
  needs.is_known = true;
  std::vector<double> shares(comp.count, 0);
  std::vector<bool> in_place(comp.count, false);
  MarkOutputs(id, shares, in_place);
  std::vector<double> operand_shares;
  for (uint32_t i = comp.count; i-- > 0;) {
    const Inst& inst = module_.insts[comp.first + i];
    const double share = std::min(shares[i], 1.0);
    const OpFlow flow = FlowOf(inst.opcode);
    if (flow == OpFlow::kParameter && inst.extra < comp.count) {
      if (inst.extra >= needs.parameters.size()) needs.parameters.resize(inst.extra + 1, 0);
      needs.parameters[inst.extra] = share;
    }
    // A single element is an immediate of the kernel.
    if (flow == OpFlow::kConstant && module_.shapes.ElementCount(inst.shape).value_or(0) > 1) {
      needs.constants += share * BytesOfShape(module_.shapes, inst.shape);
    }
    if (share <= 0) continue;
    const CompId nested = BodyOfFusion(module_, inst);
    if (nested.valid() && fused_[nested.index()].is_known) {
      operand_shares = fused_[nested.index()].parameters;
      operand_shares.resize(inst.operand_count, 0);
      for (double& each : operand_shares) each *= share;
    } else {
      OperandShares(module_, inst, share, in_place[i], operand_shares);
    }
    const std::span<const InstId> operands = module_.operands_of(inst);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k].valid() && operands[k].index() - comp.first < comp.count) {
        shares[operands[k].index() - comp.first] += operand_shares[k];
      }
    }
  }
}

void TrafficCounter::AddOperands(const Inst& inst, std::vector<double> shares,
                                 Traffic& traffic) const {
  const std::span<const InstId> operands = module_.operands_of(inst);
  std::vector<std::pair<InstId, double>> reads;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].valid() && i < shares.size()) reads.emplace_back(operands[i], shares[i]);
  }
  std::sort(reads.begin(), reads.end());
  for (size_t i = 0; i < reads.size();) {
    const InstId operand = reads[i].first;
    double share = 0;
    for (; i < reads.size() && reads[i].first == operand; ++i) share += reads[i].second;
    const ShapeId shape = module_.inst(operand).shape;
    levels_.AddRead(module_.shapes, shape, std::min(share, 1.0) * BytesOf(shape), traffic);
  }
}

double TrafficCounter::BytesOf(ShapeId shape) const {
  if (!module_.shapes.is_tuple(shape)) return BytesOfShape(module_.shapes, shape);
  const auto [known, is_new] = tuple_bytes_.try_emplace(shape.value);
  if (is_new) known->second = BytesOfShape(module_.shapes, shape);
  return known->second;
}

template <class Visit>
void TrafficCounter::ForEachWritten(const Inst& inst, const Visit& visit) const {
  ShapeId written = inst.shape;
  const std::span<const ShapeId> parts = module_.shapes.elements(inst.shape);
  switch (FlowOf(inst.opcode)) {
    case OpFlow::kSend: return;
    case OpFlow::kCopyStart:
      if (!parts.empty()) written = parts[0];
      break;
    case OpFlow::kGatherStart:
    case OpFlow::kPermuteStart:
      if (parts.size() > 1) written = parts[1];
      break;
    default: break;
  }
  const bool is_call = LibraryCallOf(module_, inst) != LibraryCall::kNone;
  const bool has_workspace =
      is_call && parts.size() > 1 && IsWorkspace(module_.shapes, parts.back());
  size_t left = has_workspace ? parts.size() - 1 : SIZE_MAX;
  ForEachLeaf(module_.shapes, written, [&](ShapeId leaf) {
    if (left == 0) return;
    --left;
    visit(leaf);
  });
}

Traffic TrafficCounter::OfFusion(const Inst& inst, const FusedNeeds& needs) const {
  Traffic traffic;
  AddOperands(inst, needs.parameters, traffic);
  traffic.read += needs.constants;
  size_t output = 0;
  ForEachWritten(inst, [&](ShapeId leaf) {
    const std::optional<UpdateBytes> update =
        output < needs.outputs.size() ? needs.outputs[output] : std::nullopt;
    ++output;
    // What an update reads is in the share of the parameter that it updates.
    levels_.AddWrite(module_.shapes, leaf,
                     update ? update->written : BytesOfShape(module_.shapes, leaf), traffic);
  });
  return traffic;
}

Traffic TrafficCounter::Of(const Inst& inst) const {
  if (MovesNothing(inst.opcode) || LibraryCallOf(module_, inst) == LibraryCall::kMarker) return {};
  const CompId fused = BodyOfFusion(module_, inst);
  if (fused.valid() && fused_[fused.index()].is_known) {
    return OfFusion(inst, fused_[fused.index()]);
  }
  Traffic traffic;
  std::vector<double> shares;
  OperandShares(module_, inst, 1, /*in_place=*/true, shares);
  AddOperands(inst, std::move(shares), traffic);
  const bool updates = UpdatesInPlace(inst.opcode) && inst.operand_count >= 2;
  size_t output = 0;
  ForEachWritten(inst, [&](ShapeId leaf) {
    const double bytes =
        updates ? BytesOfUpdate(module_, inst, output).written : BytesOfShape(module_.shapes, leaf);
    ++output;
    levels_.AddWrite(module_.shapes, leaf, bytes, traffic);
  });
  return traffic;
}

}  // namespace halo
