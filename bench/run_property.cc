// Runs generated modules twice, evaluated and compiled; the results must agree (see
// halo/codegen/test/differential.h).
//   run_property FIRST_SEED COUNT [show] [guarded]
// `guarded` also mutates half of the modules, and runs each twice with guard pages around all
// memory of the compiled run, before and after each block; one of four is compiled with LLVM's
// optimizations, the others without. Prints each module that disagrees, why
// steps were evaluated rather than compiled, and counts on the last line. `show` prints every
// module. If compiled code accesses memory that is not its own, prints the seed and the module, and
// exits with 99.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <unistd.h>

#include "halo/codegen/test/differential.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

constexpr int kFaultExit = 99;
// What a fault prints.
char running[64];
std::string running_text;

extern "C" void OnFault(int /*signal*/) {
  if (write(STDOUT_FILENO, running, std::strlen(running)) < 0 ||
      write(STDOUT_FILENO, running_text.data(), running_text.size()) < 0) {
    _exit(kFaultExit + 1);
  }
  _exit(kFaultExit);
}

void CatchFaults() {
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = OnFault;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    sigaction(number, &action, nullptr);
  }
}

// Returns false if the two disagree.
bool RunSeed(uint64_t seed, bool show, bool guarded, differential::Counts& counts) {
  uint8_t bytes[sizeof seed];
  std::memcpy(bytes, &seed, sizeof seed);
  random_module::Choices choices(bytes, sizeof bytes);
  // The first bytes are the seed itself; the rest comes from its generator.
  for (size_t i = 0; i < sizeof bytes; ++i) choices.Next();
  differential::Plan plan;
  plan.kind.max_dim = choices.Chance(4) ? 40 : 5;
  plan.kind.max_ops = 16;
  plan.kind.max_replicas = 1;
  plan.kind.max_results = 8;
  plan.kind.makes_mistakes = false;
  plan.kind.is_comparable = true;
  plan.jit_threads = 1;  // one process per core runs
  if (guarded) {
    plan.mutates = true;
    plan.optimized_of = 4;
    plan.guards = {GuardPages::kAfter, GuardPages::kBefore};
  }
  std::snprintf(running, sizeof running, "seed %llu: accessed memory that is not its own\n",
                static_cast<unsigned long long>(seed));
  const std::string& text = running_text;
  const std::string problem = differential::RunOne(choices, seed, plan, &running_text, counts);
  if (show) std::printf("seed %llu\n%s", static_cast<unsigned long long>(seed), text.c_str());
  if (problem.empty()) return true;
  std::printf("seed %llu: %s\n%s\n", static_cast<unsigned long long>(seed), problem.c_str(),
              text.c_str());
  return false;
}

}  // namespace
}  // namespace halo

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const uint64_t count = std::strtoull(argv[2], nullptr, 10);
  bool show = false;
  bool guarded = false;
  for (int i = 3; i < argc; ++i) {
    show = show || std::string_view(argv[i]) == "show";
    guarded = guarded || std::string_view(argv[i]) == "guarded";
  }
  halo::SetTeamSize(1);
  halo::CatchFaults();
  halo::differential::Counts counts;
  uint64_t wrong = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if (!halo::RunSeed(seed, show, guarded, counts)) ++wrong;
    std::fflush(stdout);
  }
  for (const auto& [reason, times] : counts.reasons) {
    std::printf("evaluated %lld times: %s\n", static_cast<long long>(times), reason.c_str());
  }
  std::printf(
      "made %lld, mutated %lld, verified %lld, evaluated %lld, compiled %lld, optimized %lld, "
      "agreed "
      "%lld, wrong %llu; steps: %lld kernels, %lld libraries, %lld evaluated, %lld "
      "whole loops\n",
      static_cast<long long>(counts.made), static_cast<long long>(counts.mutated),
      static_cast<long long>(counts.verified), static_cast<long long>(counts.evaluated),
      static_cast<long long>(counts.compiled), static_cast<long long>(counts.optimized),
      static_cast<long long>(counts.agreed), static_cast<unsigned long long>(wrong),
      static_cast<long long>(counts.kernels), static_cast<long long>(counts.libraries),
      static_cast<long long>(counts.references), static_cast<long long>(counts.whole_loops));
  return wrong == 0 ? 0 : 1;
}
