// Compiles and runs whole modules and checks the results against the evaluator.
#include "halo/codegen/compile.h"

#include <string>

#include <gtest/gtest.h>

#include "halo/codegen/library/lapack/lapack_library.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/inputs/compare_values.h"
#include "halo/eval/inputs/random_inputs.h"
#include "halo/runtime/execute.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

std::vector<Value> Arguments(const Module& module) {
  std::vector<Value> arguments;
  const Computation& entry = module.comp(module.entry);
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Inst& inst = module.inst(InstId(entry.first + i));
    if (inst.opcode != Opcode::kParameter) continue;
    if (arguments.size() <= inst.extra) arguments.resize(inst.extra + 1);
    arguments[inst.extra] =
        MakeRandomInput(module.shapes.type(inst.shape), module.shapes.dims(inst.shape),
                        {.seed = 1, .parameter = inst.extra, .use = {}});
  }
  return arguments;
}

void ExpectSame(const std::string& text, const CompileOptions& compiling = {}) {
  SCOPED_TRACE(text);
  const TextReadResult read = ReadHloText(text);
  ASSERT_TRUE(read.diagnostics.ok());
  ASSERT_TRUE(Verify(read.module, {.warnings = false}).ok());
  const std::vector<Value> arguments = Arguments(read.module);
  const EvalOptions options;
  const Result<EvalOutput> expected = Evaluate(read.module, {arguments}, options);
  ASSERT_TRUE(expected.ok());
  const Result<std::unique_ptr<CompiledModule>> compiled = CompileModule(read.module, compiling);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  for (const Block& block : (*compiled)->plan.blocks) {
    for (const Step& step : block.steps) EXPECT_NE(step.kind, Step::Kind::kReference) << step.why;
  }
  Execution execution((*compiled)->module(), (*compiled)->plan, options);
  // Run twice: a run must not clobber the arguments of the next one.
  for (int run = 0; run < 2; ++run) {
    ASSERT_FALSE(execution.Bind(arguments));
    ASSERT_FALSE(execution.Run());
    std::vector<Array> got;
    ForEachArray(execution.Result(), [&](const Array& array) { got.push_back(array); });
    size_t i = 0;
    ForEachArray(expected->results[0], [&](const Array& array) {
      ASSERT_LT(i, got.size());
      EXPECT_TRUE(CompareArrays(got[i], array, DefaultTolerance(array.type(), 16)).ok())
          << "result " << i << " of run " << run;
      ++i;
    });
  }
}

TEST(CompileTest, SameValueTwiceIsNotTwoValues) {
  ExpectSame(
      "HloModule m\nENTRY e {\n  a = f32[8] parameter(0)\n  b = f32[8] parameter(1)\n"
      "  s = f32[8] multiply(a, a)\n  p = f32[8] multiply(s, b)\n"
      "  ROOT t = (f32[8], f32[8]) tuple(s, p)\n}\n");
}

TEST(CompileTest, LoopKeepsItsInputs) {
  ExpectSame(
      "HloModule m\ncond {\n  s = (s32[], f32[4], f32[4]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(5)\n"
      "  ROOT c = pred[] compare(i, n), direction=LT\n}\n"
      "body {\n  s = (s32[], f32[4], f32[4]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  one = s32[] constant(1)\n"
      "  j = s32[] add(i, one)\n  x = f32[4] get-tuple-element(s), index=1\n"
      "  y = f32[4] get-tuple-element(s), index=2\n  z = f32[4] add(x, y)\n"
      "  ROOT t = (s32[], f32[4], f32[4]) tuple(j, y, z)\n}\n"
      "ENTRY e {\n  a = f32[4] parameter(0)\n  zero = s32[] constant(0)\n"
      "  t = (s32[], f32[4], f32[4]) tuple(zero, a, a)\n"
      "  w = (s32[], f32[4], f32[4]) while(t), condition=cond, body=body\n"
      "  x = f32[4] get-tuple-element(w), index=1\n  y = f32[4] get-tuple-element(w), index=2\n"
      "  ROOT r = (f32[4], f32[4], f32[4]) tuple(x, y, a)\n}\n");
}

TEST(CompileTest, BranchesAndUpdates) {
  ExpectSame(
      "HloModule m\nyes {\n  ROOT x = f32[6] parameter(0)\n}\n"
      "no {\n  x = f32[6] parameter(0)\n  ROOT y = f32[6] negate(x)\n}\n"
      "ENTRY e {\n  a = f32[6] parameter(0)\n  u = f32[2] parameter(1)\n  i = s32[] constant(3)\n"
      "  d = f32[6] dynamic-update-slice(a, u, i)\n  k = s32[] constant(1)\n"
      "  c = f32[6] conditional(k, d, d), branch_computations={yes, no}\n"
      "  s = f32[6] add(a, c)\n  ROOT r = (f32[6], f32[6], f32[6]) tuple(s, d, a)\n}\n");
}

TEST(CompileTest, ConstantsAndParametersAsResults) {
  ExpectSame(
      "HloModule m\nENTRY e {\n  a = f32[3]{0} parameter(0)\n  k = f32[3]{0} constant({1, 2, 3})\n"
      "  ROOT r = (f32[3]{0}, f32[3]{0}, f32[3]{0}, f32[3]{0}) tuple(a, k, a, k)\n}\n");
}

TEST(CompileTest, LayoutsOfParametersAndResults) {
  ExpectSame(
      "HloModule m\nENTRY e {\n  a = f32[3,5]{0,1} parameter(0)\n"
      "  b = f32[5,3]{1,0} bitcast(a)\n  c = f32[5,3]{1,0} negate(b)\n"
      "  ROOT r = f32[5,3]{0,1} copy(c)\n}\n");
}

// Before layout assignment, the input and output of a loop may print different layouts.
TEST(CompileTest, LayoutsThatAreNotAssignedYet) {
  ExpectSame(
      "HloModule m\ncond {\n  s = (s32[], f32[2,3]{1,0}) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(2)\n"
      "  ROOT c = pred[] compare(i, n), direction=LT\n}\n"
      "body {\n  s = (s32[], f32[2,3]{1,0}) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  one = s32[] constant(1)\n"
      "  j = s32[] add(i, one)\n  x = f32[2,3]{1,0} get-tuple-element(s), index=1\n"
      "  y = f32[2,3]{1,0} reverse(x), dimensions={1}\n"
      "  ROOT t = (s32[], f32[2,3]{1,0}) tuple(j, y)\n}\n"
      "ENTRY e {\n  a = f32[3,2]{1,0} parameter(0)\n  zero = s32[] constant(0)\n"
      "  b = f32[2,3]{0,1} transpose(a), dimensions={1,0}\n"
      "  t = (s32[], f32[2,3]{0,1}) tuple(zero, b)\n"
      "  w = (s32[], f32[2,3]{0,1}) while(t), condition=cond, body=body\n"
      "  ROOT r = f32[2,3]{0,1} get-tuple-element(w), index=1\n}\n");
}

TEST(CompileTest, ConvertsByFloatsSaturate) {
  ExpectSame(
      "HloModule m\nENTRY e {\n  a = s8[64] parameter(0)\n  f = f32[64] convert(a)\n"
      "  ROOT u = u64[64] convert(f)\n}\n");
}

TEST(CompileTest, RefusesPlansBeyondTheLimit) {
  const TextReadResult read = ReadHloText(
      "HloModule m\nENTRY e {\n  a = f32[1024] parameter(0)\n  ROOT b = f32[1024] negate(a)\n}\n");
  CompileOptions options;
  options.max_bytes = 4096;
  const Result<std::unique_ptr<CompiledModule>> compiled = CompileModule(read.module, options);
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, diag::kMemoryLimit);
}

// What is too large for one kernel becomes several.
TEST(CompileTest, RefusedKernelsAreSplit) {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[40,24] parameter(0)\n";
  std::string last = "x0";
  for (int i = 1; i <= 60; ++i) {
    const std::string name = "x" + std::to_string(i);
    const std::string op = i % 3 == 0 ? "tanh(" + last + ")" : "subtract(" + last + ", x0)";
    text += "  " + name + " = f32[40,24] " + op + "\n";
    last = name;
  }
  text += "  v = f32[40,24] reverse(" + last +
          "), dimensions={0}\n  ROOT r = (f32[40,24], f32[40,24]) tuple(v, x31)\n}\n";
  const auto kernels = [&](int64_t values) {
    CompileOptions compiling;
    compiling.max_kernel_values = values;
    ExpectSame(text, compiling);
    const auto compiled = CompileModule(ReadHloText(text).module, compiling);
    return compiled.ok() ? (*compiled)->counts.units : 0;
  };
  EXPECT_LT(kernels(kMaxKernelValues), kernels(40));
  EXPECT_LT(kernels(40), kernels(10));
}

// Vectors are determined up to their signs, so what they compose is compared.
TEST(CompileTest, EigenvectorsComposeTheMatrix) {
  for (const char* type : {"f32", "f64"}) {
    const std::string kind = type;
    const std::string letter = kind == "f32" ? "s" : "d";
    for (const char* triangle : {"76", "85"}) {
      ExpectSame("HloModule m\nENTRY e {\n  a = " + kind + "[3,12,12]{1,2,0} parameter(0)\n" +
                 "  c = (" + kind + "[3,12,12]{1,2,0}, " + kind +
                 "[3,12], s32[3]) custom-call(a), " + "custom_call_target=\"lapack_" + letter +
                 "syevd_ffi\", api_version=API_VERSION_TYPED_FFI, backend_config={mode = 86 : ui8, "
                 "uplo = " +
                 triangle + " : ui8}\n" + "  v = " + kind +
                 "[3,12,12]{1,2,0} get-tuple-element(c), index=0\n  w = " + kind +
                 "[3,12] get-tuple-element(c), index=1\n  i = s32[3] get-tuple-element(c), "
                 "index=2\n  b = " +
                 kind + "[3,12,12] broadcast(w), dimensions={0,2}\n  x = " + kind +
                 "[3,12,12] multiply(v, b)\n  d = " + kind +
                 "[3,12,12] dot(x, v), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                 "lhs_contracting_dims={2}, rhs_contracting_dims={2}\n  ROOT t = (" +
                 kind + "[3,12,12], " + kind + "[3,12], s32[3]) tuple(d, w, i)\n}\n");
    }
  }
}

TEST(CompileTest, SingularVectorsComposeTheMatrix) {
  // The matrix itself, and one whose rows are all equal, which has one value that is not zero.
  for (const char* source : {"  a = MATRIX copy(p)\n",
                             "  r = f32[COLUMNS] slice(q), slice={[0:COLUMNS]}\n"
                             "  a = MATRIX broadcast(r), dimensions={1}\n"}) {
    for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{20, 7}, {7, 20}, {9, 9}}) {
      const int few = std::min(rows, columns);
      const auto matrix = [](int m, int n) {
        return "f32[" + std::to_string(m) + "," + std::to_string(n) + "]";
      };
      const std::string vector = "f32[" + std::to_string(few) + "]";
      std::string from = source;
      const auto put = [&](const std::string& name, const std::string& value) {
        for (size_t at = from.find(name); at != std::string::npos; at = from.find(name)) {
          from.replace(at, name.size(), value);
        }
      };
      put("MATRIX", matrix(rows, columns));
      put("COLUMNS", std::to_string(columns));
      ExpectSame("HloModule m\nENTRY e {\n  p = " + matrix(rows, columns) +
                 " parameter(0)\n  q = f32[32] parameter(1)\n" + from + "  c = (" +
                 matrix(rows, columns) + ", " + vector + ", " + matrix(rows, few) + ", " +
                 matrix(few, columns) +
                 ", s32[]) custom-call(a), custom_call_target=\"lapack_sgesdd_ffi\", "
                 "api_version=API_VERSION_TYPED_FFI, backend_config={mode = 83 : ui8}\n  s = " +
                 vector + " get-tuple-element(c), index=1\n  u = " + matrix(rows, few) +
                 " get-tuple-element(c), index=2\n  v = " + matrix(few, columns) +
                 " get-tuple-element(c), index=3\n  b = " + matrix(rows, few) +
                 " broadcast(s), dimensions={1}\n  x = " + matrix(rows, few) +
                 " multiply(u, b)\n  d = " + matrix(rows, columns) +
                 " dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  o = " +
                 matrix(few, few) +
                 " dot(u, u), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n  ROOT t = (" +
                 matrix(rows, columns) + ", " + vector + ", " + matrix(few, few) +
                 ") tuple(d, s, o)\n}\n");
    }
  }
}

// As XLA computes them: an infinity times a number may be NaN.
TEST(CompileTest, ComplexProductsInPlace) {
  ExpectSame(
      "HloModule m\nENTRY e {\n  a = c64[1000] parameter(0)\n  k = c64[] constant((inf, inf))\n"
      "  b = c64[1000] broadcast(k), dimensions={}\n  n = c64[1000] negate(a)\n"
      "  s = c64[1000] multiply(n, n)\n  p = c64[1000] multiply(s, b)\n"
      "  ROOT t = (c64[1000], c64[1000]) tuple(s, p)\n}\n");
}

// Dots that are no matrix products, in any layout.
// Values, zeros of both signs, ties, infinities and NaNs, chosen at run time from two constants.
TEST(CompileTest, ArgmaxAndArgmin) {
  for (const std::string type : {"f32", "bf16", "f16", "s32", "s8"}) {
    const bool is_float = type[0] != 's';
    const std::string special = is_float ? "nan, -0, inf, -inf" : "5, -7, 100, -100";
    const std::string rows =
        "{{1, 3, -2, 3, 0, -5}, {-0, 0, -0, -1, 0, -2}, {-3, -2, -2, -9, -4, -2}, {" + special +
        ", 4, " + (is_float ? "nan" : "5") + "}}";
    const std::string others =
        "{{1, 2, -2, 3, 3, -5}, {0, -0, -0, -1, -0, -2}, {-3, -2, -3, -9, -2, -2}, {3, 7, " +
        special + "}}";
    for (const bool is_max : {true, false}) {
      const std::string start = is_float        ? (is_max ? "-inf" : "inf")
                                : type == "s32" ? (is_max ? "-2147483648" : "2147483647")
                                                : (is_max ? "-128" : "127");
      ExpectSame(
          "HloModule m\npick {\na = " + type + "[] parameter(0)\ni = s32[] parameter(1)\nb = " +
          type + "[] parameter(2)\nj = s32[] parameter(3)\n" +
          "gt = pred[] compare(a, b), direction=" + (is_max ? "GT" : "LT") +
          "\nne = pred[] compare(a, a), direction=NE\nor = pred[] or(gt, ne)\nv = " + type +
          "[] select(or, a, b)\neq = pred[] compare(a, b), direction=EQ\n" +
          "lt = pred[] compare(i, j), direction=LT\nand = pred[] and(eq, lt)\n" +
          "or2 = pred[] or(or, and)\np = s32[] select(or2, i, j)\n" + "ROOT t = (" + type +
          "[], s32[]) tuple(v, p)\n}\nENTRY main {\nq = f32[4,6] parameter(0)\n" +
          "z = f32[4,6] parameter(1)\nless = pred[4,6] compare(q, z), direction=LT\nc = " + type +
          "[4,6] constant(" + others + ")\nd = " + type + "[4,6] constant(" + rows + ")\nx = " +
          type + "[4,6] select(less, c, d)\nk = s32[4,6] iota(), iota_dimension=1\ns = " + type +
          "[] constant(" + start + ")\nf = s32[] constant(0)\nrow = (" + type +
          "[4], s32[4]) reduce(x, k, s, f), dimensions={1}, to_apply=pick\n" +
          "h = s32[4,6] iota(), iota_dimension=0\ncolumn = (" + type +
          "[6], s32[6]) reduce(x, h, s, f), dimensions={0}, to_apply=pick\n" + "ROOT r = ((" +
          type + "[4], s32[4]), (" + type + "[6], s32[6])) tuple(row, column)\n}\n");
    }
  }
}

// The matrices of a batch are factored by several threads, by our own loops and by LAPACK.
TEST(CompileTest, BatchesOfFactors) {
  const std::string begin =
      "HloModule m\nENTRY e {\n  a = f64[512,16,16]{1,2,0} parameter(0)\n"
      "  ROOT r = (f64[512,16,16]{1,2,0}, ";
  const std::string end =
      "operand_layout_constraints={f64[512,16,16]{1,2,0}}, api_version=API_VERSION_TYPED_FFI\n}\n";
  for (int i = 0; i < 4; ++i) {
    ExpectSame(begin +
               "s32[512,16]{1,0}, s32[512]{0}) custom-call(a), "
               "custom_call_target=\"lapack_dgetrf_ffi\", " +
               end);
    ExpectSame(begin +
               "f64[512,16]{1,0}) custom-call(a), custom_call_target=\"lapack_dgeqrf_ffi\", " +
               end);
  }
}

TEST(CompileTest, ElementwiseDots) {
  const std::string ends = ", lhs_contracting_dims={2}, rhs_contracting_dims={2}\n";
  for (const char* layout : {"{2,1,0}", "{0,1,2}", "{1,2,0}"}) {
    const std::string at = layout;
    ExpectSame("HloModule m\nENTRY e {\n  a = f32[6,7,9]" + at + " parameter(0)\n  b = f32[7,6,9]" +
               at + " parameter(1)\n  c = f32[6,7] parameter(2)\n" +
               "  s = f32[6,7] dot(a, b), lhs_batch_dims={0,1}, rhs_batch_dims={1,0}" + ends +
               "  p = f32[6,7,9]" + at +
               " dot(a, c), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}\n"
               "  q = f32[7,6,9] dot(c, b), lhs_batch_dims={1,0}, rhs_batch_dims={0,1}\n"
               "  ROOT t = (f32[6,7], f32[6,7,9]" +
               at + ", f32[7,6,9]) tuple(s, p, q)\n}\n");
  }
}

}  // namespace
}  // namespace halo
