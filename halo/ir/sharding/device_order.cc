// Iota orders: parsing, printing, simplification, permutation and expansion.
#include "halo/ir/sharding/device_order.h"

#include <algorithm>

namespace halo {
namespace {

// Prime factorization uses trial division; larger grids become lists.
constexpr int64_t kMaxFactored = int64_t{1} << 32;

bool IsPermutation(std::span<const int64_t> values) {
  std::vector<bool> seen(values.size());
  for (const int64_t value : values) {
    if (value < 0 || static_cast<size_t>(value) >= values.size()) return false;
    if (seen[static_cast<size_t>(value)]) return false;
    seen[static_cast<size_t>(value)] = true;
  }
  return true;
}

std::vector<int64_t> PrimeFactors(int64_t value) {
  std::vector<int64_t> factors;
  for (int64_t prime = 2; prime * prime <= value; prime += prime == 2 ? 1 : 2) {
    while (value % prime == 0) {
      factors.push_back(prime);
      value /= prime;
    }
  }
  if (value > 1) factors.push_back(value);
  return factors;
}

DeviceOrder MakeSimple(std::vector<int64_t> reshape, std::vector<int64_t> transpose) {
  DeviceOrder order{std::move(reshape), std::move(transpose), {}};
  SimplifyOrder(order);
  return order;
}

// The effect of a permutation of grid dimensions on the flat device sequence.
enum class Effect : uint8_t { kNone, kReorders };

Effect EffectOf(std::span<const int64_t> dims, std::span<const int64_t> permutation) {
  int64_t previous = -1;
  for (const int64_t dim : permutation) {
    if (dims[static_cast<size_t>(dim)] == 1) continue;
    if (dim < previous) return Effect::kReorders;
    previous = dim;
  }
  return Effect::kNone;
}

// The iota grid split into prime factors, so that any grouping of its steps can be expressed.
struct FactoredOrder {
  std::vector<int64_t> sizes;     // of the factored reshape
  std::vector<size_t> sequence;   // positions in `sizes`, in transposed order
  std::vector<int64_t> original;  // the reshape dimension of each step of `sequence`
};

FactoredOrder Factor(const DeviceOrder& order) {
  FactoredOrder factored;
  std::vector<size_t> begins;
  for (const int64_t size : order.reshape) {
    begins.push_back(factored.sizes.size());
    for (const int64_t factor : PrimeFactors(size)) factored.sizes.push_back(factor);
  }
  begins.push_back(factored.sizes.size());
  for (const int64_t dim : order.transpose) {
    for (size_t i = begins[static_cast<size_t>(dim)]; i < begins[static_cast<size_t>(dim) + 1];
         ++i) {
      factored.sequence.push_back(i);
      factored.original.push_back(dim);
    }
  }
  return factored;
}

// Takes factors with product `extent`, starting at step `next`. Factors of one original dimension
// may be swapped, since their relative order was our choice.
bool TakeFactors(FactoredOrder& factored, size_t& next, int64_t extent,
                 std::vector<int64_t>& taken) {
  while (extent != 1) {
    if (next >= factored.sequence.size()) return false;
    int64_t& size = factored.sizes[factored.sequence[next]];
    if (extent % size != 0) {
      size_t other = next + 1;
      while (other < factored.sequence.size() &&
             (factored.original[other] != factored.original[next] ||
              extent % factored.sizes[factored.sequence[other]] != 0)) {
        ++other;
      }
      if (other == factored.sequence.size()) return false;
      std::swap(size, factored.sizes[factored.sequence[other]]);
    }
    extent /= size;
    taken.push_back(static_cast<int64_t>(factored.sequence[next]));
    ++next;
  }
  return true;
}

}  // namespace

DeviceOrder PlainOrder(int64_t count) { return DeviceOrder{{count}, {0}, {}}; }

std::optional<int64_t> CheckedProduct(std::span<const int64_t> extents) {
  int64_t product = 1;
  for (const int64_t extent : extents) {
    if (extent < 0 || __builtin_mul_overflow(product, extent, &product)) return std::nullopt;
  }
  return product;
}

bool ParseIotaOrder(Scanner& scan, DeviceOrder& order, std::string* why) {
  const auto fail = [&](const char* text) {
    if (why != nullptr) *why = text;
    return false;
  };
  if (!scan.Eat('[') || !scan.Ints(order.reshape) || !scan.Eat(']')) {
    return fail("expected the extents of a device grid, as in [4,2]");
  }
  if (scan.Eat('T')) {
    if (!scan.Eat('(') || !scan.Ints(order.transpose) || !scan.Eat(')')) {
      return fail("expected a permutation after T, as in T(1,0)");
    }
  } else {
    for (size_t i = 0; i < order.reshape.size(); ++i) {
      order.transpose.push_back(static_cast<int64_t>(i));
    }
  }
  if (order.transpose.size() != order.reshape.size() || !IsPermutation(order.transpose)) {
    scan.MarkContradiction();
    return fail("T(...) must name each dimension of the device grid once");
  }
  if (CheckedProduct(order.reshape)) return true;
  scan.MarkContradiction();
  return fail("the device grid is too large");
}

void PrintIntList(std::span<const int64_t> values, TextBuffer& out) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out << ',';
    out << values[i];
  }
}

void PrintDeviceOrder(const DeviceOrder& order, TextBuffer& out) {
  if (order.is_list()) return PrintIntList(order.devices, out);
  out << '[';
  PrintIntList(order.reshape, out);
  out << ']';
  if (order.reshape.size() < 2) return;
  out << "T(";
  PrintIntList(order.transpose, out);
  out << ')';
}

void SimplifyOrder(DeviceOrder& order) {
  if (order.is_list() || order.reshape.size() < 2) return;
  // Runs of dimensions that are adjacent both before and after the transpose count as one.
  // Dimensions of size one do not break a run.
  std::vector<int64_t> kept;  // reshape dimensions larger than one
  std::vector<int64_t> rank_of(order.reshape.size(), -1);
  for (size_t i = 0; i < order.reshape.size(); ++i) {
    if (order.reshape[i] == 1) continue;
    rank_of[i] = static_cast<int64_t>(kept.size());
    kept.push_back(order.reshape[i]);
  }
  std::vector<int64_t> heads;  // first dimension of each run, in transposed order
  std::vector<int64_t> sizes;
  int64_t previous = -2;
  for (const int64_t dim : order.transpose) {
    const int64_t rank = rank_of[static_cast<size_t>(dim)];
    if (rank < 0) continue;
    if (rank == previous + 1) {
      sizes.back() *= kept[static_cast<size_t>(rank)];
    } else {
      heads.push_back(rank);
      sizes.push_back(kept[static_cast<size_t>(rank)]);
    }
    previous = rank;
  }
  if (heads.empty()) {
    order = PlainOrder(1);
    return;
  }
  std::vector<int64_t> sorted = heads;
  std::sort(sorted.begin(), sorted.end());
  order.reshape.assign(heads.size(), 0);
  order.transpose.clear();
  for (size_t i = 0; i < heads.size(); ++i) {
    const auto dim = std::lower_bound(sorted.begin(), sorted.end(), heads[i]) - sorted.begin();
    order.reshape[static_cast<size_t>(dim)] = sizes[i];
    order.transpose.push_back(dim);
  }
}

std::optional<std::vector<int64_t>> ExpandOrder(const DeviceOrder& order, size_t limit) {
  if (order.is_list()) {
    if (order.devices.size() > limit) return std::nullopt;
    return order.devices;
  }
  const auto count = CheckedProduct(order.reshape);
  if (!count || static_cast<uint64_t>(*count) > limit) return std::nullopt;
  std::vector<int64_t> values(static_cast<size_t>(*count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i);
  return TransposeGrid(values, order.reshape, order.transpose);
}

std::vector<int64_t> TransposeGrid(std::span<const int64_t> values, std::span<const int64_t> dims,
                                   std::span<const int64_t> permutation) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  std::vector<int64_t> index(dims.size(), 0);
  std::vector<int64_t> out;
  out.reserve(values.size());
  int64_t offset = 0;
  while (out.size() < values.size()) {
    out.push_back(values[static_cast<size_t>(offset)]);
    for (size_t i = permutation.size(); i-- > 0;) {
      const auto dim = static_cast<size_t>(permutation[i]);
      offset += strides[dim];
      if (++index[dim] < dims[dim]) break;
      offset -= strides[dim] * dims[dim];
      index[dim] = 0;
    }
  }
  return out;
}

std::optional<DeviceOrder> TransposeOrder(const DeviceOrder& order, std::span<const int64_t> dims,
                                          std::span<const int64_t> permutation) {
  if (order.is_list()) return std::nullopt;
  if (EffectOf(dims, permutation) == Effect::kNone) return order;
  if (order.reshape.size() == 1) {
    return MakeSimple({dims.begin(), dims.end()}, {permutation.begin(), permutation.end()});
  }
  std::vector<int64_t> wide;  // extents of the grid other than one
  std::vector<int64_t> wide_of(dims.size(), -1);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    wide_of[i] = static_cast<int64_t>(wide.size());
    wide.push_back(dims[i]);
  }
  std::vector<int64_t> counted;
  for (const int64_t dim : order.transpose)
    counted.push_back(order.reshape[static_cast<size_t>(dim)]);

  // Groups of iota dimensions, one group for each wide dimension of the grid.
  std::vector<std::vector<int64_t>> groups(wide.size());
  std::vector<int64_t> reshape;
  if (wide == counted) {
    reshape = order.reshape;
    for (size_t i = 0; i < wide.size(); ++i) groups[i].push_back(order.transpose[i]);
  } else {
    const auto total = CheckedProduct(order.reshape);
    if (!total || *total == 0 || *total > kMaxFactored) return std::nullopt;
    FactoredOrder factored = Factor(order);
    size_t next = 0;
    for (size_t i = 0; i < wide.size(); ++i) {
      if (!TakeFactors(factored, next, wide[i], groups[i])) return std::nullopt;
    }
    reshape = std::move(factored.sizes);
  }
  std::vector<int64_t> transpose;
  for (const int64_t dim : permutation) {
    const int64_t group = wide_of[static_cast<size_t>(dim)];
    if (group < 0) continue;
    transpose.insert(transpose.end(), groups[static_cast<size_t>(group)].begin(),
                     groups[static_cast<size_t>(group)].end());
  }
  return MakeSimple(std::move(reshape), std::move(transpose));
}

}  // namespace halo
