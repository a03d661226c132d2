// Benchmarks dots against oneDNN alone, GEMM shapes of decoding and of an LSTM training step, and
// the other families of library ops.
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "halo/codegen/library/lib_onednn.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/codegen/test/library_check.h"

namespace halo {
namespace {

// An op with several sets of buffers used in turn, so that weights are read from memory.
class OpRunner {
 public:
  OpRunner(const std::string& text, int sets) : read_(ReadHloText(text)) {
    const Module& module = read_.module;
    const InstId root = module.comp(module.entry).root;
    op_ = MakeLibraryOp(module, root);
    const auto operands = *PlacedOperands(module, module.inst(root));
    const auto results = *PlacedResults(module, module.inst(root));
    for (int s = 0; s < sets; ++s) {
      std::vector<void*> set;
      for (const auto& placed : {operands, results}) {
        for (const Placed& position : placed) {
          owned_.push_back(MakeBuffer(position.bytes()));
          Fill(position, owned_.back().get());
          set.push_back(owned_.back().get());
        }
      }
      sets_.push_back(set);
    }
    if (op_ != nullptr) scratch_ = MakeBuffer(op_->scratch_bytes());
  }
  // Random values: around one for floats, scattered for all types.
  static void Fill(const Placed& position, void* to) {
    const Array made = MakeRandomInput(
        position.type, position.dims, {.seed = 1, .parameter = 0, .leaf = 0, .part = 0, .use = {}});
    std::memcpy(to, made.bytes(), made.byte_count());
  }
  void Run() {
    benchmark::DoNotOptimize(op_->Run(sets_[next_], scratch_.get()));
    next_ = (next_ + 1) % sets_.size();
  }
  [[nodiscard]] std::string Text() const { return op_ == nullptr ? "none" : op_->Text(); }
  [[nodiscard]] bool ok() const { return op_ != nullptr; }

 private:
  TextReadResult read_;
  std::unique_ptr<LibraryOp> op_;
  std::vector<Buffer> owned_;
  std::vector<std::vector<void*>> sets_;
  Buffer scratch_;
  size_t next_ = 0;
};

struct Case {
  const char* name;
  const char *lhs, *rhs, *result, *numbers;
  double gigaflops;
  int sets;
};

constexpr const char* kPlain = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
constexpr const char* kByRows = "lhs_contracting_dims={1}, rhs_contracting_dims={1}";
constexpr const char* kBatched =
    "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}";

const Case kCases[] = {
    {"f32 2048", "f32[2048,2048]", "f32[2048,2048]", "f32[2048,2048]", kPlain, 17.18, 1},
    {"bf16 2048", "bf16[2048,2048]", "bf16[2048,2048]", "bf16[2048,2048]", kPlain, 17.18, 1},
    {"f64 1024", "f64[1024,1024]", "f64[1024,1024]", "f64[1024,1024]", kPlain, 2.147, 1},
    {"s32 1024", "s32[1024,1024]", "s32[1024,1024]", "s32[1024,1024]", kPlain, 2.147, 1},
    {"c64 1024", "c64[1024,1024]", "c64[1024,1024]", "c64[1024,1024]", kPlain, 8.59, 1},
    {"s8 2048", "s8[2048,2048]", "s8[2048,2048]", "s32[2048,2048]", kPlain, 17.18, 1},
    {"bf16 64x1024x6144", "bf16[64,1024]", "bf16[6144,1024]", "bf16[64,6144]", kByRows, 0.805, 24},
    {"bf16 64x3072x1024", "bf16[64,3072]", "bf16[1024,3072]", "bf16[64,1024]", kByRows, 0.403, 32},
    {"bf16 64x2048x27648", "bf16[64,2048]", "bf16[27648,2048]", "bf16[64,27648]", kByRows, 7.25, 2},
    {"bf16 1x4096x4096 Bt", "bf16[1,4096]", "bf16[4096,4096]", "bf16[1,4096]", kByRows, 0.0336, 8},
    {"bf16 1x4096x4096", "bf16[1,4096]", "bf16[4096,4096]", "bf16[1,4096]", kPlain, 0.0336, 8},
    {"f32 1x4096x4096 Bt", "f32[1,4096]", "f32[4096,4096]", "f32[1,4096]", kByRows, 0.0336, 4},
    {"f32 1x4096x4096", "f32[1,4096]", "f32[4096,4096]", "f32[1,4096]", kPlain, 0.0336, 4},
    {"bf16 1024x[1x128x512]", "bf16[1024,1,128]", "bf16[1024,128,512]", "bf16[1024,1,512]",
     kBatched, 0.134, 2},
    {"f32 1024x[1x128x512]", "f32[1024,1,128]", "f32[1024,128,512]", "f32[1024,1,512]", kBatched,
     0.134, 1},
    {"bf16 64x[16x128x512]", "bf16[64,16,128]", "bf16[64,128,512]", "bf16[64,16,512]", kBatched,
     0.134, 4},
    {"f32 64x[16x128x512]", "f32[64,16,128]", "f32[64,128,512]", "f32[64,16,512]", kBatched, 0.134,
     4},
    {"f32 16x2048x4096", "f32[16,2048]", "f32[2048,4096]", "f32[16,4096]", kPlain, 0.268, 4},
    {"f32 16x4096x2048 Bt", "f32[16,4096]", "f32[2048,4096]", "f32[16,2048]", kByRows, 0.268, 4},
};

void Dot(benchmark::State& state) {
  const Case& c = kCases[state.range(0)];
  OpRunner runner("HloModule m\nENTRY e {\n a = " + std::string(c.lhs) +
                      " parameter(0)\n b = " + c.rhs + " parameter(1)\n ROOT r = " + c.result +
                      " dot(a, b), " + c.numbers + "\n}\n",
                  c.sets);
  state.SetLabel(std::string(c.name) + ": " + runner.Text());
  if (!runner.ok()) return;
  for (auto _ : state) runner.Run();
  state.counters["GF/s"] = benchmark::Counter(c.gigaflops * static_cast<double>(state.iterations()),
                                              benchmark::Counter::kIsRate);
}
BENCHMARK(Dot)->DenseRange(0, std::size(kCases) - 1)->UseRealTime()->Unit(benchmark::kMillisecond);

struct TextCase {
  const char* name;
  const char* text;
  int sets;
};

constexpr const char* kLess =
    "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] compare(a, b), "
    "direction=LT, type=TOTALORDER\n}\n";
constexpr const char* kLessOfTwo =
    "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = s32[] parameter(2)\n d = s32[] "
    "parameter(3)\n ROOT r = pred[] compare(a, b), direction=LT\n}\n";

std::string WithComparators(const char* text) {
  std::string out = "HloModule m\n";
  const std::string entry = text;
  if (entry.find("to_apply=") != std::string::npos) {
    out += entry.find("sort(a, b)") != std::string::npos ? kLessOfTwo : kLess;
  }
  return out + "ENTRY e {\n" + entry + "\n}\n";
}

const TextCase kTexts[] = {
    {"sort 1e6 f32",
     " a = f32[1000000] parameter(0)\n ROOT r = f32[1000000] sort(a), dimensions={0}, "
     "to_apply=less",
     1},
    {"argsort 1e6 f32",
     " a = f32[1000000] parameter(0)\n b = s32[1000000] parameter(1)\n ROOT r = (f32[1000000], "
     "s32[1000000]) sort(a, b), dimensions={0}, is_stable=true, to_apply=less",
     1},
    {"argsort 4096 rows of 8",
     " a = f32[4096,8] parameter(0)\n b = s32[4096,8] parameter(1)\n ROOT r = (f32[4096,8], "
     "s32[4096,8]) sort(a, b), dimensions={1}, is_stable=true, to_apply=less",
     1},
    {"conv3x3 [8,56,56,64] NHWC",
     " a = f32[8,56,56,64] parameter(0)\n b = f32[3,3,64,64] parameter(1)\n ROOT r = "
     "f32[8,56,56,64] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
     2},
    {"conv3x3 [8,64,56,56] NCHW",
     " a = f32[8,64,56,56] parameter(0)\n b = f32[64,64,3,3] parameter(1)\n ROOT r = "
     "f32[8,64,56,56] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01",
     2},
    {"conv3x3 s2 back to input",
     " a = f32[8,28,28,64] parameter(0)\n b = f32[3,3,64,64] parameter(1)\n ROOT r = "
     "f32[8,56,56,64] convolution(a, b), window={size=3x3 pad=1_2x1_2 lhs_dilate=2x2}, "
     "dim_labels=b01f_01io->b01f",
     2},
    {"conv3x3 back to filter",
     " a = f32[8,56,56,64] parameter(0)\n b = f32[8,56,56,64] parameter(1)\n ROOT r = "
     "f32[3,3,64,64] convolution(a, b), window={size=56x56 pad=1_1x1_1}, "
     "dim_labels=f01b_i01o->01bf",
     2},
    {"conv3x3 bf16 NHWC",
     " a = bf16[8,56,56,64] parameter(0)\n b = bf16[3,3,64,64] parameter(1)\n ROOT r = "
     "bf16[8,56,56,64] convolution(a, b), window={size=3x3 pad=1_1x1_1}, "
     "dim_labels=b01f_01io->b01f",
     2},
    {"fft2 1024x1024 c64",
     " a = c64[1024,1024] parameter(0)\n ROOT r = c64[1024,1024] fft(a), fft_type=FFT, "
     "fft_length={1024,1024}",
     1},
    {"fft 4096x256 c64",
     " a = c64[4096,256] parameter(0)\n ROOT r = c64[4096,256] fft(a), fft_type=FFT, "
     "fft_length={256}",
     1},
    {"rfft 4096x256 f32",
     " a = f32[4096,256] parameter(0)\n ROOT r = c64[4096,129] fft(a), fft_type=RFFT, "
     "fft_length={256}",
     1},
    {"fft 1048576 c64",
     " a = c64[1048576] parameter(0)\n ROOT r = c64[1048576] fft(a), fft_type=FFT, "
     "fft_length={1048576}",
     1},
};

void Op(benchmark::State& state) {
  const TextCase& c = kTexts[state.range(0)];
  OpRunner runner(WithComparators(c.text), c.sets);
  state.SetLabel(std::string(c.name) + ": " + runner.Text());
  if (!runner.ok()) return;
  for (auto _ : state) runner.Run();
}
BENCHMARK(Op)->DenseRange(0, std::size(kTexts) - 1)->UseRealTime()->Unit(benchmark::kMillisecond);

// The implementations of one GEMM side by side: [m, k] times [k, n] or transposed [n, k].
struct ProductCase {
  ElementType type;
  int64_t batch, m, k, n;
  bool by_rows;  // b is stored as [n, k]
  double beta;
};

const ProductCase kProducts[] = {
    {ElementType::kF32, 1, 2048, 2048, 2048, false, 0},
    {ElementType::kF32, 1, 16, 2048, 4096, false, 0},
    {ElementType::kF32, 1, 16, 4096, 2048, true, 0},
    {ElementType::kF32, 1, 32, 2048, 4096, false, 0},
    {ElementType::kF32, 1, 64, 2048, 4096, false, 0},
    {ElementType::kF32, 1, 128, 2048, 4096, false, 0},
    {ElementType::kF32, 1, 128, 2048, 4096, true, 0},
    {ElementType::kF32, 1, 2048, 16, 4096, false, 1},
    {ElementType::kF32, 1, 256, 256, 256, false, 0},
    {ElementType::kF32, 1, 4, 2048, 4096, false, 0},
    {ElementType::kF32, 1, 4, 2048, 4096, true, 0},
    {ElementType::kF32, 1, 1, 4096, 4096, false, 0},
    {ElementType::kF32, 1, 1, 4096, 4096, true, 0},
    {ElementType::kBF16, 1, 1, 4096, 4096, false, 0},
    {ElementType::kBF16, 1, 1, 4096, 4096, true, 0},
    {ElementType::kBF16, 1, 4, 4096, 4096, true, 0},
    {ElementType::kBF16, 256, 1, 128, 512, false, 0},
    {ElementType::kBF16, 256, 4, 128, 512, false, 0},
    {ElementType::kF32, 256, 1, 128, 512, false, 0},
    {ElementType::kF32, 64, 16, 128, 512, false, 0},
    {ElementType::kF32, 64, 128, 128, 128, false, 0},
};
constexpr std::unique_ptr<ProductKernel> (*kWays[])(const Product&) = {
    MakeThinGemm, MakeOneDnnSgemm, MakeOneDnnMatmul};

void Way(benchmark::State& state) {
  const ProductCase& c = kProducts[state.range(0)];
  Product p = {.a_type = c.type,
               .b_type = c.type,
               .c_type = c.type,
               .batch = {c.batch},
               .m = c.m,
               .n = c.n,
               .k = c.k,
               .a = {},
               .b = {},
               .c = {},
               .alpha = 1,
               .beta = c.beta};
  p.a = {.row = c.k, .column = 1, .batch = {c.m * c.k}};
  p.b = {.row = c.by_rows ? 1 : c.n, .column = c.by_rows ? c.k : 1, .batch = {c.k * c.n}};
  p.c = {.row = c.n, .column = 1, .batch = {c.m * c.n}};
  const auto kernel = kWays[state.range(1)](p);
  if (kernel == nullptr) return state.SkipWithError("not this way");
  state.SetLabel(kernel->Text() + (c.by_rows ? " Bt" : ""));
  const auto bytes = static_cast<int64_t>(StoredBytes(c.type));
  const auto make = [&](int64_t count) {
    Buffer out = MakeBuffer(count * bytes);
    std::memset(out.get(), 0x3C, static_cast<size_t>(count * bytes));
    return out;
  };
  const Buffer a = make(c.batch * c.m * c.k);
  const Buffer b = make(c.batch * c.k * c.n);
  const Buffer d = make(c.batch * c.m * c.n);
  const Buffer scratch = MakeBuffer(kernel->scratch_bytes());
  for (auto _ : state) kernel->Run(a.get(), b.get(), d.get(), scratch.get());
}
BENCHMARK(Way)
    ->ArgsProduct({benchmark::CreateDenseRange(0, std::size(kProducts) - 1, 1), {0, 1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// The same GEMM by oneDNN alone.
void BareMatmul(benchmark::State& state) {
  const ElementType type = state.range(0) == 0 ? ElementType::kF32 : ElementType::kBF16;
  const Dims dims = {2048, 2048};
  const Dims strides = {2048, 1};
  const auto desc = onednn::Strided(dims, type, strides);
  const auto pd = onednn::Matmul(desc, desc, desc, {});
  const dnnl::matmul primitive(pd);
  dnnl::memory memories[3];
  for (dnnl::memory& memory : memories) {
    memory = dnnl::memory(desc, onednn::Cpu());
    std::memset(memory.get_data_handle(), 0x3C, desc.get_size());
  }
  for (auto _ : state) {
    primitive.execute(onednn::Queue(), {{DNNL_ARG_SRC, memories[0]},
                                        {DNNL_ARG_WEIGHTS, memories[1]},
                                        {DNNL_ARG_DST, memories[2]}});
    onednn::Queue().wait();
  }
  state.counters["GF/s"] = benchmark::Counter(17.18 * static_cast<double>(state.iterations()),
                                              benchmark::Counter::kIsRate);
}
BENCHMARK(BareMatmul)->DenseRange(0, 1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace halo
