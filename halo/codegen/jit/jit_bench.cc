// Measures compile time, for 500 fusions of about 15 elementwise ops each, compiled and then read
// back from the cache; and the throughput of float functions, in elements per second on one core.
#include <bit>
#include <filesystem>
#include <random>
#include <stdlib.h>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "halo/codegen/forms/lower_kernel.h"
#include "halo/codegen/jit/jit.h"
#include "halo/codegen/test/elementwise_kernel.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

constexpr int kKernels = 500;

// A chain of ops in bf16 or f32 that also uses some earlier values.
std::string FusionText(int number) {
  std::mt19937 random(static_cast<unsigned>(number));
  const std::string type = number % 2 == 0 ? "f32[64,1024]" : "bf16[64,1024]";
  const std::string pred = "pred[64,1024]";
  std::string text = "HloModule m\nf {\n";
  for (int i = 0; i < 3; ++i) {
    text += "v" + std::to_string(i) + " = " + type + " parameter(" + std::to_string(i) + ")\n";
  }
  const std::vector<std::string> unary = {"exponential", "tanh",  "negate",
                                          "logistic",    "rsqrt", "abs"};
  const std::vector<std::string> binary = {"add", "multiply", "subtract", "maximum", "divide"};
  const int last = 3 + 11 + number % 9;
  for (int i = 3; i <= last; ++i) {
    const std::string before = "v" + std::to_string(i - 1);
    const std::string other = "v" + std::to_string(random() % static_cast<unsigned>(i));
    text += (i == last ? "ROOT v" : "v") + std::to_string(i) + " = " + type + " ";
    if (random() % 4 == 0) {
      text += unary[random() % unary.size()] + "(" + before + ")\n";
    } else {
      text += binary[random() % binary.size()] + "(" + before + ", " + other + ")\n";
    }
  }
  return text + "}\nENTRY e {\na = " + type + " parameter(0)\nb = " + type +
         " parameter(1)\nc = " + type + " parameter(2)\nROOT r = " + type +
         " fusion(a, b, c), kind=kLoop, calls=f\n}\n";
}

std::vector<JitUnit> Fusions() {
  std::vector<JitUnit> units;
  static std::vector<Module> modules;
  modules.reserve(kKernels);
  for (int i = 0; i < kKernels; ++i) {
    modules.push_back(ReadHloText(FusionText(i)).module);
    const Module& module = modules.back();
    std::string why;
    auto lowered = LowerKernel(module, module.comp(module.entry).root, why);
    if (!lowered) continue;
    JitUnit& unit = units.emplace_back(JitUnit{lowered->key, {}, lowered->emit});
    for (const KernelCall& call : lowered->calls) unit.symbols.push_back(call.symbol);
  }
  return units;
}

void BM_Compile(benchmark::State& state) {
  static const std::vector<JitUnit> kUnits = Fusions();
  int64_t compiled = 0;
  for (auto _ : state) {
    auto jit =
        Jit::Create({.threads = static_cast<int>(state.range(0)), .cache_dir = "", .progress = {}});
    const auto counts = (*jit)->Compile(kUnits);
    if (!counts.ok()) return state.SkipWithError(counts.error().message.c_str());
    compiled += counts->compiled;
  }
  state.SetItemsProcessed(compiled);
}
BENCHMARK(BM_Compile)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Iterations(1);

void BM_FromCache(benchmark::State& state) {
  static const std::vector<JitUnit> kUnits = Fusions();
  std::string dir = (std::filesystem::temp_directory_path() / "halo_bench_XXXXXX").string();
  if (mkdtemp(dir.data()) == nullptr) return state.SkipWithError("no temporary folder");
  const JitOptions options = {.threads = 0, .cache_dir = dir, .progress = {}};
  benchmark::DoNotOptimize((*Jit::Create(options))->Compile(kUnits).ok());
  for (auto _ : state) benchmark::DoNotOptimize((*Jit::Create(options))->Compile(kUnits).ok());
  std::filesystem::remove_all(dir);
}
BENCHMARK(BM_FromCache)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

void BM_Function(benchmark::State& state, const char* op, const char* type) {
  const bool binary = std::string_view(op) == "add" || std::string_view(op) == "power" ||
                      std::string_view(op) == "atan2";
  const std::string shape = std::string(type) + "[4096]";
  const Module module =
      ReadHloText("HloModule m\nENTRY e {\na = " + shape + " parameter(0)\nROOT r = " + shape +
                  " " + op + (binary ? "(a, a)\n}\n" : "(a)\n}\n"))
          .module;
  auto jit = Jit::Create({});
  const std::vector<JitUnit> units = {
      {op, {op}, [&](llvm::Module& out) { EmitElementwiseKernel(module, op, 16, out); }}};
  if (!(*jit)->Compile(units).ok()) return state.SkipWithError("not compiled");
  std::vector<float> in(4096);
  std::vector<uint16_t> upper(4096);
  std::vector<float> out(4096);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = 0.0002F * static_cast<float>(i + 1);
    upper[i] = static_cast<uint16_t>(std::bit_cast<uint32_t>(in[i]) >> 16);
  }
  void* from = std::string_view(type) == "bf16" ? static_cast<void*>(upper.data()) : in.data();
  std::vector<void*> buffers = {from, out.data()};
  if (binary) buffers.insert(buffers.begin(), from);
  for (auto _ : state) (*jit)->Find(op)(buffers.data(), 0, 4096);
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * 4096);
}

const bool kRegistered = [] {
  for (const char* op : {"add", "exponential", "exponential-minus-one", "log", "log-plus-one",
                         "tanh", "logistic", "erf", "sine", "cosine", "tan", "power", "cbrt",
                         "atan2", "acos", "sinh", "asinh", "rsqrt", "sqrt"}) {
    for (const char* type : {"f32", "bf16"}) {
      benchmark::RegisterBenchmark((std::string("function/") + op + "/" + type).c_str(),
                                   BM_Function, op, type);
    }
  }
  return true;
}();

}  // namespace
}  // namespace halo
