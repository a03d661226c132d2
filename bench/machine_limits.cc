// What this machine reaches without our code: oneDNN products of 2048x2048 matrices in f32 and
// bf16, and copying 64 M floats with plain memcpy on the same threads. Prints one JSON line, best
// of many. HALO_MAX_ISA limits oneDNN as it limits `halo run`.
//   machine_limits [THREADS]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "halo/base/containers/aligned_block.h"
#include "halo/codegen/limit_libraries.h"
#include "halo/runtime/thread_team.h"

namespace {

constexpr int64_t kSize = 2048;
constexpr int64_t kFloats = int64_t{64} << 20;

double Best(int tries, const std::function<void()>& work) {
  double best = 1e30;
  for (int i = 0; i < tries; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return best;
}

// Infinite if oneDNN has no such product at this level.
double MatmulSeconds(dnnl::memory::data_type type, void* a, void* b, void* c) try {
  using dnnl::memory;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory::desc form({kSize, kSize}, type, memory::format_tag::ab);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc desc(engine, form, form, form);
#else
  const dnnl::matmul::primitive_desc desc(dnnl::matmul::desc(form, form, form), engine);
#endif
  const dnnl::matmul matmul(desc);
  const memory left(form, engine, a);
  const memory right(form, engine, b);
  const memory result(form, engine, c);
  return Best(8, [&] {
    matmul.execute(stream,
                   {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, result}});
    stream.wait();
  });
} catch (const dnnl::error&) {
  return std::numeric_limits<double>::infinity();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) halo::SetTeamSize(std::atoi(argv[1]));
  halo::LimitLibraries();
  const halo::AlignedBlock from(kFloats * 4);
  const halo::AlignedBlock to(kFloats * 4);
  std::memset(from.data(), 0x3C, kFloats * 4);
  std::memset(to.data(), 0, kFloats * 4);
  const double copy = Best(10, [&] {
    halo::TeamFor(kFloats * 4, 1 << 20, [&](int64_t begin, int64_t end) {
      std::memcpy(to.data() + begin, from.data() + begin, static_cast<size_t>(end - begin));
    });
  });
  uint8_t* a = from.data();
  uint8_t* b = from.data() + kSize * kSize * 4;
  const double f32 = MatmulSeconds(dnnl::memory::data_type::f32, a, b, to.data());
  const double bf16 = MatmulSeconds(dnnl::memory::data_type::bf16, a, b, to.data());
  std::printf("{\"copy_64m_seconds\": %.9g, \"matmul_f32_seconds\": %.9g", copy, f32);
  if (std::isfinite(bf16)) std::printf(", \"matmul_bf16_seconds\": %.9g", bf16);
  std::printf("}\n");
  return 0;
}
