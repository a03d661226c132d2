// The input bytes determine a small module, perhaps mutated, which is compiled and run with guard
// pages around all its memory. It must give the evaluator's results and access nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "halo/codegen/test/differential.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

void CompileOne(const uint8_t* data, size_t size) {
  static differential::Counts counts;
  SetTeamSize(1);
  random_module::Choices choices(data, size);
  differential::Plan plan;
  plan.kind.max_replicas = 1;
  plan.kind.max_results = 4;
  plan.kind.makes_mistakes = false;
  plan.kind.is_comparable = true;
  plan.mutates = true;
  plan.guards = {GuardPages::kAfter, GuardPages::kBefore};
  std::string text;
  const std::string problem = differential::RunOne(choices, size, plan, &text, counts);
  if (problem.empty()) return;
  std::fprintf(stderr, "%s\n%s\n", problem.c_str(), text.c_str());
  std::abort();
}

}  // namespace
}  // namespace halo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  halo::CompileOne(data, size);
  return 0;
}
