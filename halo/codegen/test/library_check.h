// Checks a library op against the evaluator: runs the entry's root both ways on the same generated
// inputs, with each array in its layout.
#ifndef HALO_CODEGEN_TEST_LIBRARY_CHECK_H_
#define HALO_CODEGEN_TEST_LIBRARY_CHECK_H_

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halo/codegen/library/lib_shapes.h"
#include "halo/codegen/library/make_library_op.h"
#include "halo/eval/evaluate.h"
#include "halo/eval/inputs/random_inputs.h"
#include "halo/eval/lanes/lanes.h"
#include "halo/text/read/read_text.h"

namespace halo {

struct LibraryCheck {
  uint64_t seed = 1;
  double tolerance = 0;  // relative to the largest value of a result; zero: bit for bit
  // Modifies the inputs before they are used.
  std::function<void(std::vector<Array>&)> prepare = {};
  // A result that aliases an operand.
  std::optional<std::pair<size_t, size_t>> result_over_operand = {};
  bool may_be_null = false;
  bool skip_extra_parts = false;          // only the first result is compared
  bool skip_first_part = false;           // the first result is unspecified
  std::function<void()> before_run = {};  // called once the op is made
  std::unique_ptr<LibraryOp> (*make)(const Module& module, InstId inst) = MakeLibraryOp;
};

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<void, FreeMemory>;

inline Buffer MakeBuffer(int64_t bytes) {
  const auto size = static_cast<size_t>((bytes + 127) / 64 * 64);
  Buffer out(std::aligned_alloc(64, size));
  std::memset(out.get(), 0x5A, size);
  return out;
}

// Converts between row-major order and a layout.
inline void Arrange(const Placed& position, const void* from, void* to, bool to_layout) {
  const size_t bytes = StoredBytes(position.type);
  if (position.count() == 0) return;
  Dims index(position.dims.size());
  int64_t logical = 0;
  do {
    int64_t physical = 0;
    for (size_t i = 0; i < index.size(); ++i) physical += index[i] * position.strides[i];
    const int64_t source = to_layout ? logical : physical;
    const int64_t target = to_layout ? physical : logical;
    std::memcpy(static_cast<uint8_t*>(to) + static_cast<size_t>(target) * bytes,
                static_cast<const uint8_t*>(from) + static_cast<size_t>(source) * bytes, bytes);
    ++logical;
  } while (NextIndex(position.dims, index));
}

// Makes the square matrices of the first input diagonally dominant and symmetric, so that factors
// exist and values stay bounded.
inline void MakeDefinite(std::vector<Array>& inputs) {
  Array& a = inputs[0];
  const auto n = a.dim(a.rank() - 1);
  uint8_t* bytes = a.MutableBytes();
  const auto at = [&](int64_t m, int64_t i, int64_t j) {
    return bytes + static_cast<size_t>((m * n + i) * n + j) * a.element_bytes();
  };
  for (int64_t m = 0; m < a.count() / (n * n); ++m) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        std::copy_n(at(m, i, j), a.element_bytes(), at(m, j, i));
      }
      StoreComplex(a.type(), 2.0 * static_cast<double>(n), at(m, i, i));
    }
  }
}

// Describes what is wrong with `got` (row-major); empty if nothing is.
inline std::string CompareArrays(const Array& want, const uint8_t* got, double tolerance) {
  const size_t bytes = want.element_bytes();
  if (tolerance == 0) {
    for (int64_t i = 0; i < want.count(); ++i) {
      if (std::memcmp(want.bytes() + static_cast<size_t>(i) * bytes,
                      got + static_cast<size_t>(i) * bytes, bytes) != 0) {
        return "element " + std::to_string(i) + " differs in its bits";
      }
    }
    return {};
  }
  double scale = 1e-30;
  for (int64_t i = 0; i < want.count(); ++i) {
    const auto value = LoadComplex(want.type(), want.bytes() + static_cast<size_t>(i) * bytes);
    if (std::isfinite(std::abs(value))) scale = std::max(scale, std::abs(value));
  }
  for (int64_t i = 0; i < want.count(); ++i) {
    const auto a = LoadComplex(want.type(), want.bytes() + static_cast<size_t>(i) * bytes);
    const auto b = LoadComplex(want.type(), got + static_cast<size_t>(i) * bytes);
    if (a == b || (std::isnan(std::abs(a)) && std::isnan(std::abs(b)))) continue;
    if (!(std::abs(a - b) <= tolerance * scale)) {
      return "element " + std::to_string(i) + ": want " + std::to_string(a.real()) + ", got " +
             std::to_string(b.real()) + " where the largest is " + std::to_string(scale);
    }
  }
  return {};
}

// Empty if both results agree; otherwise describes what is wrong.
inline std::string CheckLibraryOp(const std::string& text, const LibraryCheck& check = {}) {
  const TextReadResult read = ReadHloText(text);
  if (!read.diagnostics.ok()) return "unreadable: " + read.diagnostics.all()[0].message;
  const Module& module = read.module;
  const InstId root = module.comp(module.entry).root;
  const Inst& inst = module.inst(root);
  const std::unique_ptr<LibraryOp> op = check.make(module, root);
  if (op == nullptr) return check.may_be_null ? "" : "no library op";

  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  if (!operands || !results) return "no places";
  std::vector<Array> inputs;
  for (size_t i = 0; i < operands->size(); ++i) {
    inputs.push_back(MakeRandomInput((*operands)[i].type, (*operands)[i].dims,
                                     {.seed = check.seed,
                                      .parameter = static_cast<int64_t>(i),
                                      .leaf = 0,
                                      .part = 0,
                                      .use = {}}));
  }
  if (check.prepare) check.prepare(inputs);
  const auto evaluated = Evaluate(module, {{inputs.begin(), inputs.end()}});
  if (!evaluated.ok()) return "evaluator: " + evaluated.error().message;
  std::vector<Array> want;
  ForEachArray(evaluated->results[0], [&](const Array& array) { want.push_back(array); });

  std::vector<Buffer> owned;
  std::vector<void*> buffers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    owned.push_back(MakeBuffer((*operands)[i].bytes()));
    Arrange((*operands)[i], inputs[i].bytes(), owned.back().get(), true);
    buffers.push_back(owned.back().get());
  }
  for (size_t i = 0; i < results->size(); ++i) {
    owned.push_back(MakeBuffer((*results)[i].bytes()));
    buffers.push_back(owned.back().get());
    if (check.result_over_operand && check.result_over_operand->first == i) {
      buffers.back() = buffers[check.result_over_operand->second];
    }
  }
  constexpr int64_t kGuard = 4096;
  const Buffer scratch = MakeBuffer(op->scratch_bytes() + kGuard);
  if (check.before_run) check.before_run();
  if (const auto error = op->Run(buffers, scratch.get())) return error->message;
  const uint8_t* guard = static_cast<const uint8_t*>(scratch.get()) + op->scratch_bytes();
  if (!std::all_of(guard, guard + kGuard, [](uint8_t byte) { return byte == 0x5A; })) {
    return op->Text() + " writes beyond its scratch memory";
  }
  for (size_t i = 0; i < results->size(); ++i) {
    if (i > 0 && check.skip_extra_parts) break;
    if (i == 0 && check.skip_first_part) continue;
    std::vector<uint8_t> got(static_cast<size_t>((*results)[i].bytes()));
    Arrange((*results)[i], buffers[inputs.size() + i], got.data(), false);
    const std::string wrong = CompareArrays(want[i], got.data(), check.tolerance);
    if (!wrong.empty()) return op->Text() + ", result " + std::to_string(i) + ": " + wrong;
  }
  return {};
}

}  // namespace halo

#endif  // HALO_CODEGEN_TEST_LIBRARY_CHECK_H_
