// The sort instruction. A row is converted to numbers that order as its comparator does, with the
// positions of the elements in their low bits so that equal elements keep their order. The numbers
// are sorted, and every operand is permuted accordingly. A single operand whose elements can be
// recovered from the numbers needs no positions. Rows on which the comparator is not an order (NaNs
// under `<`) use the evaluator's merge sort.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_rows.h"
#include "halo/codegen/library/sort/lib_sort_keys.h"
#include "halo/codegen/library/sort/lib_sort_numbers.h"
#include "halo/codegen/library/sort/lib_sort_order.h"
#include "halo/eval/lanes/lanes.h"
#include "halo/eval/lanes/merge_sort.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

class SortOp : public LibraryOp {
 public:
  SortOp(const PlacedArrays& operands, const PlacedArrays& results, size_t dim,
         std::vector<SortKey> keys)
      : keys_(std::move(keys)), length_(operands[0].dims[dim]) {
    for (size_t i = 0; i < operands.size(); ++i) {
      from_.emplace_back(operands[i], dim);
      to_.emplace_back(results[i], dim);
      bytes_.push_back(StoredBytes(operands[i].type));
    }
    int key_bits = 0;
    for (const SortKey& key : keys_) key_bits += KeyBits(key);
    index_bits_ =
        static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(length_ - 1, 1))));
    bits_ = key_bits + index_bits_;
    const SortKey& key = keys_[0];
    merges_ = bits_ > 128 || key.relation != SortKey::Relation::kBefore;
    alone_ = !merges_ && operands.size() == 1 && keys_.size() == 1 && InfoOf(key.type).bits >= 16;
    const size_t widest = *std::ranges::max_element(bytes_);
    number_bytes_ = bits_ <= 64 ? 8 : 16;
    workspace_bytes_ = length_ * static_cast<int64_t>(std::max<size_t>(number_bytes_, widest));
    shares_ = ShareCount(from_[0].rows(), length_ * 4);
  }

  // The numbers, an equally large buffer for sorting or gathering, and one key at a time.
  [[nodiscard]] int64_t scratch_bytes() const override {
    return shares_ * (2 * Rounded(workspace_bytes_) + Rounded(length_ * 8));
  }
  [[nodiscard]] std::string Text() const override {
    return "sort of " + std::to_string(from_[0].rows()) + " rows of " + std::to_string(length_) +
           (merges_  ? " by merging"
            : alone_ ? " by integer keys"
                     : " by integer keys and positions");
  }

  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    if (length_ == 0) return std::nullopt;
    const int64_t share_bytes = scratch_bytes() / shares_;
    ForShares(from_[0].rows(), shares_, [&](int64_t share, int64_t begin, int64_t end) {
      uint8_t* workspace = static_cast<uint8_t*>(scratch) + share * share_bytes;
      for (int64_t row = begin; row < end; ++row) Row(buffers, row, workspace);
    });
    return std::nullopt;
  }

 private:
  static constexpr int64_t kWorthAThread = 1 << 14;

  static int64_t Rounded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

  const uint8_t* Source(std::span<void* const> buffers, size_t operand, int64_t row) const {
    return static_cast<const uint8_t*>(buffers[operand]) +
           static_cast<size_t>(from_[operand].Offset(row)) * bytes_[operand];
  }
  uint8_t* Target(std::span<void* const> buffers, size_t operand, int64_t row) const {
    return static_cast<uint8_t*>(buffers[from_.size() + operand]) +
           static_cast<size_t>(to_[operand].Offset(row)) * bytes_[operand];
  }

  void Row(std::span<void* const> buffers, int64_t row, uint8_t* workspace) const {
    void* second = workspace + Rounded(workspace_bytes_);
    auto* key_workspace = reinterpret_cast<uint64_t*>(workspace + 2 * Rounded(workspace_bytes_));
    if (alone_) {
      const SortKey& key = keys_[0];
      const uint8_t* from = Source(buffers, 0, row);
      uint8_t* to = Target(buffers, 0, row);
      switch (bytes_[0]) {
        case 2:
          if (Alone<uint16_t>(key, from, to, workspace, second)) return;
          break;
        case 4:
          if (Alone<uint32_t>(key, from, to, workspace, second)) return;
          break;
        default:
          if (Alone<uint64_t>(key, from, to, workspace, second)) return;
          break;
      }
    } else if (!merges_ && bits_ <= 64) {
      auto* numbers = reinterpret_cast<uint64_t*>(workspace);
      if (Pack(buffers, row, numbers, key_workspace)) {
        const uint64_t* sorted = SortNumbers(numbers, length_, static_cast<uint64_t*>(second));
        void* free = sorted == numbers ? second : numbers;
        const uint64_t mask = (uint64_t{1} << index_bits_) - 1;
        return Permute(buffers, row, free, [=](int64_t i) { return sorted[i] & mask; });
      }
    } else if (!merges_) {
      auto* numbers = reinterpret_cast<Number128*>(workspace);
      if (Pack(buffers, row, numbers, key_workspace)) {
        const Number128* sorted = SortNumbers(numbers, length_, static_cast<Number128*>(second));
        void* free = sorted == numbers ? second : numbers;
        const uint64_t mask = (uint64_t{1} << index_bits_) - 1;
        return Permute(buffers, row, free, [=](int64_t i) { return sorted[i].low & mask; });
      }
    }
    const std::vector<int64_t> order = MergedOrder(buffers, row);
    Permute(buffers, row, second,
            [&](int64_t i) { return static_cast<uint64_t>(order[static_cast<size_t>(i)]); });
  }

  // Returns false if the row must be merge-sorted.
  template <class T>
  bool Alone(const SortKey& key, const uint8_t* from, uint8_t* to, void* first,
             void* second) const {
    auto* numbers = static_cast<T*>(first);
    const int64_t stride = from_[0].stride();
    const void* source = from;
    if (stride != 1) {
      for (int64_t i = 0; i < length_; ++i) {
        numbers[i] = reinterpret_cast<const T*>(from)[i * stride];
      }
      source = first;
    }
    RowFacts facts;
    std::mutex mutex;
    TeamFor(length_, kWorthAThread, [&](int64_t begin, int64_t end) {
      RowFacts own;
      ToNumbers(key, static_cast<const T*>(source) + begin, numbers + begin, end - begin, own);
      const std::lock_guard lock(mutex);
      facts.has_nan = facts.has_nan || own.has_nan;
      facts.has_negative_zero = facts.has_negative_zero || own.has_negative_zero;
      facts.has_positive_zero = facts.has_positive_zero || own.has_positive_zero;
    });
    if (!IsOrdered(key, facts, true)) return false;
    // Elements that map to the same number come out in their original order.
    const bool hides_zeros = facts.has_negative_zero && (key.joins_zeros || !key.total);
    const bool hides_nans = facts.has_nan && key.joins_nans;
    std::vector<T> zeros;
    std::vector<T> nans;
    if (hides_zeros || hides_nans) {
      for (int64_t i = 0; i < length_; ++i) {
        const T bits = reinterpret_cast<const T*>(from)[i * stride];
        const auto magnitude = static_cast<T>(bits << 1);
        if (magnitude == 0) zeros.push_back(bits);
        if (LoadsNan(key.type, &bits)) nans.push_back(bits);
      }
    }
    T* sorted = SortNumbers(numbers, length_, static_cast<T*>(second));
    T* target = reinterpret_cast<T*>(to);
    const int64_t step = to_[0].stride();
    if (!hides_zeros && !hides_nans) {
      TeamFor(length_, kWorthAThread, [&](int64_t begin, int64_t end) {
        FromNumbers(key, sorted + begin, end - begin);
        Spread(sorted, target, step, begin, end);
      });
      return true;
    }
    FromNumbers(key, sorted, length_);
    if (hides_zeros) Restore(sorted, zeros, [](T bits) { return bits == 0; });
    if (hides_nans) {
      Restore(sorted, nans, [&](T bits) { return LoadsNan(key.type, &bits); });
    }
    Spread(sorted, target, step, 0, length_);
    return true;
  }

  static bool LoadsNan(ElementType type, const void* bits) {
    if (InfoOf(type).klass != ElementClass::kFloat) return false;
    const double value = LoadFloat(type, static_cast<const uint8_t*>(bits));
    return value != value;
  }

  template <class T, class IsHidden>
  void Restore(T* numbers, const std::vector<T>& originals, const IsHidden& is_hidden) const {
    size_t next = 0;
    for (int64_t i = 0; i < length_ && next < originals.size(); ++i) {
      if (is_hidden(numbers[i])) numbers[i] = originals[next++];
    }
  }

  // Packs the keys, most significant first, followed by the positions. Returns false if the row
  // must be merge-sorted.
  template <class T>
  bool Pack(std::span<void* const> buffers, int64_t row, T* numbers,
            uint64_t* key_workspace) const {
    for (size_t k = 0; k < keys_.size(); ++k) {
      const SortKey& key = keys_[k];
      RowFacts facts;
      LoadKeys(key, Source(buffers, key.operand, row), from_[key.operand].stride(), length_,
               key_workspace, facts);
      if (!IsOrdered(key, facts, k + 1 == keys_.size())) return false;
      for (int64_t i = 0; i < length_; ++i) {
        if constexpr (sizeof(T) == 8) {
          numbers[i] = k == 0 ? key_workspace[i] : numbers[i] << KeyBits(key) | key_workspace[i];
        } else {
          Append(numbers[i], k == 0, KeyBits(key), key_workspace[i]);
        }
      }
    }
    for (int64_t i = 0; i < length_; ++i) {
      if constexpr (sizeof(T) == 8) {
        numbers[i] = numbers[i] << index_bits_ | static_cast<uint64_t>(i);
      } else {
        Append(numbers[i], false, index_bits_, static_cast<uint64_t>(i));
      }
    }
    return true;
  }
  static void Append(Number128& number, bool first, int bits, uint64_t value) {
    using Wide = unsigned __int128;
    const Wide before = first ? 0 : Wide{number.high} << 64 | number.low;
    const Wide wide = before << bits | value;
    number = {static_cast<uint64_t>(wide), static_cast<uint64_t>(wide >> 64)};
  }

  // The same comparisons as the evaluator.
  std::vector<int64_t> MergedOrder(std::span<void* const> buffers, int64_t row) const {
    const auto n = static_cast<size_t>(length_);
    struct Column {
      SortKey key;
      std::vector<uint64_t> numbers;
      std::vector<double> values;  // if compared with `<`
    };
    std::vector<Column> columns;
    for (const SortKey& key : keys_) {
      Column column = {key, std::vector<uint64_t>(n), {}};
      const uint8_t* from = Source(buffers, key.operand, row);
      const int64_t stride = from_[key.operand].stride();
      SortKey exact = key;
      exact.total = true;
      RowFacts facts;
      LoadKeys(exact, from, stride, length_, column.numbers.data(), facts);
      if (!key.total) {
        column.values.resize(n);
        LoadLanes(key.type, from, stride, n, column.values.data());
      }
      columns.push_back(std::move(column));
    }
    const auto less = [&](int64_t a, int64_t b) {
      const auto left = static_cast<size_t>(a);
      const auto right = static_cast<size_t>(b);
      for (size_t k = 0; k < columns.size(); ++k) {
        const Column& c = columns[k];
        const bool by_value = !c.key.total;
        const bool same = c.key.total_equal || !by_value ? c.numbers[left] == c.numbers[right]
                                                         : c.values[left] == c.values[right];
        if (same && k + 1 < columns.size()) continue;
        if (!by_value) return Holds(c.key.relation, c.numbers[left], c.numbers[right]);
        const double a_value = c.values[left];
        const double b_value = c.values[right];
        return c.key.descending ? Holds(c.key.relation, b_value, a_value)
                                : Holds(c.key.relation, a_value, b_value);
      }
      return false;
    };
    std::vector<int64_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<int64_t> workspace;
    MergeSort(rows, workspace, less);
    return rows;
  }

  template <class T>
  static bool Holds(SortKey::Relation relation, T a, T b) {
    switch (relation) {
      case SortKey::Relation::kBefore: return a < b;
      case SortKey::Relation::kBeforeOrEqual: return a <= b;
      case SortKey::Relation::kEqual: return a == b;
      case SortKey::Relation::kNotEqual: return a != b;
    }
    return false;
  }

  template <class Position>
  void Permute(std::span<void* const> buffers, int64_t row, void* workspace,
               const Position& position) const {
    for (size_t k = 0; k < from_.size(); ++k) {
      const uint8_t* from = Source(buffers, k, row);
      uint8_t* to = Target(buffers, k, row);
      switch (bytes_[k]) {
        case 1: PermuteAs<uint8_t>(k, from, to, workspace, position); break;
        case 2: PermuteAs<uint16_t>(k, from, to, workspace, position); break;
        case 4: PermuteAs<uint32_t>(k, from, to, workspace, position); break;
        case 8: PermuteAs<uint64_t>(k, from, to, workspace, position); break;
        default: PermuteAs<Number128>(k, from, to, workspace, position); break;
      }
    }
  }
  // Goes through a separate buffer because the result may alias the operand.
  template <class T, class Position>
  void PermuteAs(size_t k, const uint8_t* from, uint8_t* to, void* workspace,
                 const Position& position) const {
    const T* source = reinterpret_cast<const T*>(from);
    T* target = reinterpret_cast<T*>(to);
    T* gathered = static_cast<T*>(workspace);
    const int64_t stride = from_[k].stride();
    const int64_t step = to_[k].stride();
    TeamFor(length_, kWorthAThread, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        gathered[i] = source[static_cast<int64_t>(position(i)) * stride];
      }
    });
    TeamFor(length_, kWorthAThread,
            [&](int64_t begin, int64_t end) { Spread(gathered, target, step, begin, end); });
  }

  template <class T>
  static void Spread(const T* from, T* to, int64_t step, int64_t begin, int64_t end) {
    if (step == 1) {
      std::copy(from + begin, from + end, to + begin);
      return;
    }
    for (int64_t i = begin; i < end; ++i) to[i * step] = from[i];
  }

  std::vector<SortKey> keys_;
  int64_t length_;
  std::vector<RowPositions> from_, to_;
  std::vector<size_t> bytes_;
  int index_bits_ = 0, bits_ = 0;
  bool alone_ = false;
  bool merges_ = false;  // every row, as the evaluator does
  size_t number_bytes_ = 8;
  int64_t workspace_bytes_ = 0, shares_ = 1;
};

}  // namespace

std::unique_ptr<LibraryOp> MakeSortOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  const Attr* comparator = module.Find(inst, AttrKey::k_to_apply);
  const std::span<const int64_t> dims = module.IntsOf(inst.attrs, AttrKey::k_dimensions);
  if (!operands || !results || operands->empty() || operands->size() != results->size() ||
      comparator == nullptr || dims.size() != 1) {
    return nullptr;
  }
  for (size_t k = 0; k < operands->size(); ++k) {
    const Placed& operand = (*operands)[k];
    const Placed& result = (*results)[k];
    if (operand.dims != (*operands)[0].dims || result.dims != operand.dims ||
        result.type != operand.type) {
      return nullptr;
    }
  }
  auto keys = FindSortOrder(module, CompId(comparator->value));
  if (!keys) return nullptr;
  for (const SortKey& key : *keys) {
    if (key.operand >= operands->size() || (*operands)[key.operand].type != key.type) {
      return nullptr;
    }
  }
  return std::make_unique<SortOp>(*operands, *results, static_cast<size_t>(dims[0]),
                                  *std::move(keys));
}

}  // namespace halo
