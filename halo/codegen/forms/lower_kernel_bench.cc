// Measures the throughput of generated kernels, in bytes read and written per second, against a
// plain copy by the same threads.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "halo/codegen/forms/lower_kernel.h"
#include "halo/codegen/jit/jit.h"
#include "halo/codegen/kernel/kernel_body.h"
#include "halo/runtime/thread_team.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

Memory Allocate(int64_t bytes) {
  Memory memory(std::aligned_alloc(64, static_cast<size_t>((bytes + 127) / 64 * 64)));
  std::memset(memory.get(), 0, static_cast<size_t>(bytes));
  return memory;
}

const std::string kAdd =
    "add {\nx = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = f32[] add(x, y)\n}\n";
const std::string kMax =
    "max {\nx = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = f32[] maximum(x, y)\n}\n";

std::string Op(const std::string& parameters, const std::string& root) {
  return "HloModule m\n" + kAdd + kMax + "ENTRY e {\n" + parameters + "\nROOT r = " + root +
         "\n}\n";
}

std::string Softmax(const std::string& rows) {
  std::string text =
      "HloModule m\n" + kAdd + kMax +
      "f {\na = f32[ROWS,4096] parameter(0)\ni = f32[] constant(-inf)\nz = f32[] constant(0)\n"
      "m = f32[ROWS] reduce(a, i), dimensions={1}, to_apply=max\n"
      "mb = f32[ROWS,4096] broadcast(m), dimensions={0}\ns = f32[ROWS,4096] subtract(a, mb)\n"
      "e = f32[ROWS,4096] exponential(s)\n"
      "t = f32[ROWS] reduce(e, z), dimensions={1}, to_apply=add\n"
      "tb = f32[ROWS,4096] broadcast(t), dimensions={0}\n"
      "ROOT d = f32[ROWS,4096] divide(e, tb)\n}\n"
      "ENTRY e {\na = f32[ROWS,4096] parameter(0)\n"
      "ROOT r = f32[ROWS,4096] fusion(a), kind=kInput, calls=f\n}\n";
  for (size_t at = text.find("ROWS"); at != std::string::npos; at = text.find("ROWS")) {
    text.replace(at, 4, rows);
  }
  return text;
}

const std::string kLayerNorm =
    "HloModule m\n" + kAdd +
    "f {\na = f32[4096,4096] parameter(0)\nz = f32[] constant(0)\nk = f32[] constant(0.000244)\n"
    "m = f32[4096] reduce(a, z), dimensions={1}, to_apply=add\n"
    "kb = f32[4096] broadcast(k), dimensions={}\nmm = f32[4096] multiply(m, kb)\n"
    "mb = f32[4096,4096] broadcast(mm), dimensions={0}\nc = f32[4096,4096] subtract(a, mb)\n"
    "q = f32[4096,4096] multiply(c, c)\n"
    "v = f32[4096] reduce(q, z), dimensions={1}, to_apply=add\n"
    "vv = f32[4096] multiply(v, kb)\nrs = f32[4096] rsqrt(vv)\n"
    "rb = f32[4096,4096] broadcast(rs), dimensions={0}\n"
    "ROOT n = f32[4096,4096] multiply(c, rb)\n}\n"
    "ENTRY e {\na = f32[4096,4096] parameter(0)\n"
    "ROOT r = f32[4096,4096] fusion(a), kind=kInput, calls=f\n}\n";

const std::string kGelu =
    "HloModule m\nf {\na = bf16[64000000] parameter(0)\nc = f32[64000000] convert(a)\n"
    "k = f32[] constant(0.7978)\nkb = f32[64000000] broadcast(k), dimensions={}\n"
    "h = f32[] constant(0.5)\nhb = f32[64000000] broadcast(h), dimensions={}\n"
    "x = f32[64000000] multiply(c, kb)\nt = f32[64000000] tanh(x)\n"
    "u = f32[64000000] multiply(t, c)\nv = f32[64000000] add(u, c)\n"
    "w = f32[64000000] multiply(v, hb)\nROOT o = bf16[64000000] convert(w)\n}\n"
    "ENTRY e {\na = bf16[64000000] parameter(0)\n"
    "ROOT r = bf16[64000000] fusion(a), kind=kLoop, calls=f\n}\n";

void RunKernel(benchmark::State& state, const std::string& text) {
  const TextReadResult read = ReadHloText(text);
  const Module& module = read.module;
  const InstId root = module.comp(module.entry).root;
  std::string why;
  std::optional<LoweredKernel> kernel = LowerKernel(module, root, why);
  if (!kernel) return state.SkipWithError(why.c_str());
  auto jit = Jit::Create({});
  JitUnit unit{kernel->key, {}, kernel->emit};
  for (const KernelCall& call : kernel->calls) unit.symbols.push_back(call.symbol);
  const auto counts = (*jit)->Compile(std::span(&unit, 1));
  if (!counts.ok()) return state.SkipWithError(counts.error().message.c_str());
  std::string ignored;
  const auto body = MakeKernelBody(module, root, ignored);
  std::vector<Memory> memory;
  std::vector<void*> buffers;
  int64_t bytes = 0;
  std::srand(7);
  for (const ArrayView& view : body->buffers) {
    memory.push_back(Allocate(view.bytes()));
    bytes += view.bytes();
    buffers.push_back(memory.back().get());
    // Values of moderate magnitude; arbitrary indices.
    for (int64_t i = 0; i < view.count; ++i) {
      if (view.type == ElementType::kF32) {
        static_cast<float*>(buffers.back())[i] = static_cast<float>(i % 1000) * 0.01F;
      } else if (view.type == ElementType::kS32) {
        static_cast<int32_t*>(buffers.back())[i] = std::rand();
      } else if (view.type == ElementType::kBF16) {
        static_cast<uint16_t*>(buffers.back())[i] = static_cast<uint16_t>(0x3F80 + i % 100);
      }
    }
    if (view.type == ElementType::kS32) {
      for (int64_t i = 0; i < view.count; ++i) static_cast<int32_t*>(buffers.back())[i] %= 65536;
    }
  }
  memory.push_back(Allocate(kernel->temp_bytes));
  buffers.push_back(memory.back().get());
  for (KernelCall& call : kernel->calls) call.function = (*jit)->Find(call.symbol);
  for (auto _ : state) {
    for (const KernelCall& call : kernel->calls) {
      TeamFor(call.iterations, call.grain,
              [&](int64_t begin, int64_t end) { call.function(buffers.data(), begin, end); });
    }
  }
  state.SetBytesProcessed(bytes * static_cast<int64_t>(state.iterations()));
}

void Copy(benchmark::State& state) {
  const int64_t bytes = int64_t{1} << 28;
  const Memory from = Allocate(bytes);
  const Memory to = Allocate(bytes);
  for (auto _ : state) {
    TeamFor(bytes / 4096, 16, [&](int64_t begin, int64_t end) {
      std::memcpy(static_cast<char*>(to.get()) + begin * 4096,
                  static_cast<const char*>(from.get()) + begin * 4096,
                  static_cast<size_t>((end - begin) * 4096));
    });
  }
  state.SetBytesProcessed(2 * bytes * static_cast<int64_t>(state.iterations()));
}

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const char* name, const std::string& text) {
    benchmark::RegisterBenchmark(name, [text](benchmark::State& state) { RunKernel(state, text); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  const std::string square = "a = f32[4096,4096] parameter(0)";
  const std::string zero = "\nz = f32[] parameter(1)";
  benchmark::RegisterBenchmark("memcpy", Copy)->Unit(benchmark::kMillisecond)->UseRealTime();
  add("add 64M", Op("a = f32[64000000] parameter(0)\nb = f32[64000000] parameter(1)",
                    "f32[64000000] add(a, b)"));
  add("gelu bf16 64M", kGelu);
  add("negate 4096x4096", Op(square, "f32[4096,4096] negate(a)"));
  add("softmax 4096x4096", Softmax("4096"));
  add("softmax 32x4096", Softmax("32"));
  add("layernorm 4096x4096", kLayerNorm);
  add("transpose 4096x4096", Op(square, "f32[4096,4096] transpose(a), dimensions={1,0}"));
  add("transpose 16x1024x8x128", Op("a = f32[16,1024,8,128] parameter(0)",
                                    "f32[16,8,1024,128] transpose(a), dimensions={0,2,1,3}"));
  add("sum 64M", Op("a = f32[64000000] parameter(0)" + zero,
                    "f32[] reduce(a, z), dimensions={0}, to_apply=add"));
  add("row max 4096x4096",
      Op(square + zero, "f32[4096] reduce(a, z), dimensions={1}, to_apply=max"));
  add("row sum 262144x64", Op("a = f32[262144,64] parameter(0)" + zero,
                              "f32[262144] reduce(a, z), dimensions={1}, to_apply=add"));
  add("column sum 4096x4096",
      Op(square + zero, "f32[4096] reduce(a, z), dimensions={0}, to_apply=add"));
  add("column sum 262144x64", Op("a = f32[262144,64] parameter(0)" + zero,
                                 "f32[64] reduce(a, z), dimensions={0}, to_apply=add"));
  add("cumsum 4096x4096", Op(square + zero,
                             "f32[4096,4096] reduce-window(a, z), window={size=1x4096 "
                             "pad=0_0x4095_0}, to_apply=add"));
  add("cumsum columns 4096x4096", Op(square + zero,
                                     "f32[4096,4096] reduce-window(a, z), window={size=4096x1 "
                                     "pad=4095_0x0_0}, to_apply=add"));
  add("maxpool 3x3s2", Op("a = f32[32,112,112,64] parameter(0)" + zero,
                          "f32[32,56,56,64] reduce-window(a, z), window={size=1x3x3x1 "
                          "stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, to_apply=max"));
  add("gather 65536x256", Op("a = f32[65536,256] parameter(0)\ni = s32[65536,1] parameter(1)",
                             "f32[65536,256] gather(a, i), offset_dims={1}, "
                             "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                             "slice_sizes={1,256}"));
  add("scatter-add 65536x256",
      Op("a = f32[65536,256] parameter(0)\ni = s32[65536,1] parameter(1)\n"
         "u = f32[65536,256] parameter(2)",
         "f32[65536,256] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0}, "
         "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add"));
  add("concatenate", Op("a = f32[4096,2048] parameter(0)\nb = f32[4096,2048] parameter(1)",
                        "f32[4096,4096] concatenate(a, b), dimensions={1}"));
  add("pad",
      Op("a = f32[4094,4094] parameter(0)" + zero, "f32[4096,4096] pad(a, z), padding=1_1x1_1"));
  add("dynamic-update-slice",
      Op("a = f32[64,1024,1024] parameter(0)\nu = f32[64,1,1024] parameter(1)\n"
         "i = s32[] parameter(2)\nj = s32[] parameter(3)\nk = s32[] parameter(4)",
         "f32[64,1024,1024] dynamic-update-slice(a, u, i, j, k)"));
  return true;
}();

}  // namespace
}  // namespace halo
