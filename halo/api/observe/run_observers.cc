// An infinity that a program starts from (the identity of a maximum, a mask) is not a finding. Only
// an infinity or a NaN that appears where none went in is reported.
#include "halo/api/observe/run_observers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

constexpr size_t kMaxTraced = 100'000;

NonFinite FindIn(const Value& value) {
  NonFinite all;
  ForEachArray(value, [&all](const Array& array) {
    const NonFinite found = FindNonFinite(array);
    all.nan |= found.nan;
    all.infinite |= found.infinite;
  });
  return all;
}

bool IsNonFinite(const Array& array, int64_t at, bool nan) {
  const uint8_t* from = array.bytes() + static_cast<size_t>(at) * array.element_bytes();
  double parts[2] = {0, 0};
  if (InfoOf(array.type()).klass == ElementClass::kComplex) {
    const std::complex<double> value = LoadComplex(array.type(), from);
    parts[0] = value.real();
    parts[1] = value.imag();
  } else {
    parts[0] = LoadFloat(array.type(), from);
  }
  return std::ranges::any_of(
      parts, [nan](double part) { return nan ? std::isnan(part) : std::isinf(part); });
}

}  // namespace

Dims FirstNonFinite(const Array& array, bool nan) {
  Dims index(array.rank(), 0);
  for (int64_t at = 0; at < array.count(); ++at) {
    if (IsNonFinite(array, at, nan)) break;
    NextIndex(array.dims(), index);
  }
  return index;
}

OperandSummary SummaryOf(std::string_view name, const Array& array) {
  return {std::string(name), array.type(), Dims(array.dims().begin(), array.dims().end()),
          Summarize(array)};
}

bool MatchesPattern(std::string_view text, std::string_view pattern) {
  // After a mismatch past a *, that * matches one more character.
  size_t t = 0;
  size_t p = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++t;
      ++p;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

RunObserver::RunObserver(const Module& module, std::span<const InstId> traced, bool find_nan,
                         int64_t devices, int64_t max_kept_bytes)
    : module_(module),
      is_traced_(module.insts.size(), false),
      executions_(static_cast<size_t>(devices), std::vector<int64_t>(module.insts.size(), 0)),
      find_nan_(find_nan),
      bytes_left_(max_kept_bytes) {
  for (const InstId inst : traced) is_traced_[inst.index()] = true;
}

bool RunObserver::OnValue(int64_t device, InstId inst, std::span<const Value> operands,
                          const Value& value) {
  const int64_t execution = executions_[static_cast<size_t>(device)][inst.index()]++;
  if (is_traced_[inst.index()]) Trace(device, inst, execution, value);
  return !find_nan_ || !MadeNonFinite(device, inst, execution, operands, value);
}

void RunObserver::Trace(int64_t device, InstId inst, int64_t execution, const Value& value) {
  size_t leaf = 0;
  ForEachArray(value, [&](const Array& array) {
    if (traced_values_.size() >= kMaxTraced) return;
    TracedValue traced;
    traced.inst = inst;
    traced.device = device;
    traced.execution = execution;
    traced.leaf = leaf++;
    traced.is_tuple = value.is_tuple();
    traced.summary = Summarize(array);
    traced.type = array.type();
    traced.dims.assign(array.dims().begin(), array.dims().end());
    const auto bytes = static_cast<int64_t>(array.byte_count());
    if (bytes <= bytes_left_) {
      bytes_left_ -= bytes;
      traced.is_kept = true;
      traced.array = array;
    }
    traced_values_.push_back(std::move(traced));
  });
}

bool RunObserver::MadeNonFinite(int64_t device, InstId inst, int64_t execution,
                                std::span<const Value> operands, const Value& value) {
  const Inst& record = module_.inst(inst);
  if (record.opcode == Opcode::kParameter || record.opcode == Opcode::kConstant) return false;
  const NonFinite made = FindIn(value);
  if (!made.nan && !made.infinite) return false;
  NonFinite given;
  for (const Value& operand : operands) {
    const NonFinite found = FindIn(operand);
    given.nan |= found.nan;
    given.infinite |= found.infinite;
  }
  const bool nan = made.nan && !given.nan;
  const bool infinite = made.infinite && !given.infinite && !given.nan;
  if (!nan && !infinite) return false;
  NonFiniteOrigin origin;
  origin.location = LocationOf(module_, inst);
  origin.device = device;
  origin.execution = execution;
  origin.is_nan = nan;
  bool found = false;
  ForEachArray(value, [&](const Array& array) {
    const NonFinite here = FindNonFinite(array);
    if (found || !(nan ? here.nan : here.infinite)) return;
    found = true;
    origin.result = SummaryOf(module_.name_of(record), array);
    origin.index = FirstNonFinite(array, nan);
  });
  const std::span<const InstId> ids = module_.operands_of(record);
  for (size_t i = 0; i < operands.size() && i < ids.size(); ++i) {
    ForEachArray(operands[i], [&](const Array& array) {
      origin.operands.push_back(SummaryOf(module_.name_of(module_.inst(ids[i])), array));
    });
  }
  origin_ = std::move(origin);
  return true;
}

std::vector<InstId> CallPath(const Module& module, InstId inst) {
  std::vector<InstId> callers(module.comps.size());
  std::vector<CompId> called;
  for (size_t i = 0; i < module.insts.size(); ++i) {
    called.clear();
    module.CalledBy(module.insts[i], called);
    for (const CompId comp : called) {
      if (!callers[comp.index()].valid()) callers[comp.index()] = InstId(i);
    }
  }
  std::vector<InstId> path;
  CompId at = module.inst(inst).parent;
  while (at.valid() && at != module.entry && callers[at.index()].valid() &&
         path.size() < module.comps.size()) {
    path.push_back(callers[at.index()]);
    at = module.inst(path.back()).parent;
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace halo
