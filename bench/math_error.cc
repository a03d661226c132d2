// The error of one function of the compiled engine in ulp, over a range of inputs: floats of
// a sequence that has each once, or doubles of another one. usage: math_error FUNCTION f32|f64
// BEGIN END Prints one JSON line. HALO_MAX_ISA selects the level, as for every program with the
// engine.
//
// Floats are compared with doubles from glibc's vector library, whose errors of a few ulp of a
// double are below 1e-8 ulp of a float; whatever exceeds the largest error so far is compared again
// with the long double of the C library. Doubles are compared with long doubles, which are exact to
// 0.001 ulp of a double.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "halo/codegen/compile.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/execute.h"
#include "halo/runtime/thread_team.h"
#include "halo/text/read/read_text.h"

namespace {

using Wide = long double;

struct Function {
  const char* opcode;
  Wide (*exact)(Wide);
  const char* vector_name;  // of the same function on doubles, in libmvec
};

Wide Logistic(Wide x) { return 1 / (1 + std::exp(-x)); }
Wide Rsqrt(Wide x) { return 1 / std::sqrt(x); }

const Function kMathFunctions[] = {
    {"exponential", [](Wide x) { return std::exp(x); }, "exp"},
    {"exponential-minus-one", [](Wide x) { return std::expm1(x); }, "expm1"},
    {"log", [](Wide x) { return std::log(x); }, "log"},
    {"log-plus-one", [](Wide x) { return std::log1p(x); }, "log1p"},
    {"logistic", Logistic, "exp"},
    {"tanh", [](Wide x) { return std::tanh(x); }, "tanh"},
    {"sine", [](Wide x) { return std::sin(x); }, "sin"},
    {"cosine", [](Wide x) { return std::cos(x); }, "cos"},
    {"tan", [](Wide x) { return std::tan(x); }, "tan"},
    {"asin", [](Wide x) { return std::asin(x); }, "asin"},
    {"acos", [](Wide x) { return std::acos(x); }, "acos"},
    {"sinh", [](Wide x) { return std::sinh(x); }, "sinh"},
    {"cosh", [](Wide x) { return std::cosh(x); }, "cosh"},
    {"asinh", [](Wide x) { return std::asinh(x); }, "asinh"},
    {"acosh", [](Wide x) { return std::acosh(x); }, "acosh"},
    {"atanh", [](Wide x) { return std::atanh(x); }, "atanh"},
    {"erf", [](Wide x) { return std::erf(x); }, "erf"},
    {"cbrt", [](Wide x) { return std::cbrt(x); }, "cbrt"},
    {"rsqrt", Rsqrt, nullptr},
    {"sqrt", [](Wide x) { return std::sqrt(x); }, nullptr},
};

// The distance in ulp of T at the exact value. Infinity counts as the power of two after the
// largest number. Negative: one of the two is not a number.
template <class T>
double Distance(Wide exact, T got) {
  if (std::isnan(exact) && std::isnan(got)) return 0;
  if (std::isnan(exact) || std::isnan(got)) return -1;
  using Limits = std::numeric_limits<T>;
  const Wide most = std::ldexp(Wide{1}, Limits::max_exponent);
  const Wide a = std::clamp<Wide>(exact, -most, most);
  const Wide b = std::clamp<Wide>(got, -most, most);
  const int exponent =
      a == 0 ? Limits::min_exponent - 1
             : std::clamp(std::ilogb(a), Limits::min_exponent - 1, Limits::max_exponent - 1);
  return static_cast<double>(std::ldexp(std::abs(a - b), Limits::digits - 1 - exponent));
}

struct Found {
  double worst = 0, worst_subnormal = 0;  // of normal and of subnormal results
  double at = 0, got = 0;
  int64_t count = 0, beyond_one = 0, wrong_nan = 0;
  double nan_at = 0;

  template <class T>
  void Take(T x, T result, Wide exact) {
    const double distance = Distance<T>(exact, result);
    if (distance < 0) {
      ++wrong_nan;
      nan_at = x;
      return;
    }
    beyond_one += distance > 1 ? 1 : 0;
    if (std::abs(exact) < std::numeric_limits<T>::min()) {
      worst_subnormal = std::max(worst_subnormal, distance);
    } else if (distance > worst) {
      worst = distance;
      at = x;
      got = result;
    }
  }
};

#if defined(__x86_64__)
using VectorFunction = __m256d (*)(__m256d);

// exact[i] = f(x[i]); n is a multiple of 4.
__attribute__((target("avx2,fma"))) void Exactly(VectorFunction f, std::string_view opcode,
                                                 const float* x, double* exact, int64_t n) {
  const __m256d one = _mm256_set1_pd(1);
  const __m256d sign = _mm256_set1_pd(-0.0);
  for (int64_t i = 0; i < n; i += 4) {
    __m256d in = _mm256_cvtps_pd(_mm_loadu_ps(x + i));
    __m256d out;
    if (opcode == "logistic") {
      out = _mm256_div_pd(one, _mm256_add_pd(one, f(_mm256_xor_pd(in, sign))));
    } else if (f == nullptr) {
      out = _mm256_sqrt_pd(in);
      if (opcode == "rsqrt") out = _mm256_div_pd(one, out);
    } else {
      out = f(in);
    }
    _mm256_storeu_pd(exact + i, out);
  }
}

// Distances as above, in bulk; those of wrong NaN are infinite.
__attribute__((target("avx2,fma"))) void Distances(const double* exact, const float* got,
                                                   double* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const double most = 0x1p128;
    const double a = exact[i];
    const double b = got[i];
    const double bounded_a = std::copysign(std::abs(a) < most ? std::abs(a) : most, a);
    const double bounded_b = std::copysign(std::abs(b) < most ? std::abs(b) : most, b);
    const auto stored = std::bit_cast<uint64_t>(bounded_a) >> 52 & 0x7FF;
    const uint64_t low = stored < 1023 - 126 ? 1023 - 126 : stored;
    const uint64_t exponent = low > 1023 + 127 ? 1023 + 127 : low;
    const double scale = std::bit_cast<double>((2069 - exponent) << 52);
    const double distance = std::abs(bounded_a - bounded_b) * scale;
    const bool nan_a = a != a;
    const bool nan_b = b != b;
    to[i] = nan_a != nan_b ? HUGE_VAL : nan_a ? 0 : distance;
  }
}
#endif

VectorFunction FindVector(const char* name) {
  if (name == nullptr) return nullptr;
  void* library = dlopen("libmvec.so.1", RTLD_NOW);
  const std::string symbol = std::string("_ZGVdN4v_") + name;
  return library == nullptr ? nullptr
                            : reinterpret_cast<VectorFunction>(dlsym(library, symbol.c_str()));
}

// The compiled function on blocks of kBlock elements.
constexpr int64_t kBlock = int64_t{1} << 18;
class Compiled {
 public:
  Compiled(const char* opcode, const char* type) {
    const std::string shape = std::string(type) + "[" + std::to_string(kBlock) + "]";
    const std::string text = "HloModule m\nENTRY e {\n x = " + shape +
                             " parameter(0)\n ROOT r = " + shape + " " + opcode + "(x)\n}\n";
    auto made = halo::CompileModule(halo::ReadHloText(text).module, {});
    if (!made.ok()) return;
    module_ = std::move(*made);
    execution_ = std::make_unique<halo::Execution>(module_->module(), module_->plan, options_);
  }
  [[nodiscard]] bool ok() const { return execution_ != nullptr; }
  bool Run(const halo::Array& input) {
    const std::vector<halo::Value> arguments = {halo::Value(input)};
    if (execution_->Bind(arguments) || execution_->Run()) return false;
    result_ = execution_->Result();
    return true;
  }
  [[nodiscard]] const halo::Array& result() const { return result_.array(); }

 private:
  halo::EvalOptions options_;
  std::unique_ptr<halo::CompiledModule> module_;
  std::unique_ptr<halo::Execution> execution_;
  halo::Value result_;
};

uint64_t Mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

// Numbers up to 2^32 give each float once. Consecutive ones are spread over all of them, so that a
// part of the range is a sample.
float FloatAt(uint64_t number) {
  return std::bit_cast<float>(static_cast<uint32_t>(number) * uint32_t{2654435769});
}

// Every other one has any bit pattern; the rest is spread over sizes where functions vary.
double DoubleAt(uint64_t number) {
  const uint64_t bits = Mixed(number);
  if (number % 2 == 0) return std::bit_cast<double>(bits);
  const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
  const double size = std::ldexp(1 + unit, static_cast<int>(Mixed(bits) % 24) - 16);
  return (bits & 1) != 0 ? -size : size;
}

template <class T>
bool Measure(const Function& function, uint64_t begin, uint64_t end, Found& found) {
  constexpr bool kFloat = sizeof(T) == 4;
  Compiled compiled(function.opcode, kFloat ? "f32" : "f64");
  if (!compiled.ok()) return false;
  [[maybe_unused]] VectorFunction vector = FindVector(function.vector_name);
  std::vector<double> exact(kBlock), distances(kBlock);
  for (uint64_t first = begin; first < end; first += kBlock) {
    const auto count = static_cast<int64_t>(std::min<uint64_t>(kBlock, end - first));
    const int64_t dims[] = {kBlock};
    halo::Array input(kFloat ? halo::ElementType::kF32 : halo::ElementType::kF64, dims);
    T* x = reinterpret_cast<T*>(input.MutableBytes());
    for (int64_t i = 0; i < kBlock; ++i) {
      const uint64_t number = first + static_cast<uint64_t>(std::min(i, count - 1));
      if constexpr (kFloat) {
        x[i] = FloatAt(number);
      } else {
        x[i] = DoubleAt(number);
      }
    }
    if (!compiled.Run(input)) return false;
    const T* got = reinterpret_cast<const T*>(compiled.result().bytes());
    found.count += count;
    bool in_bulk = false;
#if defined(__x86_64__)
    if constexpr (kFloat) {
      in_bulk = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                (vector != nullptr || function.vector_name == nullptr);
      if (in_bulk) {
        Exactly(vector, function.opcode, x, exact.data(), kBlock);
        Distances(exact.data(), got, distances.data(), kBlock);
        for (int64_t i = 0; i < count; ++i) {
          found.beyond_one += distances[static_cast<size_t>(i)] > 1 ? 1 : 0;
          const bool subnormal =
              std::abs(exact[static_cast<size_t>(i)]) < std::numeric_limits<float>::min();
          if (distances[static_cast<size_t>(i)] <=
              (subnormal ? found.worst_subnormal : found.worst)) {
            continue;
          }
          const int64_t beyond = found.beyond_one;
          found.Take<T>(x[i], got[i], function.exact(x[i]));
          found.beyond_one = beyond;
        }
      }
    }
#endif
    if (in_bulk) continue;
    for (int64_t i = 0; i < count; ++i) found.Take<T>(x[i], got[i], function.exact(x[i]));
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: math_error FUNCTION f32|f64 BEGIN END\n");
    return 2;
  }
  halo::SetTeamSize(1);
  const bool is_float = std::string_view(argv[2]) == "f32";
  for (const Function& function : kMathFunctions) {
    if (std::string_view(function.opcode) != argv[1]) continue;
    Found found;
    const uint64_t begin = std::strtoull(argv[3], nullptr, 10);
    const uint64_t end = std::strtoull(argv[4], nullptr, 10);
    const bool measured = is_float ? Measure<float>(function, begin, end, found)
                                   : Measure<double>(function, begin, end, found);
    if (!measured) return 1;
    std::printf(
        "{\"function\": \"%s\", \"type\": \"%s\", \"count\": %lld, \"worst\": %.4f, "
        "\"at\": \"%a\", \"got\": \"%a\", \"worst_subnormal\": %.4f, \"beyond_one\": %lld, "
        "\"wrong_nan\": %lld, \"nan_at\": \"%a\", \"level\": %d}\n",
        function.opcode, argv[2], static_cast<long long>(found.count), found.worst, found.at,
        found.got, found.worst_subnormal, static_cast<long long>(found.beyond_one),
        static_cast<long long>(found.wrong_nan), found.nan_at,
        static_cast<int>(halo::BestCpuLevel()));
    return 0;
  }
  std::fprintf(stderr, "math_error: no function %s\n", argv[1]);
  return 2;
}
