// Runs steps in order without recursion, using a stack of active blocks.
#include "halo/runtime/execute.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "halo/eval/context/eval_diagnostics.h"
#include "halo/runtime/kernel_call.h"
#include "halo/runtime/stored_array.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

// How many iterations of a whole loop run before the run is known not to be stopped.
constexpr int64_t kFirstIterations = 16;
constexpr int64_t kMostIterations = int64_t{1} << 16;
// Of a kernel, for each thread: enough that the others can take over what a thread that has lost
// its core leaves.
constexpr int64_t kKernelChunks = 4;
constexpr double kShortCall = 1e-3;
constexpr double kLongCall = 1e-2;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Diagnostic OutOfMemory(int64_t bytes) {
  return MakeBinaryDiagnostic(
      diag::kMemoryLimit, 0,
      "the system has no memory for an allocation of " + std::to_string(bytes) + " bytes");
}

}  // namespace

void TakeFaster(const StepTimes& other, StepTimes& times) {
  for (size_t b = 0; b < times.seconds.size(); ++b) {
    for (size_t s = 0; s < times.seconds[b].size(); ++s) {
      if (other.seconds[b][s] >= times.seconds[b][s]) continue;
      times.seconds[b][s] = other.seconds[b][s];
      times.runs[b][s] = other.runs[b][s];
    }
  }
}

Execution::Execution(const Module& module, const Executable& plan, const EvalOptions& options,
                     CollectiveService* service, StepWatch* watch)
    : module_(module),
      plan_(plan),
      options_(options),
      reference_(module, options),
      service_(service),
      watch_(watch),
      is_shared_(plan.allocations.size(), false),
      under_way_(plan.collectives.size()) {
  memory_.resize(plan.allocations.size());
  base_.resize(plan.allocations.size());
}

std::optional<Diagnostic> Execution::PrepareDevices() {
  if (is_prepared_ || plan_.collectives.empty()) return std::nullopt;
  is_prepared_ = true;
  if (service_ == nullptr) {
    return MakeBinaryDiagnostic(diag::kCannotEvaluate, 0,
                                "the plan has collectives, and there are no other devices");
  }
  for (const Block& block : plan_.blocks) {
    for (const Step& step : block.steps) {
      if (step.kind != Step::Kind::kCollective) continue;
      for (const BufferRef& buffer : step.buffers) is_shared_[buffer.allocation] = true;
    }
  }
  const halo::Result<uint32_t> first = service_->Prepare(plan_.collectives);
  if (!first.ok()) return first.error();
  first_collective_ = *first;
  return std::nullopt;
}

std::optional<Diagnostic> Execution::TakeMemory(size_t allocation) {
  const int64_t bytes = plan_.allocations[allocation].bytes;
  if (is_shared_[allocation]) {
    halo::Result<std::shared_ptr<SharedBlock>> block = service_->Allocate(bytes);
    if (!block.ok()) return block.error();
    base_[allocation] = (*block)->data();
    memory_[allocation] = std::move(*block);
    return std::nullopt;
  }
  auto memory = std::make_shared<AlignedBlock>(bytes);
  if (memory->data() == nullptr) return OutOfMemory(bytes);
  base_[allocation] = memory->data();
  memory_[allocation] = std::move(memory);
  return std::nullopt;
}

std::optional<Diagnostic> Execution::Bind(std::span<const Value> arguments) {
  std::vector<std::vector<std::pair<const Array*, ShapeId>>> leaves(arguments.size());
  const Computation& entry = module_.comp(module_.entry);
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Inst& inst = module_.inst(InstId(entry.first + i));
    if (inst.opcode != Opcode::kParameter || inst.extra >= arguments.size()) continue;
    std::vector<ShapeId> shapes;
    ArrayLeaves(module_.shapes, inst.shape, shapes);
    auto& parameter = leaves[inst.extra];
    ForEachArray(arguments[inst.extra], [&](const Array& array) {
      if (parameter.size() < shapes.size())
        parameter.emplace_back(&array, shapes[parameter.size()]);
    });
  }
  if (std::optional<Diagnostic> failed = PrepareDevices()) return failed;
  for (size_t i = 0; i < plan_.allocations.size(); ++i) {
    const ExecutableAllocation& each = plan_.allocations[i];
    const std::pair<const Array*, ShapeId>* given = nullptr;
    const auto number = static_cast<size_t>(each.parameter);
    const bool is_given = each.kind == ExecutableAllocation::Kind::kParameter &&
                          number < leaves.size() && each.leaf < leaves[number].size();
    // A token is no array, and its memory is empty.
    if (each.kind == ExecutableAllocation::Kind::kParameter && (is_given || each.bytes > 0)) {
      if (!is_given) {
        return MakeBinaryDiagnostic(diag::kCannotEvaluate, 0,
                                    "parameter " + std::to_string(number) + " is not given");
      }
      given = &leaves[number][each.leaf];
      if (StoredArrayBytes(module_.shapes, given->second) !=
          static_cast<int64_t>(given->first->byte_count())) {
        return MakeBinaryDiagnostic(
            diag::kCannotEvaluate, 0,
            "parameter " + std::to_string(number) + " is given in another size than it declares");
      }
      if (!each.is_written && IsStoredRowMajor(module_.shapes, given->second)) {
        // The memory is only read, although the address list is not const.
        base_[i] = const_cast<uint8_t*>(given->first->bytes());  // NOLINT
        continue;
      }
    }
    if (memory_[i] == nullptr) {
      if (std::optional<Diagnostic> failed = TakeMemory(i)) return failed;
      if (!each.bits.empty()) std::memcpy(base_[i], each.bits.data(), each.bits.size());
    }
    if (given != nullptr) {
      StoreArray(module_.shapes, given->second, given->first->bytes(), base_[i]);
    }
  }
  if (scratch_.data() == nullptr && plan_.scratch_bytes > 0) {
    scratch_ = AlignedBlock(plan_.scratch_bytes);
    if (scratch_.data() == nullptr) return OutOfMemory(plan_.scratch_bytes);
  }
  addresses_.assign(plan_.blocks.size(), {});
  for (size_t b = 0; b < plan_.blocks.size(); ++b) {
    for (const Step& step : plan_.blocks[b].steps) {
      std::vector<void*>& list = addresses_[b].emplace_back();
      for (const BufferRef& buffer : step.buffers) list.push_back(Address(buffer));
    }
  }
  reference_.Restart();
  return std::nullopt;
}

void Execution::DropCopied(std::vector<Value>& arguments) const {
  std::vector<bool> is_read(arguments.size(), false);
  for (size_t i = 0; i < plan_.allocations.size(); ++i) {
    const ExecutableAllocation& each = plan_.allocations[i];
    if (each.kind == ExecutableAllocation::Kind::kParameter && memory_[i] == nullptr) {
      is_read[static_cast<size_t>(each.parameter)] = true;
    }
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!is_read[i]) arguments[i] = Value();
  }
}

std::optional<Diagnostic> Execution::RunLeaf(uint32_t block, size_t number) {
  const Step& step = plan_.blocks[block].steps[number];
  const std::vector<void*>& buffers = addresses_[block][number];
  switch (step.kind) {
    case Step::Kind::kKernel:
      for (const KernelCall& call : step.calls) {
        if (!call.IsNeeded(buffers.data())) continue;
        if (IsForOneThread(call.iterations, call.grain)) {
          call.function(buffers.data(), 0, call.iterations);
          continue;
        }
        TeamFor(
            call.iterations, call.grain,
            [&](int64_t begin, int64_t end) { call.function(buffers.data(), begin, end); },
            kKernelChunks);
      }
      return std::nullopt;
    case Step::Kind::kLibrary: return step.library->Run(buffers, scratch_.data());
    case Step::Kind::kReference: return reference_.Run(step.inst, buffers);
    case Step::Kind::kCollective: return StartCollective(step, buffers);
    case Step::Kind::kAwait: return Await(step);
    default: return std::nullopt;
  }
}

bool Execution::Count(int64_t steps) {
  steps_ += steps;
  if (options_.progress != nullptr) {
    options_.progress->steps.store(steps_, std::memory_order_relaxed);
    stopped_ = options_.progress->stop.load(std::memory_order_relaxed);
  }
  return !stopped_ && steps_ <= options_.max_steps;
}

Diagnostic Execution::TooManySteps() {
  return MakeBinaryDiagnostic(diag::kStepLimit, 0, "the limit of executed instructions is reached");
}

std::optional<Diagnostic> Execution::RunWholeLoop(uint32_t block, size_t number) {
  const Step& step = plan_.blocks[block].steps[number];
  const std::vector<void*>& buffers = addresses_[block][number];
  const auto* progress = static_cast<const LoopProgress*>(buffers.back());
  const auto condition = static_cast<int64_t>(plan_.blocks[step.blocks[0]].steps.size());
  // As many as if the loop's steps ran one by one; the loop itself counts in each iteration.
  const int64_t each =
      1 + condition + static_cast<int64_t>(plan_.blocks[step.blocks[1]].steps.size());
  int64_t most = kFirstIterations;
  while (true) {
    const int64_t allowed = 1 + (options_.max_steps - steps_) / each;
    const double begin = Now();
    step.calls[0].function(buffers.data(), 0, std::min(most, allowed));
    if (!Count(progress->iterations * each + (progress->is_done != 0 ? condition : 0))) {
      if (stopped_) return std::nullopt;
      return TooManySteps();
    }
    if (progress->is_done != 0) return std::nullopt;
    if (started_ > 0) {
      if (std::optional<Diagnostic> failed = service_->Progress()) return failed;
    }
    // A run must notice soon that it is stopped, whatever an iteration takes.
    const double seconds = Now() - begin;
    if (seconds < kShortCall && most < kMostIterations) most *= 2;
    if (seconds > kLongCall && most > 1) most /= 2;
  }
}

std::optional<Diagnostic> Execution::StartCollective(const Step& step,
                                                     std::span<void* const> buffers) {
  const size_t operands = plan_.collectives[step.collective].operands.size();
  const std::vector<const void*> from(buffers.begin(),
                                      buffers.begin() + static_cast<ptrdiff_t>(operands));
  const halo::Result<CollectiveHandle> handle =
      service_->Start(first_collective_ + step.collective, from, buffers.subspan(operands));
  if (!handle.ok()) return handle.error();
  under_way_[step.collective] = *handle;
  ++started_;
  return std::nullopt;
}

std::optional<Diagnostic> Execution::Await(const Step& step) {
  std::optional<CollectiveHandle>& handle = under_way_[step.collective];
  if (!handle) return std::nullopt;
  --started_;
  return service_->Wait(*std::exchange(handle, std::nullopt));
}

bool Execution::Enter(const Step& step, Visit& visit, uint32_t* block) const {
  switch (step.kind) {
    case Step::Kind::kCall: *block = step.blocks[0]; return visit.phase++ == 0;
    case Step::Kind::kConditional: {
      if (visit.phase++ != 0) return false;
      const void* at = Address(step.buffers[0]);
      size_t branch = 0;
      if (step.is_predicated) {
        branch = *static_cast<const uint8_t*>(at) != 0 ? 0 : 1;
      } else {
        int32_t index = 0;
        std::memcpy(&index, at, sizeof index);
        const bool known = index >= 0 && static_cast<size_t>(index) < step.blocks.size();
        branch = known ? static_cast<size_t>(index) : step.blocks.size() - 1;
      }
      *block = step.blocks[branch];
      return true;
    }
    default: {  // a loop: alternate between condition and body
      if (visit.phase == 1 && *static_cast<const uint8_t*>(Address(step.buffers[0])) == 0) {
        return false;
      }
      *block = step.blocks[visit.phase];
      visit.phase = visit.phase == 0 ? 1 : 0;
      return true;
    }
  }
}

std::optional<Diagnostic> Execution::Run(StepTimes* times) {
  stopped_ = false;
  std::vector<Visit> stack = {Visit{}};
  if (times != nullptr && times->seconds.empty()) {
    for (const Block& block : plan_.blocks) {
      times->seconds.emplace_back(block.steps.size());
      times->runs.emplace_back(block.steps.size());
    }
  }
  while (!stack.empty()) {
    Visit& visit = stack.back();
    const Block& block = plan_.blocks[visit.block];
    if (visit.next == block.steps.size()) {
      stack.pop_back();
      continue;
    }
    const Step& step = block.steps[visit.next];
    const size_t number = visit.next;
    if (visit.phase == 0) {
      if (!Count(1)) {
        if (stopped_) return std::nullopt;
        return TooManySteps();
      }
      if (times != nullptr && visit.begin == 0) visit.begin = Now();
      if (started_ > 0) {
        if (std::optional<Diagnostic> failed = service_->Progress()) return failed;
      }
      if (watch_ != nullptr && !visit.is_begun) {
        watch_->OnBegin(step, addresses_[visit.block][number]);
        visit.is_begun = true;
      }
    }
    if (step.is_whole) {
      if (std::optional<Diagnostic> failed = RunWholeLoop(visit.block, number)) return failed;
      if (stopped_) return std::nullopt;
    } else if (!step.blocks.empty()) {
      uint32_t inner = 0;
      if (Enter(step, visit, &inner)) {
        stack.push_back(Visit{.block = inner});
        continue;
      }
    } else if (std::optional<Diagnostic> failed = RunLeaf(visit.block, number)) {
      return failed;
    }
    if (times != nullptr) {
      times->seconds[visit.block][number] += Now() - visit.begin;
      ++times->runs[visit.block][number];
    }
    if (watch_ != nullptr) {
      visit.is_begun = false;
      if (std::optional<Diagnostic> failed = watch_->OnEnd(step, addresses_[visit.block][number])) {
        return failed;
      }
    }
    visit.begin = 0;
    visit.phase = 0;
    ++visit.next;
  }
  return std::nullopt;
}

Value Execution::Result() const {
  const ShapeTable& shapes = module_.shapes;
  size_t next = 0;
  const auto load = [&](auto& self, ShapeId shape) -> Value {
    if (shapes.is_tuple(shape)) {
      std::vector<Value> elements;
      for (const ShapeId element : shapes.elements(shape)) elements.push_back(self(self, element));
      return Value::Tuple(std::move(elements));
    }
    if (!shapes.is_array(shape)) return Value::Token();
    const BufferRef& at = plan_.results[next++];
    const auto* from = static_cast<const uint8_t*>(Address(at));
    const std::shared_ptr<const void>& memory = memory_[at.allocation];
    if (memory == nullptr || !IsStoredRowMajor(shapes, shape))
      return LoadArray(shapes, shape, from);
    return Array::Borrowed(shapes.type(shape), shapes.dims(shape), from, memory);
  };
  return load(load, module_.inst(module_.comp(module_.entry).root).shape);
}

}  // namespace halo
