// Generates modules full of collectives from a seed: every kind, form and group notation, over many
// element types. The evaluator supplies the expected results.
#ifndef HALO_DEVICES_TEST_RANDOM_COLLECTIVES_H_
#define HALO_DEVICES_TEST_RANDOM_COLLECTIVES_H_

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace halo::test {

class RandomCollectives {
 public:
  RandomCollectives(unsigned seed, int devices) : random_(seed), devices_(devices) {}

  // Every parameter is an operand of one collective; the root is a tuple of all results.
  std::string Module(int count) {
    replicas_ = devices_ % 2 == 0 ? Pick({1, 2, devices_}) : Pick({1, devices_});
    for (int i = 0; i < count; ++i) AddOne(i);
    const std::string head = "HloModule random, replica_count=" + std::to_string(replicas_) +
                             ", num_partitions=" + std::to_string(devices_ / replicas_) + "\n\n";
    std::string root = "  ROOT all = (";
    for (size_t i = 0; i < shapes_.size(); ++i) root += (i > 0 ? ", " : "") + shapes_[i];
    root += ") tuple(";
    for (size_t i = 0; i < names_.size(); ++i) root += (i > 0 ? ", " : "") + names_[i];
    return head + computations_ + "ENTRY main {\n" + body_ + root + ")\n}\n";
  }

 private:
  int Pick(std::vector<int> from) {
    return from[std::uniform_int_distribution<size_t>(0, from.size() - 1)(random_)];
  }
  std::string PickText(std::vector<std::string> from) {
    return from[std::uniform_int_distribution<size_t>(0, from.size() - 1)(random_)];
  }

  std::string Parameter(const std::string& shape) {
    const std::string name = "p" + std::to_string(parameters_);
    body_ += "  " + name + " = " + shape + " parameter(" + std::to_string(parameters_++) + ")\n";
    return name;
  }
  void Result(const std::string& shape, const std::string& name) {
    shapes_.push_back(shape);
    names_.push_back(name);
  }

  // Groups of `size` out of `count` ids, in one of the notations.
  std::string Groups(int count, int size) {
    const int groups = count / size;
    const std::string dims = "[" + std::to_string(groups) + "," + std::to_string(size) + "]<=";
    switch (Pick({0, 1, 2})) {
      case 0: return dims + "[" + std::to_string(count) + "]";
      case 1: return dims + "[" + std::to_string(size) + "," + std::to_string(groups) + "]T(1,0)";
      default: break;
    }
    std::vector<int> ids;
    for (int i = 0; i < count; ++i) ids.push_back(i);
    std::shuffle(ids.begin(), ids.end(), random_);
    std::string text = "{";
    for (int g = 0; g < groups; ++g) {
      text += g > 0 ? ",{" : "{";
      for (int i = 0; i < size; ++i) {
        text +=
            (i > 0 ? "," : "") +
            std::to_string(
                ids[static_cast<size_t>(g) * static_cast<size_t>(size) + static_cast<size_t>(i)]);
      }
      text += "}";
    }
    return text + "}";
  }

  // Attributes that specify groups; sets `members` to the resulting number of devices per group.
  std::string GroupAttributes(bool global_ids, int* members) {
    const int partitions = devices_ / replicas_;
    const std::string channel = ", channel_id=" + std::to_string(++channel_);
    const auto divisor = [&](int n) { return n % 2 == 0 ? Pick({n, n / 2, 2, n}) : n; };
    if (global_ids && Pick({0, 1}) == 1) {
      *members = divisor(devices_);
      return channel + ", replica_groups=" + Groups(devices_, *members) +
             ", use_global_device_ids=true";
    }
    if (!global_ids && partitions > 1) {  // with a channel it crosses partitions
      *members = divisor(partitions);
      return channel + ", replica_groups=" + Groups(partitions, *members);
    }
    *members = divisor(replicas_);
    return ", replica_groups=" + Groups(replicas_, *members);
  }

  std::string Reducer(const std::string& type, const std::string& op) {
    const std::string name = op + "_" + type;
    if (computations_.find("\n" + name + " {") == std::string::npos) {
      const std::string scalar = type + "[]";
      computations_ += "\n" + name + " {\n  a = " + scalar + " parameter(0)\n  b = " + scalar +
                       " parameter(1)\n  ROOT r = " + scalar + " " + op + "(a, b)\n}\n\n";
    }
    return name;
  }
  // Not a simple op: (a + b) * b.
  std::string OddReducer(const std::string& type) {
    const std::string name = "odd_" + type;
    if (computations_.find("\n" + name + " {") == std::string::npos) {
      const std::string s = type + "[]";
      computations_ += "\n" + name + " {\n  a = " + s + " parameter(0)\n  b = " + s +
                       " parameter(1)\n  c = " + s + " add(a, b)\n  ROOT r = " + s +
                       " multiply(c, b)\n}\n\n";
    }
    return name;
  }

  std::string Shape(const std::string& type, std::vector<int> dims) {
    std::string text = type + "[";
    for (size_t i = 0; i < dims.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(dims[i]);
    text += "]";
    if (dims.size() == 2) text += minor_first_ ? "{0,1}" : "{1,0}";
    if (dims.size() == 3) text += minor_first_ ? "{0,2,1}" : "{2,1,0}";
    return text;
  }
  std::vector<int> Dims() {
    minor_first_ = Pick({0, 1}) == 1;
    const int large = Pick({1, 3, 7, 40, 300});
    if (Pick({0, 1}) == 0) return {Pick({1, 2, 5}), large};
    return {Pick({2, 3}), large, Pick({1, 4})};
  }

  void AddOne(int number) {
    const std::string type = PickText({"f32", "f32", "bf16", "f16", "f8e4m3fn", "f8e5m2", "f64",
                                       "s32", "u8", "s64", "pred", "c64", "s4"});
    const std::string name = "c" + std::to_string(number);
    std::vector<int> dims = Dims();
    switch (Pick({0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7})) {
      case 0: return AddAllReduce(name, type, dims);
      case 1: return AddAllGather(name, type, dims);
      case 2: return AddReduceScatter(name, type, dims);
      case 3: return AddAllToAll(name, type, dims);
      case 4: return AddTupleAllToAll(name, type, dims);
      case 5: return AddPermute(name, type, dims);
      case 7: return AddRaggedAllToAll(name, type);
      default: return AddBroadcast(name, type, dims);
    }
  }

  std::string AnyReducer(const std::string& type) {
    if (type == "pred") return Reducer(type, PickText({"and", "or", "xor"}));
    if (type == "c64") return Reducer(type, PickText({"add", "multiply"}));
    if (Pick({0, 1, 2, 3}) == 0) return OddReducer(type);
    return Reducer(type, PickText({"add", "add", "maximum", "minimum", "multiply"}));
  }

  void AddAllReduce(const std::string& name, const std::string& type,
                    const std::vector<int>& dims) {
    int members = 0;
    const std::string groups = GroupAttributes(true, &members);
    const std::string apply = ", to_apply=" + AnyReducer(type);
    const std::string shape = Shape(type, dims);
    if (Pick({0, 1, 2}) == 0) {  // two arrays combined
      const std::string other = Shape(type, {3});
      const std::string both = "(" + shape + ", " + other + ")";
      body_ += "  " + name + " = " + both + " all-reduce(" + Parameters({shape, other}) + ")" +
               groups + apply + "\n";
      return Result(both, name);
    }
    if (Pick({0, 1}) == 0) {
      const std::string p = Parameter(shape);
      body_ += "  " + name + " = " + shape + " all-reduce(" + p + ")" + groups + apply + "\n";
      return Result(shape, name);
    }
    const std::string p = Parameter(shape);
    body_ += "  " + name + "s = " + shape + " all-reduce-start(" + p + ")" + groups + apply + "\n";
    body_ += "  " + name + " = " + shape + " all-reduce-done(" + name + "s)\n";
    Result(shape, name);
  }

  std::string Parameters(const std::vector<std::string>& shapes) {
    std::string list;
    for (const std::string& shape : shapes) list += (list.empty() ? "" : ", ") + Parameter(shape);
    return list;
  }

  void AddAllGather(const std::string& name, const std::string& type, std::vector<int> dims) {
    int members = 0;
    const std::string groups = GroupAttributes(true, &members);
    const auto dim = static_cast<size_t>(Pick({0, 1, 2})) % dims.size();
    const std::string operand = Shape(type, dims);
    if (Pick({0, 1, 2}) == 0) minor_first_ = !minor_first_;  // gathered in another order
    dims[dim] *= members;
    const std::string shape = Shape(type, dims);
    const std::string tail = groups + ", dimensions={" + std::to_string(dim) + "}\n";
    const std::string p = Parameter(operand);
    if (Pick({0, 1}) == 0) {
      body_ += "  " + name + " = " + shape + " all-gather(" + p + ")" + tail;
      return Result(shape, name);
    }
    body_ +=
        "  " + name + "s = (" + operand + ", " + shape + ") all-gather-start(" + p + ")" + tail;
    body_ += "  " + name + " = " + shape + " all-gather-done(" + name + "s)\n";
    Result(shape, name);
  }

  void AddReduceScatter(const std::string& name, const std::string& type, std::vector<int> dims) {
    int members = 0;
    const std::string groups = GroupAttributes(true, &members);
    const auto dim = static_cast<size_t>(Pick({0, 1, 2})) % dims.size();
    const std::string shape = Shape(type, dims);
    dims[dim] *= members;
    const std::string operand = Shape(type, dims);
    const std::string tail =
        groups + ", dimensions={" + std::to_string(dim) + "}, to_apply=" + AnyReducer(type) + "\n";
    const std::string p = Parameter(operand);
    if (Pick({0, 1}) == 0) {
      body_ += "  " + name + " = " + shape + " reduce-scatter(" + p + ")" + tail;
      return Result(shape, name);
    }
    body_ += "  " + name + "s = ((" + operand + "), " + shape + ") reduce-scatter-start(" + p +
             ")" + tail;
    body_ += "  " + name + " = " + shape + " reduce-scatter-done(" + name + "s)\n";
    Result(shape, name);
  }

  void AddAllToAll(const std::string& name, const std::string& type, std::vector<int> dims) {
    int members = 0;
    const std::string groups = GroupAttributes(false, &members);
    const auto dim = static_cast<size_t>(Pick({0, 1, 2})) % dims.size();
    dims[dim] *= members;
    const std::string shape = Shape(type, dims);
    const std::string tail = groups + ", dimensions={" + std::to_string(dim) + "}\n";
    body_ += "  " + name + " = " + shape + " all-to-all(" + Parameters({shape}) + ")" + tail;
    Result(shape, name);
  }

  void AddTupleAllToAll(const std::string& name, const std::string& type,
                        const std::vector<int>& dims) {
    int members = 0;
    const std::string groups = GroupAttributes(false, &members);
    const std::vector<std::string> shapes(static_cast<size_t>(members), Shape(type, dims));
    std::string tuple = "(";
    for (size_t i = 0; i < shapes.size(); ++i) tuple += (i > 0 ? ", " : "") + shapes[i];
    tuple += ")";
    body_ +=
        "  " + name + " = " + tuple + " all-to-all(" + Parameters(shapes) + ")" + groups + "\n";
    Result(tuple, name);
  }

  // Copies rows of one array into those of another. Offsets and sizes are random.
  void AddRaggedAllToAll(const std::string& name, const std::string& type) {
    int members = 0;
    const std::string groups = GroupAttributes(false, &members);
    minor_first_ = false;
    const std::string list = "s32[" + std::to_string(members) + "]";
    const std::string shape = Shape(type, {9, 3});
    body_ += "  " + name + " = " + shape + " ragged-all-to-all(" +
             Parameters({Shape(type, {7, 3}), shape, list, list, list, list}) + ")" + groups + "\n";
    Result(shape, name);
  }

  void AddPermute(const std::string& name, const std::string& type, const std::vector<int>& dims) {
    const int partitions = devices_ / replicas_;
    const bool by_partition = partitions > 1 && Pick({0, 1}) == 1;
    const int count = by_partition ? partitions : replicas_;
    std::vector<int> targets;
    for (int i = 0; i < count; ++i) targets.push_back(i);
    std::shuffle(targets.begin(), targets.end(), random_);
    std::string pairs;
    for (int i = 0; i < count; ++i) {
      if (Pick({0, 1, 2, 3}) == 0 && !pairs.empty()) continue;
      pairs += (pairs.empty() ? "{" : ",{") + std::to_string(i) + "," +
               std::to_string(targets[static_cast<size_t>(i)]) + "}";
    }
    std::string tail = ", source_target_pairs={" + pairs + "}\n";
    if (by_partition) tail = ", channel_id=" + std::to_string(++channel_) + tail;
    const std::string shape = Shape(type, dims);
    switch (Pick({0, 1, 2})) {
      case 0:
        body_ +=
            "  " + name + " = " + shape + " collective-permute(" + Parameters({shape}) + ")" + tail;
        return Result(shape, name);
      case 1: {
        const std::string both = "(" + shape + ", " + Shape(type, {5}) + ")";
        body_ += "  " + name + " = " + both + " collective-permute(" +
                 Parameters({shape, Shape(type, {5})}) + ")" + tail;
        return Result(both, name);
      }
      default: break;
    }
    body_ += "  " + name + "s = (" + shape + ", " + shape + ", u32[], u32[]) " +
             "collective-permute-start(" + Parameters({shape}) + ")" + tail;
    body_ += "  " + name + " = " + shape + " collective-permute-done(" + name + "s)\n";
    Result(shape, name);
  }

  void AddBroadcast(const std::string& name, const std::string& type,
                    const std::vector<int>& dims) {
    int members = 0;
    const std::string groups = GroupAttributes(false, &members);
    const std::string shape = Shape(type, dims);
    body_ += "  " + name + " = " + shape + " collective-broadcast(" + Parameters({shape}) + ")" +
             groups + "\n";
    Result(shape, name);
  }

  std::mt19937 random_;
  int devices_;
  int replicas_ = 1;
  int parameters_ = 0;
  int channel_ = 0;
  bool minor_first_ = false;
  std::string computations_, body_;
  std::vector<std::string> shapes_, names_;
};

}  // namespace halo::test

#endif  // HALO_DEVICES_TEST_RANDOM_COLLECTIVES_H_
