// Plans a module's memory and prints what was decided without a single name: allocations with their
// sizes, spaces and kinds, and each value's allocation, offset and size in XLA's order. Two modules
// that differ in names only must print the same.
#include <cstdio>
#include <string>

#include "halo/base/io/source_buffer.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/backend/detect_backend.h"
#include "halo/text/read/read_text.h"

int main(int argc, char** argv) {
  const auto backend = argc == 3 ? halo::BackendFromName(argv[1]) : std::nullopt;
  if (!backend) {
    std::fprintf(stderr, "usage: plan_offsets cpu|gpu|tpu MODULE\n");
    return 2;
  }
  const auto source = halo::SourceBuffer::Open(argv[2]);
  if (!source) {
    std::fprintf(stderr, "%s\n", source.error().message.c_str());
    return 2;
  }
  const halo::TextReadResult read = halo::ReadHloText(*source);
  if (!read.diagnostics.ok()) {
    std::fprintf(stderr, "%s: cannot be read\n", argv[2]);
    return 2;
  }
  const halo::BackendGuess guess = halo::DetectBackend(read.module, "");
  std::printf("%s\n", std::string(halo::BackendText(guess.backend)).c_str());
  halo::AssignOptions options;
  options.rules = halo::DetectRules(read.module, *backend);
  const halo::Result<halo::Assignment> plan = halo::AssignBuffers(read.module, options);
  if (!plan.ok()) {
    std::fprintf(stderr, "%s: %s\n", argv[2], plan.error().message.c_str());
    return 2;
  }
  for (const halo::Allocation& each : plan->allocations) {
    std::printf("%lld %d %d %d%d%d%d\n", static_cast<long long>(each.size), each.color,
                each.parameter, each.is_constant, each.is_thread_local, each.maybe_live_out,
                each.is_preallocated_temp);
  }
  for (const halo::AssignedValue& each : plan->values) {
    std::printf("%u %lld %lld\n", each.allocation.value, static_cast<long long>(each.offset),
                static_cast<long long>(each.size));
  }
  return 0;
}
