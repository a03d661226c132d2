// Checks generated kernels against the evaluator: runs the entry's root both ways on the same
// generated inputs, with each array in its layout and the iterations split at odd positions.
#ifndef HALO_CODEGEN_TEST_KERNEL_CHECK_H_
#define HALO_CODEGEN_TEST_KERNEL_CHECK_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/forms/lower_kernel.h"
#include "halo/codegen/jit/jit.h"
#include "halo/codegen/kernel/kernel_body.h"
#include "halo/eval/evaluate.h"
#include "halo/eval/inputs/compare_values.h"
#include "halo/eval/lanes/lanes.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/read/read_text.h"

namespace halo {

struct KernelCheck {
  int64_t lowest = -3, highest = 12;  // of integers
  int64_t summed = 1;                 // longest sum; sets the tolerance of floats
  bool specials = false;              // include NaN, infinities and signed zeros in floats
  // A result that aliases an operand, by leaf.
  std::optional<std::pair<size_t, size_t>> result_over_operand = {};
};

inline Array RandomArray(ElementType type, std::span<const int64_t> dims, std::mt19937& random,
                         const KernelCheck& check) {
  Array array(type, dims);
  std::uniform_real_distribution<double> real(-2, 2);
  std::uniform_int_distribution<int64_t> whole(check.lowest, check.highest);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double specials[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 0.0,
                             -0.0};
  // Large arrays repeat with a period that no dimension divides.
  constexpr int64_t kPeriod = 65537;
  uint8_t* bytes = array.MutableBytes();
  for (int64_t i = 0; i < array.count(); ++i) {
    uint8_t* at = bytes + static_cast<size_t>(i) * array.element_bytes();
    if (i >= kPeriod) {
      std::memcpy(at, at - static_cast<size_t>(kPeriod) * array.element_bytes(),
                  array.element_bytes());
      continue;
    }
    switch (LaneKindOf(type)) {
      case LaneKind::kFloat: {
        const bool special = check.specials && random() % 16 == 0;
        StoreFloat(type, special ? specials[random() % 5] : real(random), at);
        break;
      }
      case LaneKind::kComplex: StoreComplex(type, {real(random), real(random)}, at); break;
      default:
        StoreInt(type,
                 type == ElementType::kPred ? static_cast<int64_t>(random() % 2) : whole(random),
                 at);
    }
  }
  return array;
}

// Converts between row-major order and the order of a layout.
inline void Relayout(const ArrayView& view, const uint8_t* from, uint8_t* to, bool to_physical) {
  const size_t bytes = StoredBytes(view.type);
  if (view.strides == RowMajorStrides(view.dims)) {
    std::memcpy(to, from, static_cast<size_t>(view.bytes()));
    return;
  }
  Dims index(view.dims.size(), 0);
  for (int64_t i = 0; i < view.count; ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * view.strides[d];
    const int64_t source = to_physical ? i : at;
    const int64_t target = to_physical ? at : i;
    std::memcpy(to + static_cast<size_t>(target) * bytes,
                from + static_cast<size_t>(source) * bytes, bytes);
    NextIndex(view.dims, index);
  }
}

inline Jit& TheJit() {
  static const std::unique_ptr<Jit> kJit = [] {
    auto made = Jit::Create({});
    return std::move(*made);
  }();
  return *kJit;
}

// Compiles a kernel and sets the function pointers of its calls.
inline bool CompileKernel(LoweredKernel& kernel) {
  JitUnit unit{kernel.key, {}, kernel.emit};
  for (const KernelCall& call : kernel.calls) unit.symbols.push_back(call.symbol);
  const auto counts = TheJit().Compile(std::span(&unit, 1));
  if (!counts.ok()) {
    ADD_FAILURE() << counts.error().message;
    return false;
  }
  for (KernelCall& call : kernel.calls) call.function = TheJit().Find(call.symbol);
  return true;
}

inline void RunCut(const KernelCall& call, void* const* buffers) {
  if (!call.IsNeeded(buffers)) return;
  const int64_t cuts[] = {0, call.iterations / 3, call.iterations / 3, call.iterations * 5 / 7,
                          call.iterations};
  for (size_t i = 4; i-- > 0;) {
    if (cuts[i] < cuts[i + 1]) call.function(buffers, cuts[i], cuts[i + 1]);
  }
}

// Empty if generated code covers it.
inline std::string WhyNot(const std::string& text) {
  const TextReadResult read = ReadHloText(text);
  std::string why;
  LowerKernel(read.module, read.module.comp(read.module.entry).root, why);
  return why;
}

inline void ExpectKernel(const std::string& text, const KernelCheck& check = {}) {
  SCOPED_TRACE(text);
  const TextReadResult read = ReadHloText(text);
  const Module& module = read.module;
  for (const Diagnostic& each : read.diagnostics.all()) ADD_FAILURE() << each.message;
  const RuleFindings findings = Verify(module, {.warnings = false});
  for (const RuleFinding& each : findings.all()) ADD_FAILURE() << each.message;
  ASSERT_FALSE(testing::Test::HasFailure());
  const InstId root = module.comp(module.entry).root;
  std::string why;
  std::optional<LoweredKernel> kernel = LowerKernel(module, root, why);
  ASSERT_TRUE(kernel.has_value()) << why;
  ASSERT_TRUE(CompileKernel(*kernel));

  std::mt19937 random(17);
  std::vector<Value> arguments;
  std::vector<Array> operands;
  std::vector<ArrayView> views;
  // Parameters in order, directly or in tuples.
  std::vector<InstId> leaves;
  for (const InstId operand : module.operands_of(module.inst(root))) {
    const Inst& inst = module.inst(operand);
    if (inst.opcode != Opcode::kTuple) {
      leaves.push_back(operand);
    } else {
      const std::span<const InstId> parts = module.operands_of(inst);
      leaves.insert(leaves.end(), parts.begin(), parts.end());
    }
  }
  for (const InstId leaf : leaves) {
    const Inst& inst = module.inst(leaf);
    ASSERT_EQ(inst.opcode, Opcode::kParameter);
    ASSERT_EQ(inst.extra, arguments.size());
    views.push_back(ViewOf(module, inst.shape));
    operands.push_back(RandomArray(views.back().type, views.back().dims, random, check));
    arguments.emplace_back(operands.back());
  }
  const auto evaluated = Evaluate(module, {arguments});
  ASSERT_TRUE(evaluated.ok()) << evaluated.error().message;
  std::vector<Array> expected;
  ForEachArray(evaluated->results[0], [&](const Array& array) { expected.push_back(array); });
  const ShapeId shape = module.inst(root).shape;
  std::vector<ArrayView> results;
  if (module.shapes.is_tuple(shape)) {
    for (const ShapeId part : module.shapes.elements(shape)) {
      results.push_back(ViewOf(module, part));
    }
  } else {
    results.push_back(ViewOf(module, shape));
  }
  ASSERT_EQ(results.size(), expected.size());

  std::vector<std::vector<uint8_t>> memory;
  std::vector<void*> buffers;
  const auto add = [&](int64_t bytes) {
    memory.emplace_back(static_cast<size_t>(bytes) + 64, uint8_t{0x5A});
    buffers.push_back(memory.back().data());
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    add(views[i].bytes());
    Relayout(views[i], operands[i].bytes(), memory.back().data(), true);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    add(results[i].bytes());
    if (check.result_over_operand && check.result_over_operand->first == i) {
      buffers.back() = buffers[check.result_over_operand->second];
    }
  }
  add(kernel->temp_bytes);
  for (const KernelCall& call : kernel->calls) {
    ASSERT_NE(call.function, nullptr) << call.symbol;
    RunCut(call, buffers.data());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Array got(results[i].type, results[i].dims);
    const auto* at = static_cast<const uint8_t*>(buffers[operands.size() + i]);
    if (got.count() > 0) Relayout(results[i], at, got.MutableBytes(), false);
    const ArrayComparison compared =
        CompareArrays(got, expected[i], DefaultTolerance(results[i].type, check.summed));
    EXPECT_TRUE(compared.ok()) << "result " << i << ": " << compared.beyond << " of "
                               << compared.count << " differ";
    for (size_t k = 0; k < compared.worst.size() && !compared.ok(); ++k) {
      const ElementDifference& each = compared.worst[k];
      std::string position;
      for (const int64_t d : each.index) position += std::to_string(d) + ",";
      ADD_FAILURE() << "[" << position << "] got " << each.got << " expected " << each.expected;
    }
    // Nothing after the end of the array was written.
    for (size_t k = 0; k < 64 && buffers[operands.size() + i] == memory[operands.size() + i].data();
         ++k) {
      ASSERT_EQ(at[static_cast<size_t>(results[i].bytes()) + k], 0x5A);
    }
  }
}

// A module whose root is a single op.
inline std::string OneOp(const std::string& parameters, const std::string& root,
                         const std::string& computations = "") {
  return "HloModule m\n" + computations + "\nENTRY e {\n" + parameters + "\nROOT r = " + root +
         "\n}\n";
}

}  // namespace halo

#endif  // HALO_CODEGEN_TEST_KERNEL_CHECK_H_
