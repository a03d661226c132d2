// Small modules generated from a seed, full of values that must share memory: nested loops,
// branches, calls, in-place updates with other readers, fusions of these, swapped elements, donated
// parameters, the same value in several results.
#ifndef HALO_CODEGEN_TEST_SHARING_MODULE_H_
#define HALO_CODEGEN_TEST_SHARING_MODULE_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace halo {

class SharingModule {
 public:
  explicit SharingModule(uint64_t seed) : random_(seed) {}

  std::string Make() {
    const size_t parameters = 1 + Below(4);
    Body body;
    for (size_t i = 0; i < parameters; ++i) {
      const std::string name = Name();
      Line(body, name, kArray, "parameter(" + std::to_string(i) + ")");
      body.arrays.push_back(name);
    }
    Grow(body, 0, 3 + Below(10));
    const size_t results = 1 + Below(4);
    const std::vector<std::string> returned = Pick(body, results);
    std::string aliases;
    for (size_t i = 0; i < std::min(results, parameters); ++i) {
      if (Below(3) != 0) continue;
      const size_t donated = Below(2) == 0 ? i : parameters - 1 - i;
      if (aliases.find(": (" + std::to_string(donated) + ",") != std::string::npos) continue;
      aliases += (aliases.empty() ? "{" : ", {") + std::to_string(i) + "}: (" +
                 std::to_string(donated) + ", {}, may-alias)";
    }
    const std::string main = Close(body, "ENTRY main", returned);
    std::string header = "HloModule random";
    if (!aliases.empty()) header += ", input_output_alias={ " + aliases + " }";
    return header + "\n\n" + computations_ + main;
  }

 private:
  static constexpr const char* kArray = "s32[6]{0}";
  static constexpr const char* kScalar = "s32[]";

  struct Body {
    std::string text;
    std::vector<std::string> arrays;
    std::vector<std::string> scalars;
  };

  size_t Below(size_t limit) { return random_() % limit; }
  std::string Name() { return "%v" + std::to_string(next_++); }
  const std::string& Any(const std::vector<std::string>& from) { return from[Below(from.size())]; }

  static std::string Line(Body& body, const std::string& name, const std::string& shape,
                          const std::string& op) {
    body.text += "  " + name + " = " + shape + " " + op + "\n";
    return name;
  }
  std::string Add(Body& body, const std::string& shape, const std::string& op) {
    return Line(body, Name(), shape, op);
  }

  std::vector<std::string> Pick(Body& body, size_t count) {
    std::vector<std::string> picked;
    for (size_t i = 0; i < count; ++i) picked.push_back(Any(body.arrays));
    return picked;
  }

  static std::string Joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
  }
  static std::string ArraysShape(size_t count, bool with_counter) {
    std::vector<std::string> parts(count, kArray);
    if (with_counter) parts.emplace_back(kScalar);
    return "(" + Joined(parts) + ")";
  }

  // The text of the computation. Its last line is a tuple of `results` or, sometimes, a single one.
  std::string Close(Body& body, const std::string& name, const std::vector<std::string>& results,
                    const std::string& counter = {}) {
    std::vector<std::string> all = results;
    if (!counter.empty()) all.push_back(counter);
    std::vector<std::string> shapes(results.size(), kArray);
    if (!counter.empty()) shapes.emplace_back(kScalar);
    body.text += "  ROOT " + Name() + " = (" + Joined(shapes) + ") tuple(" + Joined(all) + ")\n";
    return name + " {\n" + body.text + "}\n\n";
  }

  std::string Index(Body& body) {
    if (!body.scalars.empty() && Below(2) == 0) return Any(body.scalars);
    return Add(body, kScalar, "constant(" + std::to_string(Below(5)) + ")");
  }

  void Grow(Body& body, int depth, size_t steps) {
    for (size_t i = 0; i < steps; ++i) {
      switch (Below(depth < 3 ? 12 : 8)) {
        case 0:
          body.arrays.push_back(
              Add(body, kArray, "add(" + Any(body.arrays) + ", " + Any(body.arrays) + ")"));
          break;
        case 1: body.arrays.push_back(Add(body, kArray, "negate(" + Any(body.arrays) + ")")); break;
        case 2:
        case 3: AddUpdate(body); break;
        case 4: AddFusedUpdate(body); break;
        case 5: {
          const std::string values = std::to_string(Below(9)) + ", 1, 2, 3, 5, 8";
          body.arrays.push_back(Add(body, kArray, "constant({" + values + "})"));
          break;
        }
        case 6:
          body.arrays.push_back(
              Add(body, kArray, "reverse(" + Any(body.arrays) + "), dimensions={0}"));
          break;
        case 7: AddScatter(body); break;
        case 8:
        case 9: AddLoop(body, depth); break;
        case 10: AddBranches(body, depth); break;
        default: AddCall(body, depth); break;
      }
    }
  }

  void AddUpdate(Body& body) {
    const std::string piece =
        Add(body, "s32[2]{0}", "slice(" + Any(body.arrays) + "), slice={[2:4]}");
    const std::string index = Index(body);
    body.arrays.push_back(
        Add(body, kArray,
            "dynamic-update-slice(" + Any(body.arrays) + ", " + piece + ", " + index + ")"));
  }

  // A fusion that writes its parameter in place and reads it there, elsewhere or not at all.
  void AddFusedUpdate(Body& body) {
    const std::string comp = Name() + "_fused";
    const std::string array = Name(), index = Name(), read = Name(), piece = Name();
    const size_t how = Below(3);
    std::string text =
        "  " + array + " = s32[6]{0} parameter(0)\n  " + index + " = s32[] parameter(1)\n";
    if (how == 0) {
      text += "  " + read + " = s32[2]{0} dynamic-slice(" + array + ", " + index +
              "), dynamic_slice_sizes={2}\n";
    } else {
      text += "  " + read + " = s32[2]{0} slice(" + array + "), slice={[" +
              (how == 1 ? "1:3" : "3:5") + "]}\n";
    }
    text += "  " + piece + " = s32[2]{0} negate(" + read + ")\n  ROOT " + Name() +
            " = s32[6]{0} dynamic-update-slice(" + array + ", " + piece + ", " + index + ")\n";
    computations_ += comp + " {\n" + text + "}\n\n";
    const std::string at = Index(body);
    body.arrays.push_back(Add(
        body, kArray, "fusion(" + Any(body.arrays) + ", " + at + "), kind=kLoop, calls=" + comp));
  }

  void AddScatter(Body& body) {
    if (adder_.empty()) {
      adder_ = "%plus";
      computations_ +=
          "%plus {\n  %plus_a = s32[] parameter(0)\n  %plus_b = s32[] parameter(1)\n"
          "  ROOT %plus_c = s32[] add(%plus_a, %plus_b)\n}\n\n";
    }
    const std::string indices = Add(body, "s32[6,1]{1,0}", "bitcast(" + Any(body.arrays) + ")");
    body.arrays.push_back(Add(
        body, kArray,
        "scatter(" + Any(body.arrays) + ", " + indices + ", " + Any(body.arrays) +
            "), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
            "index_vector_dim=1, to_apply=%plus"));
  }

  void AddElements(Body& body, const std::string& tuple, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (Below(4) == 0) continue;
      body.arrays.push_back(
          Add(body, kArray, "get-tuple-element(" + tuple + "), index=" + std::to_string(i)));
    }
  }

  // A computation from a tuple of arrays, optionally with a counter, to such a tuple.
  std::string MakeBody(const std::string& comp, int depth, size_t count, bool counts,
                       size_t results) {
    Body body;
    const std::string shape = ArraysShape(count, counts);
    const std::string tuple = Add(body, shape, "parameter(0)");
    std::vector<std::string> carried;
    for (size_t i = 0; i < count; ++i) {
      carried.push_back(
          Add(body, kArray, "get-tuple-element(" + tuple + "), index=" + std::to_string(i)));
    }
    body.arrays = carried;
    std::string counter;
    if (counts) {
      const std::string before =
          Add(body, kScalar, "get-tuple-element(" + tuple + "), index=" + std::to_string(count));
      const std::string one = Add(body, kScalar, "constant(1)");
      counter = Add(body, kScalar, "add(" + before + ", " + one + ")");
      body.scalars = {before, counter};
    }
    Grow(body, depth, Below(6));
    std::vector<std::string> returned = Pick(body, results);
    // Typical loop bodies: elements stay or swap positions.
    if (results == count && Below(3) == 0) {
      for (size_t i = 0; i < count; ++i) {
        if (Below(2) == 0) returned[i] = carried[Below(2) == 0 ? i : count - 1 - i];
      }
    }
    return Close(body, comp, returned, counter);
  }

  void AddLoop(Body& body, int depth) {
    const size_t count = 1 + Below(3);
    const std::string id = Name();
    const std::string text = MakeBody(id + "_body", depth + 1, count, true, count);
    computations_ += text;
    Body condition;
    const std::string shape = ArraysShape(count, true);
    const std::string tuple = Add(condition, shape, "parameter(0)");
    const std::string counter =
        Add(condition, kScalar, "get-tuple-element(" + tuple + "), index=" + std::to_string(count));
    const std::string limit = Add(condition, kScalar, "constant(" + std::to_string(Below(4)) + ")");
    condition.text +=
        "  ROOT " + Name() + " = pred[] compare(" + counter + ", " + limit + "), direction=LT\n";
    computations_ += id + "_condition {\n" + condition.text + "}\n\n";
    std::vector<std::string> init = Pick(body, count);
    init.push_back(Add(body, kScalar, "constant(0)"));
    const std::string given = Add(body, shape, "tuple(" + Joined(init) + ")");
    const std::string loop = Add(
        body, shape, "while(" + given + "), condition=" + id + "_condition, body=" + id + "_body");
    AddElements(body, loop, count);
  }

  void AddBranches(Body& body, int depth) {
    const size_t count = 1 + Below(3), results = 1 + Below(2);
    const std::string id = Name();
    const size_t branches = 2 + Below(2);
    std::vector<std::string> names, operands;
    for (size_t i = 0; i < branches; ++i) {
      names.push_back(id + "_branch" + std::to_string(i));
      const std::string text = MakeBody(names.back(), depth + 1, count, false, results);
      computations_ += text;
    }
    const std::string shape = ArraysShape(count, false);
    const bool share = Below(2) == 0;
    for (size_t i = 0; i < branches; ++i) {
      if (i > 0 && share) {
        operands.push_back(operands[0]);
      } else {
        const std::vector<std::string> picked = Pick(body, count);
        operands.push_back(Add(body, shape, "tuple(" + Joined(picked) + ")"));
      }
    }
    const std::string index = Index(body);
    const std::string result = Add(body, ArraysShape(results, false),
                                   "conditional(" + index + ", " + Joined(operands) +
                                       "), branch_computations={" + Joined(names) + "}");
    AddElements(body, result, results);
  }

  // Sometimes calls a computation that was called before.
  void AddCall(Body& body, int depth) {
    if (called_.empty() || Below(2) == 0) {
      const std::string comp = Name() + "_called";
      computations_ += MakeBody(comp, depth + 1, 2, false, 2);
      called_.push_back(comp);
    }
    const std::vector<std::string> picked = Pick(body, 2);
    const std::string given = Add(body, ArraysShape(2, false), "tuple(" + Joined(picked) + ")");
    const std::string result =
        Add(body, ArraysShape(2, false), "call(" + given + "), to_apply=" + Any(called_));
    AddElements(body, result, 2);
  }

  std::mt19937_64 random_;
  size_t next_ = 0;
  std::string computations_;
  std::string adder_;
  std::vector<std::string> called_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_TEST_SHARING_MODULE_H_
