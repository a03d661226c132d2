// topk and the custom calls equivalent to it: the k largest or smallest elements of each row by the
// total order; among equals, the first. A row is read once, in blocks; only blocks with an element
// better than the worst so far are looked at more closely, and those elements go into a heap.
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_rows.h"
#include "halo/codegen/library/sort/lib_sort_keys.h"
#include "halo/eval/lanes/lanes.h"
#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

// A number that orders as the element does, best first, and the element's position.
struct Candidate {
  uint64_t number = 0;
  int64_t position = 0;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.number != b.number ? a.number < b.number : a.position < b.position;
  }
};

constexpr int64_t kBlock = 64;
constexpr int64_t kRun = 8 * kBlock;

// One bit for each block of a run: whether any of its numbers is below the bound.
template <class T>
uint32_t BlocksBelow(const T* numbers, T bound) {
  return ForCpu([=](auto) HALO_INLINED {
    uint32_t found = 0;
    for (int64_t block = 0; block < kRun / kBlock; ++block) {
      T any = 0;
      for (int64_t i = 0; i < kBlock; ++i) {
        any = static_cast<T>(any | (numbers[block * kBlock + i] < bound ? T{1} : T{0}));
      }
      found |= static_cast<uint32_t>(any) << block;
    }
    return found;
  });
}

class TopKOp : public LibraryOp {
 public:
  TopKOp(const Placed& operand, const Placed& values, const Placed& placed, SortKey key)
      : key_(key),
        from_(operand, operand.dims.size() - 1),
        values_(values, values.dims.size() - 1),
        positions_(placed, placed.dims.size() - 1),
        bytes_(StoredBytes(operand.type)),
        position_type_(placed.type) {}

  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* /*scratch*/) override {
    if (values_.length() == 0) return std::nullopt;
    const int64_t shares = ShareCount(from_.rows(), from_.length());
    ForShares(from_.rows(), shares, [&](int64_t /*share*/, int64_t begin, int64_t end) {
      std::vector<Candidate> best;
      for (int64_t row = begin; row < end; ++row) {
        const auto* from = static_cast<const uint8_t*>(buffers[0]) +
                           static_cast<size_t>(from_.Offset(row)) * bytes_;
        Choose(from, best);
        Store(from, best, row, buffers);
      }
    });
    return std::nullopt;
  }
  [[nodiscard]] std::string Text() const override {
    return "top " + std::to_string(values_.length()) + " of " + std::to_string(from_.rows()) +
           " rows of " + std::to_string(from_.length());
  }

 private:
  void Choose(const uint8_t* from, std::vector<Candidate>& best) const {
    if (from_.stride() != 1 || IsSmallFloat(key_.type) || InfoOf(key_.type).bits < 16) {
      return ChooseBy<uint64_t>(from, best, [&](const void* at, int64_t n, uint64_t* numbers) {
        RowFacts facts;
        LoadKeys(key_, at, from_.stride(), n, numbers, facts);
      });
    }
    const auto in_place = [&](const void* at, int64_t n, void* numbers) {
      RowFacts facts;
      ToNumbers(key_, at, numbers, n, facts);
    };
    switch (KeyBits(key_)) {
      case 16: return ChooseBy<uint16_t>(from, best, in_place);
      case 32: return ChooseBy<uint32_t>(from, best, in_place);
      default: return ChooseBy<uint64_t>(from, best, in_place);
    }
  }

  template <class T, class Load>
  void ChooseBy(const uint8_t* from, std::vector<Candidate>& best, const Load& load) const {
    const auto k = static_cast<size_t>(values_.length());
    best.clear();
    T numbers[kRun];
    for (int64_t at = 0; at < from_.length(); at += kRun) {
      const int64_t n = std::min(kRun, from_.length() - at);
      load(from + static_cast<size_t>(at * from_.stride()) * bytes_, n, numbers);
      std::fill(numbers + n, numbers + kRun, static_cast<T>(~T{0}));
      uint32_t blocks = (uint32_t{1} << (kRun / kBlock)) - 1;
      if (best.size() == k) blocks = BlocksBelow(numbers, static_cast<T>(best.front().number));
      for (; blocks != 0; blocks &= blocks - 1) {
        const int64_t first = std::countr_zero(blocks) * kBlock;
        for (int64_t i = first; i < std::min(first + kBlock, n); ++i) {
          if (best.size() == k) {
            // Positions increase, so later elements must be strictly better.
            if (numbers[i] >= best.front().number) continue;
            std::pop_heap(best.begin(), best.end());
            best.pop_back();
          }
          best.push_back({numbers[i], at + i});
          std::push_heap(best.begin(), best.end());
        }
      }
    }
    std::sort_heap(best.begin(), best.end());
  }

  void Store(const uint8_t* from, const std::vector<Candidate>& best, int64_t row,
             std::span<void* const> buffers) const {
    auto* values =
        static_cast<uint8_t*>(buffers[1]) + static_cast<size_t>(values_.Offset(row)) * bytes_;
    const size_t position_bytes = StoredBytes(position_type_);
    auto* placed = static_cast<uint8_t*>(buffers[2]) +
                   static_cast<size_t>(positions_.Offset(row)) * position_bytes;
    for (size_t i = 0; i < best.size(); ++i) {
      std::copy_n(from + static_cast<size_t>(best[i].position * from_.stride()) * bytes_, bytes_,
                  values + i * static_cast<size_t>(values_.stride()) * bytes_);
      StoreInt(position_type_, best[i].position,
               placed + i * static_cast<size_t>(positions_.stride()) * position_bytes);
    }
  }

  SortKey key_;
  RowPositions from_, values_, positions_;
  size_t bytes_;
  ElementType position_type_;
};

std::unique_ptr<LibraryOp> MakeTopK(const Module& module, const Inst& inst,
                                    std::optional<int64_t> k, bool largest) {
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  if (!operands || operands->size() != 1 || !results || results->size() != 2) return nullptr;
  const Placed& operand = (*operands)[0];
  const Placed& values = (*results)[0];
  if (operand.dims.empty() || values.type != operand.type || !IsIntegerType((*results)[1].type) ||
      (k && *k != values.dims.back())) {
    return nullptr;
  }
  Dims wanted = operand.dims;
  wanted.back() = values.dims.empty() ? 0 : values.dims.back();
  if (values.dims != wanted || (*results)[1].dims != wanted ||
      wanted.back() > operand.dims.back()) {
    return nullptr;
  }
  if (InfoOf(operand.type).klass == ElementClass::kComplex) return nullptr;
  SortKey key;
  key.type = operand.type;
  key.descending = largest;
  key.total = true;
  return std::make_unique<TopKOp>(operand, values, (*results)[1], key);
}

}  // namespace

std::unique_ptr<LibraryOp> MakeTopKOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  return MakeTopK(module, inst, module.IntOr(inst.attrs, AttrKey::k_k, 0),
                  module.BoolOr(inst.attrs, AttrKey::k_largest, true));
}

std::unique_ptr<LibraryOp> MakeTopKCallOp(const Module& module, InstId id) {
  return MakeTopK(module, module.inst(id), std::nullopt, true);
}

}  // namespace halo
