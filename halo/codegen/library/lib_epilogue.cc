// A Keep step ends a pass over memory; all steps in between share one pass.
#include "halo/codegen/library/lib_epilogue.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "halo/codegen/library/lib_activations.h"
#include "halo/eval/lanes/lanes.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

constexpr int64_t kNumbersAtOnce = 1024;  // numbers at a time

}  // namespace

void Epilogue::Multiply(double factor) {
  if (factor == 1) return;
  Step step;
  step.factor = factor;
  steps_.push_back(std::move(step));
}

void Epilogue::MultiplyByOperand(size_t operand, ElementType type) {
  Step step;
  step.kind = Kind::kMultiplyBy;
  step.buffer = operand;
  step.type = type;
  steps_.push_back(std::move(step));
}

void Epilogue::Activate(Activation activation, double slope) {
  if (activation == Activation::kNone) return;
  Step step;
  step.kind = Kind::kActivate;
  step.activation = activation;
  step.factor = slope;
  steps_.push_back(std::move(step));
}

void Epilogue::Add(size_t operand, ElementType type, std::span<const int64_t> strides,
                   double factor, ScratchLayout& scratch) {
  Step step;
  step.kind = Kind::kAdd;
  step.factor = factor;
  step.buffer = operand;
  step.in_place = type == sum_type() && std::ranges::equal(strides, result_.strides);
  if (!step.in_place) {
    step.move = Move(type, sum_type(), result_.dims, strides, result_.strides);
    step.at = scratch.Take(sums().bytes());
  }
  steps_.push_back(std::move(step));
}

void Epilogue::Keep(const Placed& part, size_t buffer) {
  Step step;
  step.kind = Kind::kKeep;
  step.buffer = buffer;
  step.move = Move(sum_type(), part.type, part.dims, result_.strides, part.strides);
  steps_.push_back(std::move(step));
}

void Epilogue::Measure(ElementType type, size_t buffer) {
  Step step;
  step.kind = Kind::kMeasure;
  step.type = type;
  step.buffer = buffer;
  steps_.push_back(std::move(step));
}

Placed Epilogue::sums() const { return {sum_type(), result_.dims, result_.strides}; }

void Epilogue::Run(std::span<void* const> buffers, void* sums, void* result, void* scratch) const {
  auto* workspace = static_cast<uint8_t*>(scratch);
  if (wide_) {
    RunAs(buffers, static_cast<double*>(sums), result, workspace);
  } else {
    RunAs(buffers, static_cast<float*>(sums), result, workspace);
  }
}

template <class T>
void Epilogue::RunSteps(std::span<const Step> steps, std::span<void* const> buffers,
                        const uint8_t* scratch, int64_t at, T* values, int64_t n,
                        double& greatest) const {
  for (const Step& step : steps) {
    switch (step.kind) {
      case Kind::kMultiplyBy:
      case Kind::kMultiply: {
        double factor = step.factor;
        if (step.kind == Kind::kMultiplyBy) {
          factor = LoadFloat(step.type, static_cast<const uint8_t*>(buffers[step.buffer]));
        }
        for (int64_t i = 0; i < n; ++i) values[i] *= static_cast<T>(factor);
        break;
      }
      case Kind::kActivate: ActivateRun(step.activation, step.factor, values, n); break;
      case Kind::kAdd: {
        const void* from = step.in_place ? buffers[step.buffer] : scratch + step.at;
        const T* addend = static_cast<const T*>(from) + at;
        const auto factor = static_cast<T>(step.factor);
        for (int64_t i = 0; i < n; ++i) values[i] += factor * addend[i];
        break;
      }
      case Kind::kMeasure:
        for (int64_t i = 0; i < n; ++i) {
          const double size = std::abs(static_cast<double>(values[i]));
          greatest = size > greatest || std::isnan(size) ? size : greatest;
          if (std::isnan(greatest)) break;
        }
        break;
      case Kind::kKeep: break;
    }
  }
}

template <class T>
void Epilogue::RunAs(std::span<void* const> buffers, T* sums, void* result,
                     uint8_t* scratch) const {
  for (const Step& step : steps_) {
    if (step.kind == Kind::kAdd && !step.in_place) {
      step.move.Run(buffers[step.buffer], scratch + step.at);
    }
  }
  const int64_t count = result_.count();
  const size_t bytes = StoredBytes(result_.type);
  for (size_t first = 0, last = 0; first <= steps_.size(); first = last + 1) {
    for (last = first; last < steps_.size() && steps_[last].kind != Kind::kKeep;) ++last;
    const bool ends = last == steps_.size();
    const std::span<const Step> steps = std::span(steps_).subspan(first, last - first);
    double greatest = 0;
    std::mutex mutex;
    TeamFor(count, 4 * kNumbersAtOnce, [&](int64_t begin, int64_t end) {
      double own = 0;
      for (int64_t at = begin; at < end; at += kNumbersAtOnce) {
        const int64_t n = std::min(kNumbersAtOnce, end - at);
        RunSteps(steps, buffers, scratch, at, sums + at, n, own);
        if (ends) {
          ConvertRun(sum_type(), result_.type, sums + at,
                     static_cast<uint8_t*>(result) + static_cast<size_t>(at) * bytes, n);
        }
      }
      const std::lock_guard lock(mutex);
      greatest = own > greatest || std::isnan(own) ? own : greatest;
      if (std::isnan(greatest)) greatest = std::numeric_limits<double>::quiet_NaN();
    });
    for (const Step& step : steps) {
      if (step.kind == Kind::kMeasure) {
        StoreFloat(step.type, greatest, static_cast<uint8_t*>(buffers[step.buffer]));
      }
    }
    if (!ends) steps_[last].move.Run(sums, buffers[steps_[last].buffer]);
  }
}

}  // namespace halo
