// Reads one module and plans its memory a few times; says how long the fastest plan took. One JSON
// line.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "halo/base/source_buffer.h"
#include "halo/memory/assign.h"
#include "halo/text/read_text.h"

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
  options.rules = halo::DetectRules(read.module, halo::DetectBackend(read.module));
  double best = 1e9;
  long long bytes = 0;
  size_t values = 0;
  for (int i = 0; i < std::max(std::atoi(argv[2]), 1); ++i) {
    const auto start = std::chrono::steady_clock::now();
    const halo::Result<halo::Assignment> plan = halo::AssignBuffers(read.module, options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (!plan.ok()) {
      std::fprintf(stderr, "%s\n", plan.error().message.c_str());
      return 1;
    }
    best = std::min(best, took.count());
    bytes = plan->total_bytes;
    values = plan->values.size();
  }
  std::printf(
      "{\"instructions\": %zu, \"errors\": %zu, \"values\": %zu, \"seconds\": %.6f, "
      "\"total_bytes\": %lld}\n",
      read.module.insts.size(), read.diagnostics.errors(), values, best, bytes);
  return 0;
}
