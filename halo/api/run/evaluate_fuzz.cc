// The input bytes determine a small module and the contents of its parameters. A module that passes
// the verifier must evaluate within its budget or report why not, and must never crash.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "halo/eval/evaluate.h"
#include "halo/eval/test/random_module.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

struct Counts {
  uint64_t made = 0, read = 0, verified = 0, evaluated = 0;
  ~Counts() {
    std::fprintf(stderr, "modules made %llu, read %llu, verified %llu, evaluated %llu\n",
                 static_cast<unsigned long long>(made), static_cast<unsigned long long>(read),
                 static_cast<unsigned long long>(verified),
                 static_cast<unsigned long long>(evaluated));
  }
};

void EvaluateOne(const uint8_t* data, size_t size) {
  static Counts counts;
  random_module::Choices choices(data, size);
  const std::string text = random_module::ModuleMaker(choices).Make();
  if (std::getenv("HALO_FUZZ_SHOW") != nullptr) std::fputs(text.c_str(), stderr);
  ++counts.made;
  const TextReadResult read = ReadHloText(text);
  if (!read.diagnostics.ok()) return;
  ++counts.read;
  if (!Verify(read.module, {.warnings = false}).ok()) return;
  ++counts.verified;
  EvalOptions options;
  options.max_steps = 2000;
  options.max_work = 200'000;
  options.max_bytes = int64_t{8} << 20;
  options.threads = false;
  const int64_t devices = read.module.IntOr(read.module.attrs, AttrKey::k_replica_count, 1);
  std::vector<std::vector<Value>> arguments;
  for (int64_t i = 0; i < std::max<int64_t>(1, devices); ++i) {
    arguments.push_back(random_module::ArgumentsOf(read.module, choices));
  }
  if (Evaluate(read.module, std::move(arguments), options).ok()) ++counts.evaluated;
}

}  // namespace
}  // namespace halo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  halo::EvaluateOne(data, size);
  return 0;
}
