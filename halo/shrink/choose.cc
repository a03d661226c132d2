// Greedy: the next size to reduce is the one that the most bytes depend on; ties go to the largest.
#include "halo/shrink/choose.h"

#include <algorithm>
#include <set>

namespace halo {
namespace {

// Dimensions this small tell how many things of a kind there are. Their sizes stay unless
// requested.
constexpr int64_t kSmallDim = 8;

int64_t SmallestFactor(int64_t n) {
  for (int64_t p = 2; p * p <= n && p < 1000; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

// Finds sizes for the factors from `at` on, none larger than before, with this product. Returns {0}
// if there are none.
std::vector<int64_t> Distribute(const std::vector<int64_t>& old_sizes, size_t at, int64_t product) {
  if (at == old_sizes.size())
    return product == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{0};
  // Each factor takes as much as it can before the next one.
  int64_t tries = 0;
  for (int64_t size = std::min(old_sizes[at], product); size >= 1 && tries < 100000;
       --size, ++tries) {
    if (product % size != 0) continue;
    std::vector<int64_t> rest = Distribute(old_sizes, at + 1, product / size);
    if (!rest.empty() && rest[0] == 0) continue;
    rest.insert(rest.begin(), size);
    return rest;
  }
  return {0};
}

}  // namespace

Chooser::Chooser(const Module& module, DimSpace& space, const DimTable& dims,
                 const DeviceAxes& devices, const Relations& relations, const Estimate& estimate)
    : module_(module),
      space_(space),
      dims_(dims),
      devices_(devices),
      relations_(relations),
      estimate_(estimate) {
  space_.Leaves(devices_.node(), device_leaves_);
  leaves_ = device_leaves_;
  for (const Relations::Pieces& pieces : relations_.pieces()) {
    std::vector<DimId> leaves;
    space_.Leaves(pieces.count, leaves);
    for (const DimId leaf : leaves) {
      if (!is_device(leaf))
        space_.Pin(leaf, pieces.inst, "so many pieces are taken, one at a time");
    }
  }
  space_.ResolveRetiles();
  std::vector<uint32_t> index_of(space_.count(), UINT32_MAX);
  for (size_t i = 0; i < leaves_.size(); ++i)
    index_of[leaves_[i].index()] = static_cast<uint32_t>(i);
  std::vector<std::vector<DimId>> memo(space_.count());
  std::vector<int64_t> uses(space_.count(), 0);  // of each dimension
  leaves_of_.resize(module.insts.size());
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    std::vector<uint32_t>& mine = leaves_of_[i];
    for (const DimId dim : dims_.of(InstId(i))) {
      const DimId node = space_.Find(dim);
      std::vector<DimId>& leaves = memo[node.index()];
      if (leaves.empty() && node != space_.one()) space_.Leaves(node, leaves);
      for (const DimId leaf : leaves) {
        uint32_t& at = index_of[leaf.index()];
        if (at == UINT32_MAX) {
          at = static_cast<uint32_t>(leaves_.size());
          leaves_.push_back(leaf);
        }
        if (std::find(mine.begin(), mine.end(), at) == mine.end()) mine.push_back(at);
      }
      ++uses[node.index()];
    }
  }
  fixed_.resize(leaves_.size(), false);
  dims_with_.resize(leaves_.size());
  std::vector<int64_t> total(leaves_.size(), 0);
  for (size_t n = 0; n < memo.size(); ++n) {
    for (const DimId leaf : memo[n]) {
      const uint32_t at = index_of[leaf.index()];
      dims_with_[at].emplace_back(static_cast<uint32_t>(n));
      total[at] += uses[n];
    }
  }
  for (size_t i = 0; i < leaves_.size(); ++i) {
    small_.push_back(space_.size(leaves_[i]) <= kSmallDim &&
                     2 * uses[leaves_[i].index()] >= total[i]);
  }
}

bool Chooser::is_device(DimId leaf) const {
  return std::find(device_leaves_.begin(), device_leaves_.end(), leaf) != device_leaves_.end();
}

bool Chooser::IsDependent(size_t leaf) const {
  const auto& units = space_.units();
  return space_.RetileOf(leaves_[leaf]) != nullptr ||
         std::find(units.begin(), units.end(), leaves_[leaf]) != units.end();
}

bool Chooser::IsFree(size_t leaf) const {
  return !fixed_[leaf] && space_.ReasonOf(leaves_[leaf]) == nullptr && !is_device(leaves_[leaf]) &&
         !IsDependent(leaf);
}

size_t Chooser::IndexOf(DimId leaf) const {
  return static_cast<size_t>(std::find(leaves_.begin(), leaves_.end(), leaf) - leaves_.begin());
}

std::string Chooser::WhyPinned(DimId leaf) const {
  const PinReason* reason = space_.ReasonOf(leaf);
  if (reason == nullptr) return "it is fixed";
  std::string text = "its factor " + std::to_string(space_.size(leaf)) + " stays";
  if (reason->inst.valid()) {
    text += ", because of " + std::string(module_.name_of(module_.inst(reason->inst)));
  }
  return text + ": " + reason->text;
}

std::optional<std::string> Chooser::ChooseDevices(int64_t count, NewSizes& sizes) {
  if (count <= 0 || devices_.count() % count != 0) {
    return std::to_string(devices_.count()) + " devices cannot become " + std::to_string(count);
  }
  std::vector<DimId> open;
  std::string pinned;
  for (const DimId axis : device_leaves_) {
    if (space_.ReasonOf(axis) == nullptr) {
      open.push_back(axis);
    } else {
      pinned += "; " + WhyPinned(axis);
    }
  }
  int64_t now = devices_.count();
  while (now > count) {
    DimId best;
    for (const DimId axis : open) {
      const int64_t size = sizes.of(axis), prime = SmallestFactor(size);
      if (size <= 1 || (now / count) % prime != 0) continue;
      if (!best.valid() || sizes.of(axis) > sizes.of(best)) best = axis;
    }
    if (!best.valid()) {
      return std::to_string(devices_.count()) + " devices cannot become " + std::to_string(count) +
             pinned;
    }
    const int64_t prime = SmallestFactor(sizes.of(best));
    sizes.Set(best, sizes.of(best) / prime);
    now /= prime;
  }
  return std::nullopt;
}

std::optional<std::string> Chooser::ChooseDim(int64_t from, int64_t to, NewSizes& sizes) {
  if (to <= 0 || to > from) {
    return "--dim " + std::to_string(from) + "=" + std::to_string(to) + " does not shrink";
  }
  bool seen = false;
  std::set<DimId> done;
  for (uint32_t i = 0; i < module_.insts.size(); ++i) {
    for (const DimId dim : dims_.of(InstId(i))) {
      if (space_.size(dim) != from) continue;
      const DimId node = space_.Find(dim);
      seen = true;
      if (!done.insert(node).second || sizes.of(node) == to) continue;
      std::vector<DimId> factors, open;
      space_.Factors(node, factors);
      int64_t kept = 1;
      std::string why;
      for (const DimId factor : factors) {
        const size_t at = IndexOf(factor);
        if (at < leaves_.size() && IsFree(at)) {
          open.push_back(factor);
        } else {
          kept *= sizes.of(factor);
          if (at < leaves_.size()) why = WhyPinned(factor);
        }
      }
      std::vector<int64_t> old_sizes;
      for (const DimId factor : open) old_sizes.push_back(space_.size(factor));
      const std::vector<int64_t> chosen =
          to % kept == 0 ? Distribute(old_sizes, 0, to / kept) : std::vector<int64_t>{0};
      if (chosen.size() != open.size() || (!chosen.empty() && chosen[0] == 0)) {
        std::string text = "dimension " + std::to_string(from) + " of " +
                           std::string(module_.name_of(module_.inst(InstId(i)))) +
                           " cannot become " + std::to_string(to);
        return why.empty() ? text : text + ": " + why;
      }
      for (size_t k = 0; k < open.size(); ++k) {
        sizes.Set(open[k], chosen[k]);
        fixed_[IndexOf(open[k])] = true;
      }
    }
  }
  if (!seen) return "no dimension has size " + std::to_string(from);
  return std::nullopt;
}

int64_t Chooser::Smaller(size_t leaf, int64_t smallest, NewSizes& sizes) const {
  const int64_t size = sizes.of(leaves_[leaf]);
  if (size <= 1) return 0;
  const int64_t prime = SmallestFactor(size);
  const int64_t next = prime > 7 ? (size + 1) / 2 : size / prime;
  const bool fits = std::all_of(dims_with_[leaf].begin(), dims_with_[leaf].end(), [&](DimId dim) {
    return space_.IsSum(dim) ? next >= smallest : sizes.of(dim) / size * next >= smallest;
  });
  return fits ? next : 0;
}

void Chooser::Fit(const ShrinkOptions& options, NewSizes& sizes) {
  std::vector<int64_t> bytes(module_.insts.size());
  std::vector<double> weight(leaves_.size());
  std::vector<bool> touched(leaves_.size(), true);
  for (;;) {
    std::fill(weight.begin(), weight.end(), 0);
    for (uint32_t i = 0; i < bytes.size(); ++i) {
      const auto& mine = leaves_of_[i];
      if (std::any_of(mine.begin(), mine.end(), [&](uint32_t leaf) { return touched[leaf]; })) {
        bytes[i] = estimate_.InstBytes(InstId(i), sizes);
      }
      for (const uint32_t leaf : mine) weight[leaf] += static_cast<double>(bytes[i]);
    }
    if (estimate_.PeakBytes(bytes) <= *options.bytes) return;
    size_t best = leaves_.size();
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const int64_t size = sizes.of(leaves_[i]);
      if (!IsFree(i) || small_[i] || weight[i] <= 0) continue;
      if (Smaller(i, options.smallest, sizes) == 0) continue;
      if (best == leaves_.size() || weight[i] > weight[best] * 1.0001 ||
          (weight[i] > weight[best] * 0.9999 && size > sizes.of(leaves_[best]))) {
        best = i;
      }
    }
    if (best == leaves_.size()) return;
    sizes.Set(leaves_[best], Smaller(best, options.smallest, sizes));
    for (const DimId unit : space_.units()) sizes.Set(unit, 1);
    for (size_t i = 0; i < leaves_.size(); ++i) touched[i] = i == best || IsDependent(i);
  }
}

void Chooser::KeepAtLeast(NewSizes& sizes) {
  const auto raise = [&](DimId node) {
    std::vector<DimId> leaves;
    space_.Leaves(node, leaves);
    DimId best;
    for (const DimId leaf : leaves) {
      const size_t at = IndexOf(leaf);
      if (at >= leaves_.size() || !IsFree(at) || sizes.of(leaf) >= space_.size(leaf)) continue;
      if (!best.valid() || space_.size(leaf) > space_.size(best)) best = leaf;
    }
    if (!best.valid()) return false;
    sizes.Set(best, std::min(space_.size(best), 2 * sizes.of(best)));
    return true;
  };
  bool changed = true;
  for (int round = 0; changed && round < 100; ++round) {
    changed = false;
    for (const auto& [node, least] : relations_.at_least()) {
      const int64_t wanted = std::min(least, space_.size(node));
      while (sizes.of(node) < wanted && raise(node)) changed = true;
    }
    for (uint32_t i = 0; i < module_.insts.size(); ++i) {
      for (const DimId dim : dims_.of(InstId(i))) {
        if (space_.size(dim) > 0 && sizes.of(dim) < 1 && raise(dim)) changed = true;
      }
    }
  }
}

std::optional<std::string> Chooser::Choose(const ShrinkOptions& options, NewSizes& sizes) {
  if (options.devices) {
    if (auto why = ChooseDevices(*options.devices, sizes)) return why;
  }
  for (const auto& [from, to] : options.dims) {
    if (auto why = ChooseDim(from, to, sizes)) return why;
  }
  if (sizes.changed()) {
    for (const DimId unit : space_.units()) sizes.Set(unit, 1);
  }
  if (options.bytes) Fit(options, sizes);
  KeepAtLeast(sizes);
  return std::nullopt;
}

}  // namespace halo
