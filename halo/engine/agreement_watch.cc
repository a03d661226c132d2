// Each rank sends its digests in one message. The first rank compares them and decides which step
// to run again.
#include "halo/engine/agreement_watch.h"

#include <cstring>
#include <unordered_map>
#include <utility>

#include "halo/base/hash.h"
#include "halo/engine/packed.h"
#include "halo/engine/step_arrays.h"
#include "halo/runtime/collective.h"
#include "halo/runtime/stored_array.h"
#include "halo/semantics/facts/parameters.h"

namespace halo {
namespace {

constexpr size_t kMostDigests = size_t{1} << 23;
constexpr size_t kMostShownBytes = size_t{64} << 20;

uint64_t DigestAt(const Module& module, const StepArray& array, std::span<void* const> buffers) {
  return HashBytes(buffers[array.buffer],
                   static_cast<size_t>(StoredArrayBytes(module.shapes, array.shape)));
}

std::string PackDevices(const std::optional<DisagreeingDevices>& devices) {
  Packer out;
  out.Put(devices.has_value());
  out.Put(devices.value_or(DisagreeingDevices()));
  return out.Take();
}

std::optional<DisagreeingDevices> UnpackDevices(std::string_view text) {
  Unpacker from(text);
  const bool has = from.Get<bool>();
  const auto devices = from.Get<DisagreeingDevices>();
  return has ? std::optional(devices) : std::nullopt;
}

}  // namespace

void AgreementWatch::Restart(std::optional<DisagreeingDevices> keep) {
  steps_ = 0;
  digests_.clear();
  keep_ = keep;
  kept_ = {};
  kept_operands_.clear();
}

void AgreementWatch::OnBegin(const Step& step, std::span<void* const> buffers) {
  if (other_ != nullptr) other_->OnBegin(step, buffers);
  ++steps_;
  // A collective's operands are recorded where it starts, which is earlier.
  if (!keep_ || keep_->inst != step.inst || step.kind == Step::Kind::kAwait) return;
  if (step.kind != Step::Kind::kCollective && keep_->sequence != steps_) return;
  kept_operands_.clear();
  for (const StepArray& each : ArraysOf(module_, step).operands) {
    kept_operands_.emplace_back(each.inst, DigestAt(module_, each, buffers));
  }
}

std::optional<Diagnostic> AgreementWatch::OnEnd(const Step& step, std::span<void* const> buffers) {
  for (const StepArray& each : ArraysOf(module_, step).results) {
    if (keep_) {
      if (keep_->sequence == steps_ && keep_->inst == step.inst && keep_->leaf == each.leaf) {
        kept_ = LoadArray(module_.shapes, each.shape,
                          static_cast<const uint8_t*>(buffers[each.buffer]));
      }
    } else if (digests_.size() < kMostDigests) {
      digests_.push_back(
          {steps_, step.inst, static_cast<uint32_t>(each.leaf), DigestAt(module_, each, buffers)});
    }
  }
  return other_ != nullptr ? other_->OnEnd(step, buffers) : std::nullopt;
}

std::optional<Diagnostic> AgreementOfRanks::Begin(const InputClasses& stated,
                                                  std::span<const Value> arguments) {
  const std::vector<InstId> parameters = ParametersOf(module_, module_.entry);
  Packer mine;
  given_.clear();
  for (size_t i = 0; i < arguments.size() && i < parameters.size(); ++i) {
    uint32_t leaf = 0;
    ForEachArray(arguments[i], [&](const Array& array) {
      // All arguments come before the first step, in order.
      const int64_t sequence = static_cast<int64_t>(i) - static_cast<int64_t>(arguments.size());
      given_.push_back({sequence, parameters[i], leaf++, DigestOf(array)});
    });
  }
  for (const StepDigest& each : given_) mine.Put(each.digest);
  const Result<std::vector<std::string>> all = context_.service->Gather(mine.Take());
  if (!all.ok()) return all.error();
  InputDigests digests(parameters.size());
  for (const std::string& text : *all) {
    Unpacker from(text);
    for (const StepDigest& each : given_) {
      auto& leaves = digests[module_.inst(each.inst).extra];
      if (leaves.size() <= each.leaf) leaves.resize(each.leaf + size_t{1});
      leaves[each.leaf].push_back(from.Get<uint64_t>());
    }
  }
  InputClasses classes = stated;
  AddGivenClasses(digests, classes);
  Result<Replication> replication = Replication::Analyze(module_, grid_, classes);
  if (!replication.ok()) return replication.error();
  replication_ = *std::move(replication);
  return std::nullopt;
}

std::optional<Diagnostic> AgreementOfRanks::Compare(const AgreementWatch& watch) {
  Packer mine;
  for (const StepDigest& each : given_) mine.Put(each);
  for (const StepDigest& each : watch.digests()) mine.Put(each);
  const Result<std::vector<std::string>> all = context_.service->Gather(mine.Take());
  if (!all.ok()) return all.error();
  if (context_.rank == 0) {
    AgreementTable table(*replication_, context_.count);
    for (size_t rank = 0; rank < all->size(); ++rank) {
      std::unordered_map<uint64_t, int64_t> executions;
      Unpacker from((*all)[rank]);
      while (!from.empty()) {
        const auto each = from.Get<StepDigest>();
        const int64_t execution = executions[uint64_t{each.inst.value} << 32 | each.leaf]++;
        table.Offer({static_cast<int64_t>(rank), each.sequence, each.inst, execution, each.leaf,
                     each.digest});
      }
    }
    difference_ = table.difference();
    divergence_ = table.divergence();
    compared_ = table.compared();
  }
  for (auto* found : {&difference_, &divergence_}) {
    const Result<std::string> told = context_.service->Broadcast(PackDevices(*found), 0);
    if (!told.ok()) return told.error();
    *found = UnpackDevices(*told);
  }
  return std::nullopt;
}

Result<RankDifference> AgreementOfRanks::Describe(const DisagreeingDevices& where,
                                                  const AgreementWatch& watch,
                                                  std::span<const Value> arguments) {
  Array own = watch.kept();
  const Inst& inst = module_.inst(where.inst);
  if (inst.opcode == Opcode::kParameter && inst.extra < arguments.size()) {
    size_t leaf = 0;
    ForEachArray(arguments[inst.extra], [&](const Array& array) {
      if (leaf++ == where.leaf) own = array;
    });
  }
  Packer mine;
  if (context_.rank == where.device || context_.rank == where.other) {
    for (const auto& [operand, digest] : watch.kept_operands()) mine.Put(digest);
  }
  const Result<std::vector<std::string>> operands = context_.service->Gather(mine.Take());
  if (!operands.ok()) return operands.error();
  const bool is_shown = (context_.rank == where.device || context_.rank == where.other) &&
                        own.byte_count() <= kMostShownBytes;
  const std::string_view bytes(reinterpret_cast<const char*>(own.bytes()),
                               is_shown ? own.byte_count() : 0);
  const Result<std::vector<std::string>> values = context_.service->Gather(bytes);
  if (!values.ok()) return values.error();
  RankDifference out;
  out.location = LocationOf(module_, where.inst);
  out.execution = where.execution;
  out.device = where.device;
  out.other = where.other;
  out.leaf = where.leaf;
  out.is_tuple = module_.shapes.is_tuple(inst.shape);
  std::vector<ShapeId> shapes;
  ArrayLeaves(module_.shapes, inst.shape, shapes);
  const ShapeId shape = shapes[where.leaf];
  Array both[2];
  for (int i = 0; i < 2; ++i) {
    const std::string& text = (*values)[static_cast<size_t>(i == 0 ? where.device : where.other)];
    both[i] = Array(module_.shapes.type(shape), module_.shapes.dims(shape));
    if (text.size() != both[i].byte_count()) both[i] = Array();
    if (!text.empty() && both[i].byte_count() == text.size()) {
      std::memcpy(both[i].MutableBytes(), text.data(), text.size());
    }
  }
  if (both[0].count() > 0 && both[0].byte_count() == both[1].byte_count()) {
    DescribeDifference(both[0], both[1], out);
  } else {
    out.type = module_.shapes.type(shape);
    out.dims.assign(module_.shapes.dims(shape).begin(), module_.shapes.dims(shape).end());
  }
  Unpacker one((*operands)[static_cast<size_t>(where.device)]);
  Unpacker other((*operands)[static_cast<size_t>(where.other)]);
  InstId last;
  size_t leaf = 0;
  for (const auto& [operand, ignored] : watch.kept_operands()) {
    if (operand != last) {
      out.operands.push_back({std::string(module_.name_of(module_.inst(operand))), true, true});
      leaf = 0;
    }
    last = operand;
    OperandState& state = out.operands.back();
    const bool is_same = one.Get<uint64_t>() == other.Get<uint64_t>();
    state.is_same = state.is_same && is_same;
    const std::span<const uint32_t> classes = replication_->ClassesOf(operand, leaf++);
    state.must_be =
        state.must_be && !classes.empty() &&
        classes[static_cast<size_t>(where.device)] == classes[static_cast<size_t>(where.other)];
  }
  return out;
}

Result<RankAgreement> AgreementOfRanks::Summarize(AgreementWatch& watch,
                                                  std::span<const Value> arguments,
                                                  const RunAgain& run) {
  if (std::optional<Diagnostic> failed = Compare(watch)) return *failed;
  RankAgreement out;
  out.instructions = replication_->CountTied();
  out.compared = compared_;
  // A value that must agree and does not is a difference, not a legitimate divergence.
  if (difference_ && divergence_ && divergence_->inst == difference_->inst &&
      divergence_->sequence == difference_->sequence) {
    divergence_.reset();
  }
  for (const auto& [where, told] :
       {std::pair(&difference_, &out.difference), std::pair(&divergence_, &out.divergence)}) {
    if (!*where) continue;
    watch.Restart(*where);
    if (std::optional<Diagnostic> failed = run()) return *failed;
    Result<RankDifference> found = Describe(**where, watch, arguments);
    if (!found.ok()) return found.error();
    *told = *std::move(found);
  }
  return out;
}

}  // namespace halo
