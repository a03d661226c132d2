// Reads one module, plans its memory a few times, and reports how long the fastest plan took.
// Prints one JSON line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "halo/base/io/source_buffer.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/backend/detect_backend.h"
#include "halo/text/read/read_text.h"

namespace {

// CPU time of this process, so that other work on the machine does not count.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: plan_speed FILE TIMES\n");
    return 2;
  }
  const auto source = halo::SourceBuffer::Open(argv[1]);
  if (!source) {
    std::fprintf(stderr, "%s\n", source.error().message.c_str());
    return 2;
  }
  const halo::TextReadResult read = halo::ReadHloText(*source, {});
  halo::AssignOptions options;
  const halo::BackendGuess guess = halo::DetectBackend(read.module, argv[1]);
  options.rules = halo::DetectRules(read.module, guess.backend.value_or(halo::Backend::kCpu));
  double best = 1e9;
  long long bytes = 0;
  size_t values = 0;
  for (int i = 0; i < std::max(std::atoi(argv[2]), 1); ++i) {
    const double start = CpuSeconds();
    const halo::Result<halo::Assignment> plan = halo::AssignBuffers(read.module, options);
    const double took = CpuSeconds() - start;
    if (!plan.ok()) {
      std::fprintf(stderr, "%s\n", plan.error().message.c_str());
      return 1;
    }
    best = std::min(best, took);
    bytes = plan->total_bytes;
    values = plan->values.size();
  }
  std::printf(
      "{\"instructions\": %zu, \"errors\": %zu, \"values\": %zu, \"seconds\": %.6f, "
      "\"total_bytes\": %lld}\n",
      read.module.insts.size(), read.diagnostics.errors(), values, best, bytes);
  return 0;
}
