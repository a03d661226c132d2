// sort: sorts rows along one dimension and permutes all operands alike. Always stable, whether or
// not the program asks for it.
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "halo/eval/context/converted.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/run_time_dims.h"
#include "halo/eval/context/scalar_function.h"
#include "halo/eval/lanes/merge_sort.h"
#include "halo/eval/lanes/total_order.h"

namespace halo {

namespace {

// A comparator that only compares the two values of one operand.
struct PlainOrder {
  size_t operand = 0;
  bool descending = false;
  bool total = false;
};

std::optional<PlainOrder> FindPlainOrder(const OpContext& cx) {
  const Module& module = cx.module;
  const Inst& root = module.inst(module.comp(cx.computation()).root);
  if (root.opcode != Opcode::kCompare) return std::nullopt;
  const std::span<const InstId> operands = module.operands_of(root);
  const Inst& left = module.inst(operands[0]);
  const Inst& right = module.inst(operands[1]);
  if (left.opcode != Opcode::kParameter || right.opcode != Opcode::kParameter) return std::nullopt;
  const std::string_view direction = module.TextOr(root.attrs, AttrKey::k_direction);
  if (direction != "LT" && direction != "GT") return std::nullopt;
  if (left.extra / 2 != right.extra / 2 || left.extra == right.extra) return std::nullopt;
  PlainOrder order;
  order.operand = left.extra / 2;
  order.descending = (direction == "GT") != (left.extra > right.extra);
  const ElementType type = cx.array(order.operand).type();
  const LaneKind kind = LaneKindOf(type);
  if (kind == LaneKind::kComplex || type != module.shapes.type(left.shape)) return std::nullopt;
  order.total = kind != LaneKind::kFloat ||
                module.TextOr(root.attrs, AttrKey::k_type) == "TOTALORDER" ||
                module.TextOr(root.attrs, AttrKey::k_order) == "TOTAL";
  return order;
}

class Sorter {
 public:
  explicit Sorter(OpContext& cx) : cx_(cx), dims_(cx.array(0).dims()) {
    const size_t dim = static_cast<size_t>(cx.ints(AttrKey::k_dimensions)[0]);
    length_ = dims_[dim];
    for (size_t i = dim + 1; i < dims_.size(); ++i) stride_ *= dims_[i];
    lanes_.resize(cx.operands.size());
  }

  Result<Value> Run() {
    const int64_t total = cx_.array(0).count();
    const int64_t operands = static_cast<int64_t>(cx_.operands.size());
    if (auto over = cx_.CheckBudget(length_ * (16 * operands + 16))) return *std::move(over);
    for (const Value& operand : cx_.operands) {
      results_.push_back(cx_.Make(operand.array().type(), operand.array().dims()));
    }
    const std::optional<PlainOrder> plain = FindPlainOrder(cx_);
    std::optional<ScalarFunction> function;
    if (!plain) function.emplace(cx_, cx_.computation());
    for (int64_t row = 0; length_ > 0 && row < total / length_; ++row) {
      const int64_t base = row / stride_ * stride_ * length_ + row % stride_;
      if (auto over = cx_.Spend(length_)) return *std::move(over);
      rows_.resize(static_cast<size_t>(length_));
      std::iota(rows_.begin(), rows_.end(), 0);
      if (plain) {
        SortPlain(base, *plain);
      } else if (auto error = SortBy(base, *function)) {
        return *std::move(error);
      }
      Permute(base);
    }
    const ShapeTable& shapes = cx_.module.shapes;
    if (!shapes.is_tuple(cx_.shape())) return Value(std::move(results_[0]));
    // Programs of mixed precision may declare results of another type than the operands.
    for (size_t k = 0; k < results_.size(); ++k) {
      results_[k] = Converted(cx_, results_[k], shapes.type(cx_.shape(k)));
    }
    return Value::Tuple({results_.begin(), results_.end()});
  }

 private:
  uint8_t* Load(size_t operand, int64_t base) {
    const Array& array = cx_.array(operand);
    const size_t n = static_cast<size_t>(length_);
    lanes_[operand].resize(n * LaneSize(LaneKindOf(array.type())) / sizeof(uint64_t));
    LoadLanes(array.type(), array.bytes() + static_cast<size_t>(base) * array.element_bytes(),
              stride_, n, lanes_[operand].data());
    return reinterpret_cast<uint8_t*>(lanes_[operand].data());
  }

  template <class T>
  void SortKeys(const T* keys, bool descending) {
    if (descending) {
      MergeSort(rows_, scratch_, [=](int64_t a, int64_t b) { return keys[a] > keys[b]; });
    } else {
      MergeSort(rows_, scratch_, [=](int64_t a, int64_t b) { return keys[a] < keys[b]; });
    }
  }

  void SortPlain(int64_t base, const PlainOrder& order) {
    uint8_t* keys = Load(order.operand, base);
    if (!order.total) return SortKeys(reinterpret_cast<const double*>(keys), order.descending);
    ToTotalOrderKeys(LaneKindOf(cx_.array(order.operand).type()), rows_.size(), keys);
    SortKeys(reinterpret_cast<const int64_t*>(keys), order.descending);
  }

  std::optional<Diagnostic> SortBy(int64_t base, ScalarFunction& function) {
    std::vector<std::pair<const uint8_t*, size_t>> columns;
    for (size_t k = 0; k < lanes_.size(); ++k) {
      columns.emplace_back(Load(k, base), LaneSize(LaneKindOf(cx_.array(k).type())));
    }
    std::vector<const void*> arguments(2 * columns.size());
    std::optional<Diagnostic> error;
    const auto less = [&](int64_t a, int64_t b) {
      if (error) return false;
      for (size_t k = 0; k < columns.size(); ++k) {
        const auto [lanes, size] = columns[k];
        arguments[2 * k] = lanes + static_cast<size_t>(a) * size;
        arguments[2 * k + 1] = lanes + static_cast<size_t>(b) * size;
      }
      uint64_t before[2] = {0, 0};
      void* result[] = {before};
      error = function.Run(arguments, result, 1);
      return before[0] != 0;
    };
    MergeSort(rows_, scratch_, less);
    return error;
  }

  void Permute(int64_t base) {
    for (size_t k = 0; k < results_.size(); ++k) {
      const size_t bytes = results_[k].element_bytes();
      const size_t step = static_cast<size_t>(stride_) * bytes;
      const uint8_t* from = cx_.array(k).bytes() + static_cast<size_t>(base) * bytes;
      uint8_t* to = results_[k].MutableBytes() + static_cast<size_t>(base) * bytes;
      for (const int64_t row : rows_) {
        std::memcpy(to, from + static_cast<size_t>(row) * step, bytes);
        to += step;
      }
    }
  }

  OpContext& cx_;
  std::span<const int64_t> dims_;
  int64_t length_ = 0;
  int64_t stride_ = 1;
  std::vector<Array> results_;
  std::vector<std::vector<uint64_t>> lanes_;
  std::vector<int64_t> rows_, scratch_;
};

}  // namespace

Result<Value> EvalSort(OpContext& cx) {
  if (auto error = DemandSameDims(cx, 0, cx.operands.size())) return *std::move(error);
  return Sorter(cx).Run();
}

}  // namespace halo
