// The error of one function of the compiled engine in ulp, over a range of inputs: floats of
// a sequence that has each once, or doubles of another one, at one or several levels of vector
// extensions. usage: math_error FUNCTION f32|f64 BEGIN END LEVEL... Prints one JSON line for each
// level, which is a value of HALO_MAX_ISA. As that is read once for each process, every level has
// a separate one, which computes blocks of inputs in memory that all share; the exact values are
// computed once for all levels.
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
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
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

// What the result is outside of a range of numbers. For those, libmvec calls the C library one by
// one, so the range is left to it.
enum class Outside {
  kOrdinary,  // as inside
  kLikeEnd,   // as at the end of the range, when it is rounded to a float
  kNan,
};

struct Function {
  const char* opcode;
  Wide (*exact)(Wide);
  const char* vector_name;  // of the same function on doubles, in libmvec
  Outside outside = Outside::kOrdinary;
  double lowest = -HUGE_VAL, highest = HUGE_VAL;
};

Wide Logistic(Wide x) { return 1 / (1 + std::exp(-x)); }
Wide Rsqrt(Wide x) { return 1 / std::sqrt(x); }

// e^x is beyond the floats from 104 on.
constexpr double kBeyond = 200;

const Function kMathFunctions[] = {
    {"exponential", [](Wide x) { return std::exp(x); }, "exp", Outside::kLikeEnd, -kBeyond,
     kBeyond},
    {"exponential-minus-one", [](Wide x) { return std::expm1(x); }, "expm1", Outside::kLikeEnd,
     -kBeyond, kBeyond},
    {"log", [](Wide x) { return std::log(x); }, "log", Outside::kNan, 0},
    {"log-plus-one", [](Wide x) { return std::log1p(x); }, "log1p", Outside::kNan, -1},
    {"logistic", Logistic, "exp", Outside::kLikeEnd, -kBeyond, kBeyond},
    {"tanh", [](Wide x) { return std::tanh(x); }, "tanh", Outside::kLikeEnd, -kBeyond, kBeyond},
    {"sine", [](Wide x) { return std::sin(x); }, "sin"},
    {"cosine", [](Wide x) { return std::cos(x); }, "cos"},
    {"tan", [](Wide x) { return std::tan(x); }, "tan"},
    {"asin", [](Wide x) { return std::asin(x); }, "asin", Outside::kNan, -1, 1},
    {"acos", [](Wide x) { return std::acos(x); }, "acos", Outside::kNan, -1, 1},
    {"sinh", [](Wide x) { return std::sinh(x); }, "sinh", Outside::kLikeEnd, -kBeyond, kBeyond},
    {"cosh", [](Wide x) { return std::cosh(x); }, "cosh", Outside::kLikeEnd, -kBeyond, kBeyond},
    {"asinh", [](Wide x) { return std::asinh(x); }, "asinh"},
    {"acosh", [](Wide x) { return std::acosh(x); }, "acosh", Outside::kNan, 1},
    {"atanh", [](Wide x) { return std::atanh(x); }, "atanh", Outside::kNan, -1, 1},
    {"erf", [](Wide x) { return std::erf(x); }, "erf"},
    {"cbrt", [](Wide x) { return std::cbrt(x); }, "cbrt"},
    {"rsqrt", Rsqrt, nullptr},
    {"sqrt", [](Wide x) { return std::sqrt(x); }, nullptr},
};

// The exponent of a finite x that is not zero, at least that of the smallest normal number of T and
// at most that of the largest one.
template <class T>
int Exponent(Wide x) {
  using Limits = std::numeric_limits<T>;
  const auto rounded = static_cast<double>(x);
  const auto bits = std::bit_cast<uint64_t>(rounded);
  int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  // Rounded up to a power of two.
  if (std::abs(Wide{rounded}) > std::abs(x) && bits << 12 == 0) --exponent;
  return std::clamp(exponent, Limits::min_exponent - 1, Limits::max_exponent - 1);
}

// 2^exponent, for those of doubles and their reciprocals.
Wide PowerOfTwo(int exponent) {
  constexpr int kMost = 1100;
  static const std::vector<Wide> kPowers = [] {
    std::vector<Wide> all;
    for (int i = -kMost; i <= kMost; ++i) all.push_back(std::ldexp(Wide{1}, i));
    return all;
  }();
  return kPowers[static_cast<size_t>(exponent + kMost)];
}

// The distance in ulp of T at the exact value. Infinity counts as the power of two after the
// largest number. Negative: one of the two is not a number.
template <class T>
double Distance(Wide exact, T got) {
  if (exact != exact || got != got) return exact != exact && got != got ? 0 : -1;
  using Limits = std::numeric_limits<T>;
  const Wide most = PowerOfTwo(Limits::max_exponent);
  const Wide a = std::clamp<Wide>(exact, -most, most);
  const Wide b = std::clamp<Wide>(got, -most, most);
  const int exponent = Exponent<T>(a);
  return static_cast<double>(std::abs(a - b) * PowerOfTwo(Limits::digits - 1 - exponent));
}

struct Found {
  double worst = 0, worst_subnormal = 0;  // of normal and of subnormal results
  double at = 0, got = 0;
  int64_t count = 0, beyond_one = 0, wrong_nan = 0;
  double nan_at = 0;

  // Returns the distance.
  template <class T>
  double Take(T x, T result, Wide exact) {
    const double distance = Distance<T>(exact, result);
    Take(x, result, std::abs(exact) < std::numeric_limits<T>::min(), distance);
    return distance;
  }
  void Take(double x, double result, bool is_subnormal, double distance) {
    if (distance < 0) {
      ++wrong_nan;
      nan_at = x;
      return;
    }
    beyond_one += distance > 1 ? 1 : 0;
    if (is_subnormal) {
      worst_subnormal = std::max(worst_subnormal, distance);
    } else if (distance > worst) {
      worst = distance;
      at = x;
      got = result;
    }
  }
};

// Doubles from libmvec, four or eight at a time.
struct VectorFunction {
  void* four = nullptr;
  void* eight = nullptr;
};

VectorFunction FindVector(const char* name) {
  if (name == nullptr) return {};
  void* library = dlopen("libmvec.so.1", RTLD_NOW);
  if (library == nullptr) return {};
  const auto find = [&](const char* prefix) {
    return dlsym(library, (std::string(prefix) + name).c_str());
  };
  return {find("_ZGVdN4v_"), find("_ZGVeN8v_")};
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void CallFour(void* function, double* x, int64_t n) {
  const auto f = reinterpret_cast<__m256d (*)(__m256d)>(function);
  for (int64_t i = 0; i < n; i += 4) _mm256_storeu_pd(x + i, f(_mm256_loadu_pd(x + i)));
}
__attribute__((target("avx512f"))) void CallEight(void* function, double* x, int64_t n) {
  const auto f = reinterpret_cast<__m512d (*)(__m512d)>(function);
  for (int64_t i = 0; i < n; i += 8) _mm512_storeu_pd(x + i, f(_mm512_loadu_pd(x + i)));
}
#endif

// exact[i] = f(x[i]) for a multiple of 8 elements.
void Exactly(const Function& function, const VectorFunction& vector, const float* x, double* exact,
             int64_t n) {
  const std::string_view opcode = function.opcode;
  const double sign = opcode == "logistic" ? -1 : 1;
  const double lowest = function.lowest;
  const double highest = function.highest;
  const bool is_nan_outside = function.outside == Outside::kNan;
  const double inside = std::isinf(highest) ? lowest + 1 : (lowest + highest) / 2;
  const double below = is_nan_outside ? inside : lowest;
  const double above = is_nan_outside ? inside : highest;
  // NaN stays.
  halo::ForCpu([=](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i) {
      const double in = x[i];
      exact[i] = sign * (in < lowest ? below : in > highest ? above : in);
    }
  });
#if defined(__x86_64__)
  const bool by_eight = halo::BestCpuLevel() == halo::CpuLevel::kAvx512 && vector.eight != nullptr;
  if (by_eight) {
    CallEight(vector.eight, exact, n);
  } else if (vector.four != nullptr) {
    CallFour(vector.four, exact, n);
  }
#endif
  const bool is_logistic = opcode == "logistic";
  const bool is_root = opcode == "sqrt";
  const bool is_reciprocal = opcode == "rsqrt";
  halo::ForCpu([=](auto) HALO_INLINED {
    if (is_logistic) {
      for (int64_t i = 0; i < n; ++i) exact[i] = 1 / (1 + exact[i]);
    } else if (is_root) {
      for (int64_t i = 0; i < n; ++i) exact[i] = __builtin_sqrt(exact[i]);
    } else if (is_reciprocal) {
      for (int64_t i = 0; i < n; ++i) exact[i] = 1 / __builtin_sqrt(exact[i]);
    } else if (is_nan_outside) {
      for (int64_t i = 0; i < n; ++i) {
        const bool is_inside = x[i] >= lowest && x[i] <= highest;
        exact[i] = is_inside ? exact[i] : std::numeric_limits<double>::quiet_NaN();
      }
    }
  });
}

// Distances as above, in bulk; those of wrong NaN are infinite.
struct BulkDistances {
  double most = 0, most_subnormal = 0;
  int64_t beyond_one = 0;
};
BulkDistances Distances(const double* exact, const float* got, double* to, int64_t n) {
  return halo::ForCpu([=](auto) HALO_INLINED {
    constexpr double kMost = 0x1p128;
    constexpr int64_t kChains = 16;
    double most[kChains] = {}, most_subnormal[kChains] = {};
    int64_t beyond_one[kChains] = {};
    for (int64_t first = 0; first < n; first += kChains) {
      for (int64_t j = 0; j < kChains; ++j) {
        const double a = exact[first + j];
        const double b = got[first + j];
        const double size_a = std::abs(a) < kMost ? std::abs(a) : kMost;
        const double size_b = std::abs(b) < kMost ? std::abs(b) : kMost;
        const auto stored = static_cast<int64_t>(std::bit_cast<uint64_t>(size_a) >> 52);
        const int64_t low = stored < 1023 - 126 ? 1023 - 126 : stored;
        const int64_t exponent = low > 1023 + 127 ? 1023 + 127 : low;
        const double scale = std::bit_cast<double>((2069 - exponent) << 52);
        const double difference = std::abs(std::copysign(size_a, a) - std::copysign(size_b, b));
        const bool nan_a = a != a;
        const bool nan_b = b != b;
        const double distance = nan_a != nan_b ? HUGE_VAL : nan_a ? 0 : difference * scale;
        to[first + j] = distance;
        const bool is_subnormal = size_a < 0x1p-126;
        const double normal = is_subnormal ? 0 : distance;
        const double subnormal = is_subnormal ? distance : 0;
        most[j] = normal > most[j] ? normal : most[j];
        most_subnormal[j] = subnormal > most_subnormal[j] ? subnormal : most_subnormal[j];
        beyond_one[j] += distance > 1 ? 1 : 0;
      }
    }
    BulkDistances all;
    for (int64_t j = 0; j < kChains; ++j) {
      all.most = std::max(all.most, most[j]);
      all.most_subnormal = std::max(all.most_subnormal, most_subnormal[j]);
      all.beyond_one += beyond_one[j];
    }
    return all;
  });
}

// The compiled function on blocks of kBlock elements.
constexpr int64_t kBlock = int64_t{1} << 17;
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

HALO_INLINE uint64_t Mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

// Numbers up to 2^32 give each float once. Consecutive ones are spread over all of them, so that a
// part of the range is a sample.
HALO_INLINE float FloatAt(uint64_t number) {
  return std::bit_cast<float>(static_cast<uint32_t>(number) * uint32_t{2654435769});
}

// Every other one has any bit pattern; the rest is spread over sizes where functions vary.
HALO_INLINE double DoubleAt(uint64_t number) {
  const uint64_t bits = Mixed(number);
  if (number % 2 == 0) return std::bit_cast<double>(bits);
  const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
  const double size = (1 + unit) * std::bit_cast<double>((1023 - 16 + Mixed(bits) % 24) << 52);
  return (bits & 1) != 0 ? -size : size;
}

// One block of inputs and the results of a level, in memory that processes share.
template <class T>
struct Block {
  T values[kBlock];
};

template <class T>
Block<T>* SharedBlock() {
  void* memory =
      mmap(nullptr, sizeof(Block<T>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Block<T>*>(memory);
}

// A process that computes blocks at a level. It answers each byte that it is sent with one: its
// level, or kFailed.
template <class T>
class Worker {
 public:
  Worker(const Function& function, const char* level, const Block<T>* inputs)
      : results_(SharedBlock<T>()) {
    int requests[2], answers[2];
    if (results_ == nullptr || pipe(requests) != 0 || pipe(answers) != 0) return;
    process_ = fork();
    to_ = requests[1];
    from_ = answers[0];
    if (process_ == 0) {
      close(requests[1]);
      close(answers[0]);
      setenv("HALO_MAX_ISA", level, 1);
      Serve(function, inputs, requests[0], answers[1]);
      _exit(0);
    }
    close(requests[0]);
    close(answers[1]);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Closing the pipe would not end the process: those forked later have its end too.
  ~Worker() {
    if (process_ > 0 && write(to_, &kQuit, 1) == 1) waitpid(process_, nullptr, 0);
    close(to_);
    close(from_);
  }

  [[nodiscard]] bool Begin() const { return process_ > 0 && write(to_, &kCompute, 1) == 1; }
  // False if the block could not be computed.
  bool Finish() {
    char answer = kFailed;
    if (read(from_, &answer, 1) != 1 || answer == kFailed) return false;
    level_ = answer;
    return true;
  }
  [[nodiscard]] const T* results() const { return results_->values; }
  [[nodiscard]] int level() const { return level_; }

 private:
  static constexpr char kFailed = 'x', kCompute = 'c', kQuit = 'q';

  void Serve(const Function& function, const Block<T>* inputs, int requests, int answers) const {
    constexpr bool kFloat = sizeof(T) == 4;
    halo::SetTeamSize(1);
    Compiled compiled(function.opcode, kFloat ? "f32" : "f64");
    const int64_t dims[] = {kBlock};
    halo::Array input(kFloat ? halo::ElementType::kF32 : halo::ElementType::kF64, dims);
    const char level = static_cast<char>(halo::BestCpuLevel());
    char request = 0;
    while (read(requests, &request, 1) == 1 && request != kQuit) {
      std::memcpy(input.MutableBytes(), inputs->values, sizeof(Block<T>));
      const bool done = compiled.ok() && compiled.Run(input);
      if (done) std::memcpy(results_->values, compiled.result().bytes(), sizeof(Block<T>));
      if (write(answers, done ? &level : &kFailed, 1) != 1) return;
    }
  }

  Block<T>* results_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  int level_ = -1;
};

// Exact values of a block, and how far the results of every level are from them.
class Reference {
 public:
  explicit Reference(const Function& function)
      : function_(function), vector_(FindVector(function.vector_name)) {}

  void Compute(const float* x, int64_t count) {
    if (in_bulk()) {
      floats_.resize(kBlock);
      Exactly(function_, vector_, x, floats_.data(), kBlock);
    } else {
      ComputeWide(x, count);
    }
  }
  void Compute(const double* x, int64_t count) { ComputeWide(x, count); }

  void Compare(const float* x, const float* got, int64_t count, Found& found) {
    if (!in_bulk()) return CompareWide(x, got, count, found);
    distances_.resize(kBlock);
    const BulkDistances bulk = Distances(floats_.data(), got, distances_.data(), kBlock);
    // The inputs after `count` repeat the last one.
    found.beyond_one += count == kBlock
                            ? bulk.beyond_one
                            : std::count_if(distances_.begin(), distances_.begin() + count,
                                            [](double each) { return each > 1; });
    if (bulk.most <= found.worst && bulk.most_subnormal <= found.worst_subnormal) return;
    for (int64_t i = 0; i < count; ++i) {
      const double distance = distances_[static_cast<size_t>(i)];
      const bool is_subnormal =
          std::abs(floats_[static_cast<size_t>(i)]) < std::numeric_limits<float>::min();
      if (distance <= (is_subnormal ? found.worst_subnormal : found.worst)) continue;
      const int64_t beyond = found.beyond_one;
      found.Take<float>(x[i], got[i], function_.exact(x[i]));
      found.beyond_one = beyond;
    }
  }
  void Compare(const double* x, const double* got, int64_t count, Found& found) {
    CompareWide(x, got, count, found);
  }

 private:
  [[nodiscard]] bool in_bulk() const {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           (vector_.four != nullptr || function_.vector_name == nullptr);
#else
    return false;
#endif
  }

  template <class T>
  void ComputeWide(const T* x, int64_t count) {
    wide_.resize(kBlock);
    for (int64_t i = 0; i < count; ++i) wide_[static_cast<size_t>(i)] = function_.exact(x[i]);
    known_.assign(kBlock, {});
  }

  // Levels mostly give the same result, so the distance of the first level's is kept.
  template <class T>
  void CompareWide(const T* x, const T* got, int64_t count, Found& found) {
    for (int64_t i = 0; i < count; ++i) {
      const Wide exact = wide_[static_cast<size_t>(i)];
      Known& known = known_[static_cast<size_t>(i)];
      if (known.is_set && std::memcmp(&got[i], &known.got, sizeof(T)) == 0) {
        found.Take(x[i], got[i], known.is_subnormal, known.distance);
        continue;
      }
      const double distance = found.Take<T>(x[i], got[i], exact);
      if (known.is_set) continue;
      known = {0, distance, true, std::abs(exact) < std::numeric_limits<T>::min()};
      std::memcpy(&known.got, &got[i], sizeof(T));
    }
  }

  struct Known {
    double got, distance;
    bool is_set, is_subnormal;
  };
  const Function& function_;
  VectorFunction vector_;
  std::vector<double> floats_, distances_;
  std::vector<Wide> wide_;
  std::vector<Known> known_;
};

template <class T>
bool Measure(const Function& function, uint64_t begin, uint64_t end,
             const std::vector<const char*>& levels, const char* type) {
  Block<T>* inputs = SharedBlock<T>();
  if (inputs == nullptr) return false;
  std::vector<std::unique_ptr<Worker<T>>> workers;
  for (const char* level : levels) {
    workers.push_back(std::make_unique<Worker<T>>(function, level, inputs));
  }
  std::vector<Found> found(levels.size());
  Reference reference(function);
  for (uint64_t first = begin; first < end; first += kBlock) {
    const auto count = static_cast<int64_t>(std::min<uint64_t>(kBlock, end - first));
    T* values = inputs->values;
    halo::ForCpu([=](auto) HALO_INLINED {
      for (int64_t i = 0; i < count; ++i) {
        const uint64_t number = first + static_cast<uint64_t>(i);
        if constexpr (sizeof(T) == 4) {
          values[i] = FloatAt(number);
        } else {
          values[i] = DoubleAt(number);
        }
      }
    });
    std::fill(values + count, values + kBlock, values[count - 1]);
    for (const auto& worker : workers) {
      if (!worker->Begin()) return false;
    }
    reference.Compute(inputs->values, count);
    for (size_t level = 0; level < levels.size(); ++level) {
      if (!workers[level]->Finish()) return false;
      found[level].count += count;
      reference.Compare(inputs->values, workers[level]->results(), count, found[level]);
    }
  }
  for (size_t level = 0; level < levels.size(); ++level) {
    const Found& each = found[level];
    std::printf(
        "{\"function\": \"%s\", \"type\": \"%s\", \"level\": \"%s\", \"cpu_level\": %d, "
        "\"count\": %lld, \"worst\": %.4f, \"at\": \"%a\", \"got\": \"%a\", "
        "\"worst_subnormal\": %.4f, \"beyond_one\": %lld, \"wrong_nan\": %lld, "
        "\"nan_at\": \"%a\"}\n",
        function.opcode, type, levels[level], workers[level]->level(),
        static_cast<long long>(each.count), each.worst, each.at, each.got, each.worst_subnormal,
        static_cast<long long>(each.beyond_one), static_cast<long long>(each.wrong_nan),
        each.nan_at);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: math_error FUNCTION f32|f64 BEGIN END LEVEL...\n");
    return 2;
  }
  const bool is_float = std::string_view(argv[2]) == "f32";
  const std::vector<const char*> levels(argv + 5, argv + argc);
  for (const Function& function : kMathFunctions) {
    if (std::string_view(function.opcode) != argv[1]) continue;
    const uint64_t begin = std::strtoull(argv[3], nullptr, 10);
    const uint64_t end = std::strtoull(argv[4], nullptr, 10);
    const bool measured = is_float ? Measure<float>(function, begin, end, levels, argv[2])
                                   : Measure<double>(function, begin, end, levels, argv[2]);
    return measured ? 0 : 1;
  }
  std::fprintf(stderr, "math_error: no function %s\n", argv[1]);
  return 2;
}
