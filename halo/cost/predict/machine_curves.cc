// A kernel takes what the smallest one of its kind takes, and the longer of what its bytes and what
// its arithmetic add to that.
#include "halo/cost/predict/machine_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "halo/cost/count/products.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr int64_t kShortRow = 32;  // elements; shorter rows are not worth a vector loop

constexpr double kSkinny = 4;  // rows or columns of a product that other kernels compute

struct Fallback {
  std::string_view curve, instead;
};
// Kernels of kinds and types that were not measured count as the nearest that was.
constexpr std::array<Fallback, 5> kFallbacks = {{
    {"short reduction ", "reduction "},
    {"wide ", ""},
    {"skinny ", ""},
    {"batched ", ""},
    {"convolution ", "product "},
}};

int64_t MinorExtent(const Module& module, ShapeId shape) {
  const std::span<const int64_t> dims = module.shapes.dims(shape);
  if (dims.empty()) return 1;
  const Layout* layout = module.shapes.layout(shape);
  if (layout == nullptr || layout->minor_to_major.size() != dims.size()) return dims.back();
  return dims[static_cast<size_t>(layout->minor_to_major[0])];
}

// The operand whose elements a kernel's hero goes through; its own shape if it has none.
ShapeId WalkedShape(const Module& module, const Inst& hero) {
  const std::span<const InstId> operands = module.operands_of(hero);
  return operands.empty() || !operands[0].valid() ? hero.shape : module.inst(operands[0]).shape;
}

bool IsWide(const Module& module, const Inst& hero) {
  const ShapeId shape = module.shapes.is_tuple(hero.shape) ? WalkedShape(module, hero) : hero.shape;
  return !module.shapes.is_tuple(shape) && InfoOf(module.shapes.type(shape)).bits >= 64;
}

double SortSteps(const Module& module, const Inst& hero) {
  const ShapeId shape = WalkedShape(module, hero);
  const std::span<const int64_t> dims = module.shapes.dims(shape);
  double elements = 1;
  for (const int64_t each : dims) elements *= static_cast<double>(each);
  const std::span<const int64_t> sorted = module.IntsOf(hero.attrs, AttrKey::k_dimensions);
  const bool is_known =
      sorted.size() == 1 && sorted[0] >= 0 && static_cast<size_t>(sorted[0]) < dims.size();
  const auto length = static_cast<double>(is_known ? dims[static_cast<size_t>(sorted[0])]
                                                   : (dims.empty() ? 1 : dims.back()));
  return elements * std::max(std::log2(std::max(length, 1.0)), 1.0) *
         std::max<double>(hero.operand_count, 1);
}

const WorkCurve* FindNearest(const MachineCurves& curves, std::string name) {
  const WorkCurve* curve = curves.Find(name);
  for (const Fallback& each : kFallbacks) {
    if (curve != nullptr) return curve;
    const size_t at = name.find(each.curve);
    if (at == std::string::npos) continue;
    name.replace(at, each.curve.size(), each.instead);
    curve = curves.Find(name);
  }
  if (curve != nullptr) return curve;
  // "gather bytes": as any kernel with so many.
  return curves.Find("loop " + name.substr(name.rfind(' ') + 1));
}

}  // namespace

WorkCurve::WorkCurve(std::vector<CurvePoint> points) : points_(std::move(points)) {
  std::ranges::sort(points_, [](const CurvePoint& a, const CurvePoint& b) {
    return a.work != b.work ? a.work < b.work : a.seconds < b.seconds;
  });
  const auto [first, last] = std::ranges::unique(points_, {}, &CurvePoint::work);
  points_.erase(first, last);
}

double WorkCurve::Seconds(double work) const {
  if (points_.empty()) return 0;
  if (work <= points_.front().work) return points_.front().seconds;
  if (work >= points_.back().work) return points_.back().seconds * work / points_.back().work;
  const auto after = std::ranges::upper_bound(points_, work, {}, &CurvePoint::work);
  const CurvePoint& high = *after;
  const CurvePoint& low = *(after - 1);
  const double share = std::log(work / low.work) / std::log(high.work / low.work);
  return low.seconds * std::pow(high.seconds / low.seconds, share);
}

double WorkCurve::Beyond(double start, double work) const {
  if (points_.empty()) return 0;
  const CurvePoint& least = points_.front();
  if (work >= least.work) return std::max(Seconds(work) - start, 0.0);
  return std::max(least.seconds - start, 0.0) * work / least.work;
}

double WorkCurve::BestRate() const {
  double best = 0;
  for (const CurvePoint& each : points_) best = std::max(best, each.work / each.seconds);
  return best;
}

const WorkCurve* MachineCurves::Find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() || found->second.points().empty() ? nullptr : &found->second;
}

std::vector<KernelWork> WorkOf(const Module& module, const Kernel& kernel, const Cost& cost) {
  const Inst& hero = module.inst(kernel.hero);
  std::string kind(KernelKindText(kernel.kind));
  const double bytes = cost.traffic.main() + cost.traffic.near;
  if (kernel.kind == KernelKind::kProduct || kernel.kind == KernelKind::kConvolution) {
    const std::optional<ProductSize> size = ProductOf(module, hero);
    std::string name = kind + " " + std::string(TextOf(cost.work.product_type)) + " flops";
    if (size && !size->is_convolution) {
      if (std::min(size->m, size->n) <= kSkinny) name = "skinny " + name;
      if (size->batch > 1) name = "batched " + name;
    }
    return {{"product bytes", bytes}, {name, cost.work.product_flops, /*is_call=*/true}};
  }
  if (kernel.kind == KernelKind::kSort) {
    return {{"sort bytes", bytes}, {"sort steps", SortSteps(module, hero)}};
  }
  const std::string wide = IsWide(module, hero) ? "wide " : "";
  if (kernel.kind == KernelKind::kReduction) {
    if (PropertiesOf(hero.opcode).work == OpWork::kWindowed) {
      return {{"window bytes", bytes}, {"window flops", cost.work.flops}};
    }
    if (MinorExtent(module, WalkedShape(module, hero)) < kShortRow) kind = "short reduction";
    return {{kind + " bytes", bytes},
            {wide + kind + " flops", cost.work.flops},
            {wide + kind + " transcendentals", cost.work.transcendentals}};
  }
  if (kernel.kind == KernelKind::kScatter) {
    return {{"scatter bytes", bytes}, {"scatter flops", cost.work.flops}};
  }
  return {{kind + " bytes", bytes},
          {wide + "loop flops", cost.work.flops},
          {wide + "loop transcendentals", cost.work.transcendentals}};
}

std::optional<OpTime> PredictOnMachine(const Module& module, const Kernel& kernel, const Cost& cost,
                                       const MachineCurves& curves) {
  const std::vector<KernelWork> works = WorkOf(module, kernel, cost);
  double memory = 0, arithmetic = 0, start = 0;
  OpTime time;
  for (size_t i = 0; i < works.size(); ++i) {
    const WorkCurve* curve =
        works[i].amount > 0 || i == 0 ? FindNearest(curves, works[i].curve) : nullptr;
    if (curve == nullptr) {
      if (i == 0) return std::nullopt;
      continue;
    }
    if (i == 0) start = curve->Start();
    const double amount = works[i].amount;
    (i == 0 ? memory : arithmetic) += works[i].is_call
                                          ? std::max(curve->Seconds(amount) - start, 0.0)
                                          : curve->Beyond(start, amount);
    if (const double rate = curve->BestRate(); rate > 0) {
      time.floor = std::max(time.floor, works[i].amount / rate);
    }
  }
  time.seconds = start + std::max(memory, arithmetic);
  time.floor = std::min(time.floor, time.seconds);
  time.source = TimeSource::kMeasured;
  time.bound = memory >= arithmetic ? TimeBound::kMemory : TimeBound::kCompute;
  if (start > std::max(memory, arithmetic)) time.bound = TimeBound::kLatency;
  return time;
}

}  // namespace halo
