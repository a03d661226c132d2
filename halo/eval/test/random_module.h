// Generates small random modules for tests and fuzz targets: bytes or a seed decide which ops,
// shapes and attributes are used, on how many devices, and what the parameters hold.
#ifndef HALO_EVAL_TEST_RANDOM_MODULE_H_
#define HALO_EVAL_TEST_RANDOM_MODULE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo::random_module {

using Extents = std::vector<int64_t>;

// Decisions, read from the input and, once that is used up, from a generator seeded by it.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size) {
    for (size_t i = 0; i < size; ++i) state_ = state_ * 0x100000001B3ULL ^ data[i];
  }
  uint32_t Below(uint32_t limit) { return Next() % limit; }
  bool Chance(uint32_t one_in) { return Below(one_in) == 0; }
  template <class Items>
  auto& Pick(Items& items) {
    return items[Below(static_cast<uint32_t>(std::size(items)))];
  }
  uint32_t Next() {
    if (at_ < size_) return data_[at_++] * 0x9E3779B1U >> 7;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 24);
  }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
  uint64_t state_ = 0x243F6A8885A308D3ULL;
};

struct Made {
  std::string name, type;
  Extents dims;
  bool exact = true;  // every correct program computes exactly these bits
};

inline std::string List(const Extents& numbers) {
  std::string text;
  for (const int64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

inline std::string ShapeText(const std::string& type, const Extents& dims) {
  return type + "[" + List(dims) + "]";
}

inline bool IsFloat(const std::string& type) { return type[0] == 'f' || type[0] == 'b'; }
inline bool IsComplex(const std::string& type) { return type[0] == 'c'; }
inline bool IsInteger(const std::string& type) { return type[0] == 's' || type[0] == 'u'; }

inline constexpr std::array<const char*, 16> kTypes = {
    "f32", "f32", "f64", "bf16", "f16", "s32",    "s32",  "s8",
    "u32", "u64", "s64", "c64",  "s4",  "f8e5m2", "pred", "f8e4m3fn"};
inline constexpr std::array<const char*, 22> kFloatOps = {"exponential", "log",
                                                          "tanh",        "sine",
                                                          "sqrt",        "rsqrt",
                                                          "logistic",    "floor",
                                                          "ceil",        "erf",
                                                          "cbrt",        "tan",
                                                          "abs",         "negate",
                                                          "sign",        "log-plus-one",
                                                          "acos",        "sinh",
                                                          "acosh",       "atanh",
                                                          "cosine",      "round-nearest-even"};
inline constexpr std::array<const char*, 6> kIntOps = {
    "negate", "not", "popcnt", "count-leading-zeros", "abs", "sign"};
inline constexpr std::array<const char*, 9> kFloatPairs = {
    "add", "subtract", "multiply", "divide", "power", "remainder", "maximum", "minimum", "atan2"};
inline constexpr std::array<const char*, 12> kIntPairs = {"add",
                                                          "subtract",
                                                          "multiply",
                                                          "divide",
                                                          "remainder",
                                                          "power",
                                                          "maximum",
                                                          "and",
                                                          "or",
                                                          "shift-left",
                                                          "shift-right-arithmetic",
                                                          "shift-right-logical"};
inline constexpr std::array<const char*, 6> kDirections = {"EQ", "NE", "GE", "GT", "LE", "LT"};

struct RandomModuleOptions {
  uint32_t max_dim = 4;
  uint32_t max_ops = 8;
  uint32_t max_replicas = 2;
  uint32_t max_results = 1;    // if more: any number of the values generated
  bool makes_mistakes = true;  // occasionally inserts a wrong number
  // Values that depend on the order of a sum or on a function's last bit are only moved from there
  // on: a difference of one ulp must not decide a comparison or overflow an exponential.
  bool is_comparable = false;
};

class ModuleMaker {
 public:
  explicit ModuleMaker(Choices& choices, const RandomModuleOptions& options = {})
      : choices_(choices), options_(options) {}

  std::string Make() {
    replicas_ = options_.max_replicas > 1 && choices_.Chance(4) ? 2 : 1;
    const uint32_t parameters = 1 + choices_.Below(3);
    for (uint32_t i = 0; i < parameters; ++i) {
      const std::string type = choices_.Pick(kTypes);
      Add(type, RandomDims(), "parameter(" + std::to_string(i) + ")");
    }
    const uint32_t count = 1 + choices_.Below(options_.max_ops);
    for (uint32_t i = 0; i < count; ++i) AddOp();
    if (options_.makes_mistakes && choices_.Chance(12)) ChangeNumber();
    std::string header = "HloModule m";
    if (replicas_ != 1) header += ", replica_count=2";
    return header + "\n" + comps_ + "ENTRY e {\n" + body_ + Root() + "}\n";
  }

 private:
  // Returns the last value and, if more results are wanted, some of the others.
  std::string Root() {
    std::string shapes;
    std::string names;
    for (size_t i = made_.size(); i-- > 0;) {
      if (i + 1 < made_.size() && (options_.max_results == 1 || !choices_.Chance(3))) continue;
      shapes += (shapes.empty() ? "" : ", ") + ShapeText(made_[i].type, made_[i].dims);
      names += (names.empty() ? "" : ", ") + made_[i].name;
    }
    return "  ROOT out = (" + shapes + ") tuple(" + names + ")\n";
  }

  Extents RandomDims() {
    Extents dims(choices_.Below(4));
    for (int64_t& dim : dims) dim = choices_.Chance(16) ? 0 : 1 + choices_.Below(options_.max_dim);
    return dims;
  }

  const Made& Any() {
    for (uint32_t tries = 0; tries < 8; ++tries) {
      const Made& made = choices_.Pick(made_);
      if (made.exact || !options_.is_comparable || is_moving_) {
        is_inexact_ |= !made.exact;
        return made;
      }
    }
    return made_.front();
  }

  Made Add(const std::string& type, const Extents& dims, const std::string& op) {
    Made made = {"v" + std::to_string(made_.size()), type, dims, !is_inexact_};
    body_ += "  " + made.name + " = " + ShapeText(type, dims) + " " + op + "\n";
    made_.push_back(made);
    return made;
  }

  // Returns another value of the same shape if one is found, else the value itself.
  std::string Like(const Made& wanted) {
    for (uint32_t tries = 0; tries < 3; ++tries) {
      const Made& other = Any();
      if (other.type != wanted.type || other.dims != wanted.dims) continue;
      if (other.exact || !options_.is_comparable || is_moving_) return other.name;
    }
    return wanted.name;
  }

  std::string Scalar(const std::string& type) {
    const std::string value = type == "pred"    ? (choices_.Chance(2) ? "true" : "false")
                              : IsComplex(type) ? "(1, -2)"
                                                : std::to_string(choices_.Below(7));
    return Add(type, {}, "constant(" + value + ")").name;
  }

  std::string Fold(const std::string& type, const char* op) {
    const std::string name = "fold" + std::to_string(computations_++);
    comps_ += name + " {\n  a = " + type + "[] parameter(0)\n  b = " + type +
              "[] parameter(1)\n  ROOT c = " + type + "[] " + op + "(a, b)\n}\n";
    return name;
  }

  const char* FoldOp(const std::string& type) {
    if (type == "pred") return choices_.Chance(2) ? "and" : "or";
    if (IsComplex(type)) {
      Approximate(type);
      return "add";
    }
    static constexpr std::array<const char*, 4> kOps = {"add", "maximum", "minimum", "multiply"};
    const char* op = choices_.Pick(kOps);
    // Products of many floats overflow in one order and not in another.
    if (options_.is_comparable && IsFloat(type) && op == kOps[3]) op = kOps[0];
    if (op == kOps[0]) Approximate(type);
    return op;
  }

  void AddOp() {
    using Method = void (ModuleMaker::*)();
    static constexpr std::array<Method, 38> kMethods = {&ModuleMaker::Unary,
                                                        &ModuleMaker::Unary,
                                                        &ModuleMaker::Binary,
                                                        &ModuleMaker::Binary,
                                                        &ModuleMaker::Compare,
                                                        &ModuleMaker::Select,
                                                        &ModuleMaker::Convert,
                                                        &ModuleMaker::Broadcast,
                                                        &ModuleMaker::Reshape,
                                                        &ModuleMaker::Transpose,
                                                        &ModuleMaker::Reverse,
                                                        &ModuleMaker::Slice,
                                                        &ModuleMaker::DynamicSlice,
                                                        &ModuleMaker::DynamicUpdate,
                                                        &ModuleMaker::Pad,
                                                        &ModuleMaker::Concatenate,
                                                        &ModuleMaker::Dot,
                                                        &ModuleMaker::Reduce,
                                                        &ModuleMaker::ReduceWindow,
                                                        &ModuleMaker::Sort,
                                                        &ModuleMaker::Gather,
                                                        &ModuleMaker::Scatter,
                                                        &ModuleMaker::Map,
                                                        &ModuleMaker::While,
                                                        &ModuleMaker::Conditional,
                                                        &ModuleMaker::Call,
                                                        &ModuleMaker::Iota,
                                                        &ModuleMaker::Collective,
                                                        &ModuleMaker::Random,
                                                        &ModuleMaker::Fft,
                                                        &ModuleMaker::Solve,
                                                        &ModuleMaker::Convolution,
                                                        &ModuleMaker::Clamp,
                                                        &ModuleMaker::Bitcast,
                                                        &ModuleMaker::Dimension,
                                                        &ModuleMaker::TopK,
                                                        &ModuleMaker::SelectAndScatter,
                                                        &ModuleMaker::ReducePrecision};
    static constexpr std::array<Method, 10> kMoving = {
        &ModuleMaker::Broadcast,     &ModuleMaker::Reshape, &ModuleMaker::Transpose,
        &ModuleMaker::Reverse,       &ModuleMaker::Slice,   &ModuleMaker::DynamicSlice,
        &ModuleMaker::DynamicUpdate, &ModuleMaker::Pad,     &ModuleMaker::Concatenate,
        &ModuleMaker::Call};
    const Method method = choices_.Pick(kMethods);
    is_moving_ = std::find(kMoving.begin(), kMoving.end(), method) != kMoving.end();
    is_inexact_ = false;
    (this->*method)();
  }

  // Marks a float result as dependent on how it is computed.
  void Approximate(const std::string& type) { is_inexact_ |= IsFloat(type) || IsComplex(type); }

  static bool IsExactOp(std::string_view op) {
    return op == "sqrt" || op == "floor" || op == "ceil" || op == "abs" || op == "negate" ||
           op == "sign" || op == "round-nearest-even";
  }

  void Unary() {
    const Made from = Any();
    if (from.type == "pred") return void(Add("pred", from.dims, "not(" + from.name + ")"));
    if (IsComplex(from.type)) {
      Approximate(from.type);
      if (choices_.Chance(3)) return void(Add("f32", from.dims, "abs(" + from.name + ")"));
      return void(
          Add(from.type, from.dims, std::string(choices_.Pick(kFloatOps)) + "(" + from.name + ")"));
    }
    const char* op = IsFloat(from.type) ? choices_.Pick(kFloatOps) : choices_.Pick(kIntOps);
    if (from.type[0] == 'u' && std::string_view(op) == "abs") op = "not";
    if (!IsExactOp(op)) Approximate(from.type);
    Add(from.type, from.dims, std::string(op) + "(" + from.name + ")");
  }

  void Binary() {
    const Made from = Any();
    const std::string other = Like(from);
    const char* op = "xor";
    if (IsFloat(from.type)) op = choices_.Pick(kFloatPairs);
    if (IsInteger(from.type)) op = choices_.Pick(kIntPairs);
    if (IsComplex(from.type)) op = choices_.Chance(2) ? "divide" : "power";
    const std::string_view chosen = op;
    if (IsComplex(from.type) || chosen == "power" || chosen == "atan2") Approximate(from.type);
    Add(from.type, from.dims, std::string(op) + "(" + from.name + ", " + other + ")");
  }

  void Compare() {
    const Made from = Any();
    const char* direction = IsComplex(from.type) ? "NE" : choices_.Pick(kDirections);
    Add("pred", from.dims,
        "compare(" + from.name + ", " + Like(from) + "), direction=" + direction);
  }

  void Select() {
    const Made from = Any();
    const Made which =
        Add("pred", from.dims, "compare(" + from.name + ", " + Like(from) + "), direction=EQ");
    Add(from.type, from.dims, "select(" + which.name + ", " + from.name + ", " + Like(from) + ")");
  }

  void Clamp() {
    const Made from = Any();
    if (IsComplex(from.type) || from.type == "pred") return;
    const std::string low = Scalar(from.type);
    const std::string high = Scalar(from.type);
    Add(from.type, from.dims, "clamp(" + low + ", " + from.name + ", " + high + ")");
  }

  void ReducePrecision() {
    const Made from = Any();
    if (!IsFloat(from.type)) return;
    Add(from.type, from.dims,
        "reduce-precision(" + from.name +
            "), exponent_bits=" + std::to_string(1 + choices_.Below(12)) +
            ", mantissa_bits=" + std::to_string(choices_.Below(54)));
  }

  void Convert() {
    const Made from = Any();
    const std::string type = IsComplex(from.type) ? "c128" : choices_.Pick(kTypes);
    Add(type, from.dims, "convert(" + from.name + ")");
  }

  // Which bits a NaN has is left open. The instructions are not offered as operands of others.
  std::string WithoutNaNs(const Made& from) {
    const std::string number = std::to_string(made_.size());
    const std::string shape = ShapeText(from.type, from.dims);
    body_ += "  zero" + number + " = " + from.type + "[] constant(0)\n";
    body_ += "  zeros" + number + " = " + shape + " broadcast(zero" + number + "), dimensions={}\n";
    body_ += "  known" + number + " = " + ShapeText("pred", from.dims) + " compare(" + from.name +
             ", " + from.name + "), direction=EQ\n";
    body_ += "  number" + number + " = " + shape + " select(known" + number + ", " + from.name +
             ", zeros" + number + ")\n";
    return "number" + number;
  }

  void Bitcast() {
    const Made from = Any();
    // As an integer, a difference of one ulp is a difference.
    if (options_.is_comparable && !from.exact) return;
    if (from.type == "f32") {
      Add("s32", from.dims, "bitcast-convert(" + WithoutNaNs(from) + ")");
    } else if (from.type == "u32" || from.type == "s32") {
      Add("f32", from.dims, "bitcast-convert(" + from.name + ")");
    } else if (from.type == "u64" || from.type == "s64") {
      Extents dims = from.dims;
      dims.push_back(2);
      Add("u32", dims, "bitcast-convert(" + from.name + ")");
    } else {
      Add(from.type, from.dims, "copy(" + from.name + ")");
    }
  }

  void Broadcast() {
    const Made from = Any();
    if (from.dims.size() > 3) return;
    Extents dims = from.dims;
    const size_t at = choices_.Below(static_cast<uint32_t>(dims.size() + 1));
    dims.insert(dims.begin() + static_cast<ptrdiff_t>(at), 1 + choices_.Below(4));
    Extents mapped;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i != at) mapped.push_back(static_cast<int64_t>(i));
    }
    Add(from.type, dims, "broadcast(" + from.name + "), dimensions={" + List(mapped) + "}");
  }

  void Reshape() {
    const Made from = Any();
    int64_t count = 1;
    for (const int64_t dim : from.dims) count *= dim;
    Extents dims = {count};
    if (count % 2 == 0 && count != 0) dims = {2, count / 2};
    Add(from.type, dims, "reshape(" + from.name + ")");
  }

  void Transpose() {
    const Made from = Any();
    Extents order;
    for (size_t i = 0; i < from.dims.size(); ++i) order.push_back(static_cast<int64_t>(i));
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[choices_.Below(static_cast<uint32_t>(i))]);
    }
    Extents dims;
    for (const int64_t source : order) dims.push_back(from.dims[static_cast<size_t>(source)]);
    Add(from.type, dims, "transpose(" + from.name + "), dimensions={" + List(order) + "}");
  }

  void Reverse() {
    const Made from = Any();
    if (from.dims.empty()) return;
    const auto dim = static_cast<int64_t>(choices_.Below(static_cast<uint32_t>(from.dims.size())));
    Add(from.type, from.dims, "reverse(" + from.name + "), dimensions={" + List({dim}) + "}");
  }

  void Slice() {
    const Made from = Any();
    Extents dims;
    std::string bounds;
    for (const int64_t dim : from.dims) {
      const int64_t low = choices_.Below(static_cast<uint32_t>(dim + 1));
      const int64_t high = low + choices_.Below(static_cast<uint32_t>(dim - low + 1));
      const int64_t step = 1 + choices_.Below(3);
      dims.push_back((high - low + step - 1) / step);
      bounds += (bounds.empty() ? "[" : ", [") + std::to_string(low) + ":" + std::to_string(high) +
                ":" + std::to_string(step) + "]";
    }
    Add(from.type, dims, "slice(" + from.name + "), slice={" + bounds + "}");
  }

  std::string Starts(size_t rank) {
    static constexpr std::array<const char*, 4> kIndex = {"s32", "s64", "u32", "s8"};
    const std::string type = choices_.Pick(kIndex);
    std::string text;
    for (size_t i = 0; i < rank; ++i) {
      const std::string value =
          choices_.Chance(4) && type[0] == 's' ? "-3" : std::to_string(choices_.Below(9));
      text += ", " + Add(type, {}, "constant(" + value + ")").name;
    }
    return text;
  }

  void DynamicSlice() {
    const Made from = Any();
    Extents sizes;
    for (const int64_t dim : from.dims)
      sizes.push_back(choices_.Below(static_cast<uint32_t>(dim + 1)));
    const std::string starts = Starts(from.dims.size());
    Add(from.type, sizes,
        "dynamic-slice(" + from.name + starts + "), dynamic_slice_sizes={" + List(sizes) + "}");
  }

  void DynamicUpdate() {
    const Made from = Any();
    const Made update = Any();
    if (update.type != from.type || update.dims.size() != from.dims.size()) return;
    for (size_t i = 0; i < from.dims.size(); ++i) {
      if (update.dims[i] > from.dims[i]) return;
    }
    const std::string starts = Starts(from.dims.size());
    Add(from.type, from.dims,
        "dynamic-update-slice(" + from.name + ", " + update.name + starts + ")");
  }

  void Pad() {
    const Made from = Any();
    if (from.dims.empty()) return;
    const std::string value = Scalar(from.type);
    Extents dims;
    std::string config;
    for (const int64_t dim : from.dims) {
      int64_t low = static_cast<int64_t>(choices_.Below(5)) - 2;
      const int64_t high = static_cast<int64_t>(choices_.Below(5)) - 2;
      const int64_t interior = choices_.Below(3);
      const int64_t spread = dim == 0 ? 0 : (dim - 1) * (interior + 1) + 1;
      if (spread + low + high < 0) low = -spread - high + 1;
      dims.push_back(spread + low + high);
      config += (config.empty() ? "" : "x") + std::to_string(low) + "_" + std::to_string(high) +
                "_" + std::to_string(interior);
    }
    Add(from.type, dims, "pad(" + from.name + ", " + value + "), padding=" + config);
  }

  void Concatenate() {
    const Made from = Any();
    if (from.dims.empty()) return;
    const auto along = choices_.Below(static_cast<uint32_t>(from.dims.size()));
    Extents dims = from.dims;
    dims[along] *= 2;
    Add(from.type, dims,
        "concatenate(" + from.name + ", " + Like(from) + "), dimensions={" + std::to_string(along) +
            "}");
  }

  void Iota() {
    Extents dims = RandomDims();
    if (dims.empty()) dims = {3};
    std::string type = choices_.Pick(kTypes);
    if (type == "pred") type = "s32";
    Add(type, dims,
        "iota(), iota_dimension=" +
            std::to_string(choices_.Below(static_cast<uint32_t>(dims.size()))));
  }

  void Dot() {
    const Made from = Any();
    Approximate(from.type);
    if (from.dims.size() < 2 || from.type == "pred" || from.type == "s4") return;
    // Multiplied by its own transpose: [.., m, k] x [.., k, m].
    const auto rank = static_cast<int64_t>(from.dims.size());
    Extents batch;
    Extents dims;
    for (int64_t i = 0; i + 2 < rank; ++i) {
      batch.push_back(i);
      dims.push_back(from.dims[static_cast<size_t>(i)]);
    }
    const int64_t contracted = choices_.Chance(2) ? rank - 1 : rank - 2;
    const int64_t kept =
        from.dims[static_cast<size_t>(contracted == rank - 1 ? rank - 2 : rank - 1)];
    dims.push_back(kept);
    dims.push_back(kept);
    std::string op = "dot(" + from.name + ", " + Like(from) + ")";
    if (!batch.empty())
      op += ", lhs_batch_dims={" + List(batch) + "}, rhs_batch_dims={" + List(batch) + "}";
    op += ", lhs_contracting_dims={" + List({contracted}) + "}, rhs_contracting_dims={" +
          List({contracted}) + "}";
    Add(from.type, dims, op);
  }

  void Reduce() {
    const Made from = Any();
    const std::string fold = Fold(from.type, FoldOp(from.type));
    const std::string init = Scalar(from.type);
    Extents along;
    Extents dims;
    for (size_t i = 0; i < from.dims.size(); ++i) {
      if (choices_.Chance(2)) {
        along.push_back(static_cast<int64_t>(i));
      } else {
        dims.push_back(from.dims[i]);
      }
    }
    Add(from.type, dims,
        "reduce(" + from.name + ", " + init + "), dimensions={" + List(along) +
            "}, to_apply=" + fold);
  }

  void ReduceWindow() {
    const Made from = Any();
    if (from.dims.empty()) return;
    const std::string fold = Fold(from.type, FoldOp(from.type));
    const std::string init = Scalar(from.type);
    Extents dims;
    std::string size;
    std::string stride;
    std::string pad;
    std::string base;
    std::string wide;
    for (const int64_t dim : from.dims) {
      const int64_t window = 1 + choices_.Below(3);
      const int64_t step = 1 + choices_.Below(2);
      const int64_t low = choices_.Below(3);
      const int64_t lhs = 1 + choices_.Below(2);
      const int64_t rhs = 1 + choices_.Below(2);
      const int64_t whole = (dim == 0 ? 0 : (dim - 1) * lhs + 1) + low;
      const int64_t reach = (window - 1) * rhs + 1;
      dims.push_back(whole < reach ? 0 : (whole - reach) / step + 1);
      const char* x = size.empty() ? "" : "x";
      size += x + std::to_string(window);
      stride += x + std::to_string(step);
      pad += x + std::to_string(low) + "_0";
      base += x + std::to_string(lhs);
      wide += x + std::to_string(rhs);
    }
    Add(from.type, dims,
        "reduce-window(" + from.name + ", " + init + "), window={size=" + size +
            " stride=" + stride + " pad=" + pad + " lhs_dilate=" + base + " rhs_dilate=" + wide +
            "}, to_apply=" + fold);
  }

  void SelectAndScatter() {
    const Made from = Any();
    if (from.dims.size() != 1 || from.dims[0] < 2 || IsComplex(from.type)) return;
    const std::string fold = Fold(from.type, FoldOp(from.type));
    const std::string pick = "pick" + std::to_string(computations_++);
    comps_ += pick + " {\n  a = " + from.type + "[] parameter(0)\n  b = " + from.type +
              "[] parameter(1)\n  ROOT c = pred[] compare(a, b), direction=" +
              choices_.Pick(kDirections) + "\n}\n";
    const std::string init = Scalar(from.type);
    const Extents dims = {(from.dims[0] - 2) / 1 + 1};
    const Made source =
        Add(from.type, dims, "slice(" + from.name + "), slice={[0:" + List(dims) + "]}");
    Add(from.type, from.dims,
        "select-and-scatter(" + from.name + ", " + source.name + ", " + init +
            "), window={size=2}, select=" + pick + ", scatter=" + fold);
  }

  void Sort() {
    const Made from = Any();
    if (from.dims.empty() || IsComplex(from.type)) return;
    const std::string less = "less" + std::to_string(computations_++);
    comps_ += less + " {\n  a = " + from.type + "[] parameter(0)\n  b = " + from.type +
              "[] parameter(1)\n  ROOT c = pred[] compare(a, b), direction=" +
              choices_.Pick(kDirections) + "\n}\n";
    Add(from.type, from.dims,
        "sort(" + from.name + "), dimensions={" +
            std::to_string(choices_.Below(static_cast<uint32_t>(from.dims.size()))) +
            "}, is_stable=true, to_apply=" + less);
  }

  void TopK() {
    const Made from = Any();
    if (from.dims.empty() || from.dims.back() < 1 || IsComplex(from.type) || from.type == "pred")
      return;
    Extents dims = from.dims;
    dims.back() = 1 + choices_.Below(static_cast<uint32_t>(dims.back()));
    const std::string name = "t" + std::to_string(made_.size());
    body_ += "  " + name + " = (" + ShapeText(from.type, dims) + ", " + ShapeText("s32", dims) +
             ") topk(" + from.name + "), k=" + std::to_string(dims.back()) + ", largest=true\n";
    Add("s32", dims, "get-tuple-element(" + name + "), index=1");
  }

  void Gather() {
    const Made from = Any();
    if (from.dims.empty()) return;
    const Made indices =
        Add("s32", {2, 1}, "iota(), iota_dimension=" + std::to_string(choices_.Below(2)));
    Extents sizes;
    Extents dims = {2};
    Extents offsets;
    for (size_t i = 0; i < from.dims.size(); ++i) {
      sizes.push_back(std::min<int64_t>(from.dims[i], 1 + choices_.Below(3)));
      offsets.push_back(static_cast<int64_t>(i + 1));
      dims.push_back(sizes.back());
    }
    Add(from.type, dims,
        "gather(" + from.name + ", " + indices.name + "), offset_dims={" + List(offsets) +
            "}, collapsed_slice_dims={}, start_index_map={" +
            std::to_string(choices_.Below(static_cast<uint32_t>(from.dims.size()))) +
            "}, index_vector_dim=1, slice_sizes={" + List(sizes) + "}");
  }

  void Scatter() {
    const Made from = Any();
    if (from.dims.size() != 1) return;
    const std::string fold = Fold(from.type, FoldOp(from.type));
    const Made indices = Add("s32", {from.dims[0], 1}, "iota(), iota_dimension=0");
    Add(from.type, from.dims,
        "scatter(" + from.name + ", " + indices.name + ", " + Like(from) +
            "), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
            "index_vector_dim=1, to_apply=" +
            fold);
  }

  void Map() {
    const Made from = Any();
    const std::string fold = Fold(from.type, FoldOp(from.type));
    Extents all;
    for (size_t i = 0; i < from.dims.size(); ++i) all.push_back(static_cast<int64_t>(i));
    Add(from.type, from.dims,
        "map(" + from.name + ", " + Like(from) + "), dimensions={" + List(all) +
            "}, to_apply=" + fold);
  }

  void While() {
    const Made from = Any();
    const std::string shape = ShapeText(from.type, from.dims);
    const std::string number = std::to_string(computations_++);
    const std::string state = "(s32[], " + shape + ")";
    comps_ += "cond" + number + " {\n  s = " + state +
              " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(" +
              std::to_string(choices_.Below(5)) + ")\n  ROOT c = pred[] compare(i, n), direction=" +
              (choices_.Chance(9) ? "NE" : "LT") + "\n}\n";
    comps_ += "body" + number + " {\n  s = " + state +
              " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  k = s32[] constant(1)\n"
              "  j = s32[] add(i, k)\n  x = " +
              shape + " get-tuple-element(s), index=1\n  y = " + shape + " " +
              (from.type == "pred" ? "or" : "add") + "(x, x)\n  ROOT t = " + state +
              " tuple(j, y)\n}\n";
    const std::string start = Scalar("s32");
    const std::string loop = "w" + number;
    body_ += "  " + loop + "s = " + state + " tuple(" + start + ", " + from.name + ")\n  " + loop +
             " = " + state + " while(" + loop + "s), condition=cond" + number + ", body=body" +
             number + "\n";
    Add(from.type, from.dims, "get-tuple-element(" + loop + "), index=1");
  }

  void Conditional() {
    const Made from = Any();
    const std::string shape = ShapeText(from.type, from.dims);
    const std::string number = std::to_string(computations_++);
    comps_ += "yes" + number + " {\n  ROOT x = " + shape + " parameter(0)\n}\n";
    comps_ += "no" + number + " {\n  x = " + shape + " parameter(0)\n  ROOT y = " + shape +
              " copy(x)\n}\n";
    const std::string which = Scalar("s32");
    Add(from.type, from.dims,
        "conditional(" + which + ", " + from.name + ", " + Like(from) +
            "), branch_computations={yes" + number + ", no" + number + "}");
  }

  void Call() {
    const Made from = Any();
    const std::string shape = ShapeText(from.type, from.dims);
    const std::string name = "f" + std::to_string(computations_++);
    comps_ += name + " {\n  x = " + shape + " parameter(0)\n  ROOT y = " + shape + " copy(x)\n}\n";
    Add(from.type, from.dims,
        choices_.Chance(2) ? "call(" + from.name + "), to_apply=" + name
                           : "fusion(" + from.name + "), kind=kLoop, calls=" + name);
  }

  void Collective() {
    const Made from = Any();
    const std::string groups = replicas_ == 2 && choices_.Chance(2) ? "{{0,1}}" : "{}";
    switch (choices_.Below(3)) {
      case 0: {
        const std::string fold = Fold(from.type, FoldOp(from.type));
        Add(from.type, from.dims,
            "all-reduce(" + from.name + "), replica_groups=" + groups + ", to_apply=" + fold);
        return;
      }
      case 1:
        Add(from.type, from.dims,
            "collective-permute(" + from.name + "), source_target_pairs={{0," +
                std::to_string(replicas_ - 1) + "}}");
        return;
      default: {
        if (from.dims.empty()) return;
        Extents dims = from.dims;
        dims[0] *= replicas_;
        Add(from.type, dims,
            "all-gather(" + from.name + "), replica_groups=" + groups + ", dimensions={0}");
      }
    }
  }

  void Random() {
    const std::string name = "g" + std::to_string(made_.size());
    static constexpr std::array<const char*, 3> kHow = {"rng_three_fry", "rng_philox",
                                                        "rng_default"};
    const Extents dims = RandomDims();
    const std::string type = choices_.Chance(2) ? "u32" : "u64";
    const Made state = Add("u64", {2}, "iota(), iota_dimension=0");
    body_ += "  " + name + " = (u64[2], " + ShapeText(type, dims) + ") rng-bit-generator(" +
             state.name + "), algorithm=" + choices_.Pick(kHow) + "\n";
    Add(type, dims, "get-tuple-element(" + name + "), index=1");
  }

  void Fft() {
    const Made from = Any();
    Approximate(from.type);
    if (from.type != "c64" || from.dims.empty()) return;
    Add("c64", from.dims,
        std::string("fft(") + from.name + "), fft_type=" + (choices_.Chance(2) ? "FFT" : "IFFT") +
            ", fft_length={" + std::to_string(from.dims.back()) + "}");
  }

  void Solve() {
    const Made from = Any();
    Approximate(from.type);
    const size_t rank = from.dims.size();
    if (rank < 2 || from.dims[rank - 1] != from.dims[rank - 2]) return;
    if (from.type != "f32" && from.type != "f64" && from.type != "c64") return;
    // The error of solving with random numbers doubles with each row in any implementation.
    if (options_.is_comparable && from.dims[rank - 1] > 8) return;
    if (choices_.Chance(2)) {
      const std::string matrix = options_.is_comparable ? Definite(from) : from.name;
      Add(from.type, from.dims, "cholesky(" + matrix + "), lower=true");
    } else {
      Add(from.type, from.dims,
          "triangular-solve(" + from.name + ", " + Like(from) +
              "), left_side=true, lower=true, unit_diagonal=false, "
              "transpose_a=TRANSPOSE");
    }
  }

  // A matrix that clearly has a Cholesky factor or clearly has none: whether a nearly singular one
  // has is decided by rounding. Its elements are below 1 apart from the diagonal.
  std::string Definite(const Made& from) {
    const bool is_complex = IsComplex(from.type);
    const std::string real = is_complex ? "f32" : from.type;
    const auto filled = [&](const std::string& type, const std::string& value) {
      const Made scalar = Add(type, {}, "constant(" + value + ")");
      return Add(type, from.dims, "broadcast(" + scalar.name + "), dimensions={}").name;
    };
    const auto iota = [&](size_t dim) {
      return Add("s32", from.dims, "iota(), iota_dimension=" + std::to_string(dim)).name;
    };
    std::string size = Add(real, from.dims, "abs(" + from.name + ")").name;
    size = Add(real, from.dims, "add(" + size + ", " + filled(real, "1") + ")").name;
    if (is_complex) {
      size = Add(from.type, from.dims, "complex(" + size + ", " + filled(real, "0") + ")").name;
    }
    const Made small = Add(from.type, from.dims, "divide(" + from.name + ", " + size + ")");
    const size_t rank = from.dims.size();
    const Made on_diagonal = Add(
        "pred", from.dims, "compare(" + iota(rank - 2) + ", " + iota(rank - 1) + "), direction=EQ");
    const std::string shift = choices_.Chance(4) ? "-20" : "20";
    const Made diagonal = Add(from.type, from.dims,
                              "select(" + on_diagonal.name + ", " +
                                  filled(from.type, is_complex ? "(" + shift + ", 0)" : shift) +
                                  ", " + filled(from.type, is_complex ? "(0, 0)" : "0") + ")");
    return Add(from.type, from.dims, "add(" + small.name + ", " + diagonal.name + ")").name;
  }

  void Convolution() {
    const Made from = Any();
    Approximate(from.type);
    if (from.dims.size() != 3 || from.type == "pred" || from.type == "s4") return;
    // Convolves [b, 0, f] with its own transpose as the kernel [o, 0, i].
    const int64_t reach = from.dims[1];
    const int64_t pad = choices_.Below(3);
    const Extents dims = {from.dims[0], reach == 0 ? 0 : 2 * pad + 1, from.dims[0]};
    Add(from.type, dims,
        "convolution(" + from.name + ", " + Like(from) +
            "), window={size=" + std::to_string(reach) + " pad=" + std::to_string(pad) + "_" +
            std::to_string(pad) + "}, dim_labels=b0f_o0i->b0f");
  }

  void Dimension() {
    const Made from = Any();
    if (from.dims.empty()) return;
    Add("s32", {},
        "get-dimension-size(" + from.name + "), dimensions={" +
            std::to_string(choices_.Below(static_cast<uint32_t>(from.dims.size()))) + "}");
  }

  // Changes one digit of an attribute or shape, anywhere.
  void ChangeNumber() {
    std::vector<size_t> digits;
    for (size_t i = 0; i < body_.size(); ++i) {
      if (body_[i] >= '0' && body_[i] <= '9' && i > 0 && body_[i - 1] != 'v') digits.push_back(i);
    }
    if (!digits.empty()) body_[choices_.Pick(digits)] = static_cast<char>('0' + choices_.Below(10));
  }

  Choices& choices_;
  RandomModuleOptions options_;
  std::string comps_, body_;
  std::vector<Made> made_;
  int computations_ = 0;
  int replicas_ = 1;
  bool is_moving_ = false;   // the current op only moves elements
  bool is_inexact_ = false;  // the current op's result is inexact
};

// Returns arguments of arbitrary bits.
inline std::vector<Value> ArgumentsOf(const Module& module, Choices& choices) {
  const Computation& entry = module.comp(module.entry);
  std::vector<Value> arguments;
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Inst& inst = module.inst(InstId(entry.first + i));
    if (inst.opcode != Opcode::kParameter) continue;
    if (arguments.size() <= inst.extra) arguments.resize(inst.extra + 1);
    Array array(module.shapes.type(inst.shape), module.shapes.dims(inst.shape));
    for (uint8_t& byte : array.Mutable<uint8_t>()) byte = static_cast<uint8_t>(choices.Next());
    arguments[inst.extra] = std::move(array);
  }
  return arguments;
}

}  // namespace halo::random_module

#endif  // HALO_EVAL_TEST_RANDOM_MODULE_H_
