// Generates one library call of a known target, mostly with parts that the target does not expect
// (halo/eval/test/random_call.h), and has the C interface check it, predict its time and run it
// with both engines; the core shrinks it. Whatever the call holds, each of these must answer or
// refuse. If both engines run it, their results must agree, except where a target does not
// determine its results.
//
//   public_custom_call_fuzz --calls FIRST COUNT
//
// makes COUNT modules from numbers instead, of one target after the other, in processes of their
// own: a fault is reported with its number and its module, and the next one follows. The last line
// counts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "halo/analysis/inputs/sum_length.h"
#include "halo/base/json/json_reader.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/eval/inputs/compare_values.h"
#include "halo/eval/test/random_call.h"
#include "halo/semantics/verify/verify.h"
#include "halo/shrink/shrink.h"
#include "halo/text/read/read_text.h"
#include "haloscope/c.h"

namespace {

using halo::random_call::CallModule;
using halo::random_call::Choices;
using halo::random_call::Contains;

constexpr size_t kMostTargets = 512;
constexpr uint64_t kCallsPerProcess = 250;
constexpr unsigned kMostSeconds = 120;  // of one call; unoptimized builds are slow

// All that the evaluator defines, the exits of manual regions, which are defined as collectives,
// and one that nothing knows.
const std::vector<std::string>& Targets() {
  static const std::vector<std::string> targets = [] {
    std::vector<std::string> all = halo::KnownCustomCalls().Targets();
    all.insert(all.end(), {"SPMDShardToFullShape", "xla.sdy.LocalToGlobalShape", "unknown_to_all"});
    return all;
  }();
  return targets;
}

// Signs of vectors, and bases of the vectors of close values, are the implementation's choice. So
// is what a Cholesky factorization leaves of a matrix that has none, and what gtsv leaves in the
// diagonals. A module's result that is a buffer has elements for the evaluator alone.
bool DeterminesResults(std::string_view target, std::string_view text) {
  for (const char* part :
       {"evd_ffi", "Eigh", "gesdd", "gesvd", "geev", "gees", "potrf", "gtsv_ffi"}) {
    if (Contains(target, part)) return false;
  }
  const std::string_view root = text.substr(text.rfind("ROOT"));
  return !Contains(root.substr(0, root.find("custom_call_target")), "b(");
}

struct Tally {
  int64_t made = 0, verified = 0, evaluated = 0, compiled = 0, compared = 0, agreed = 0;
};

struct ResultOwner {
  ~ResultOwner() { halo_result_free(result); }
  halo_result* result = nullptr;
};

struct DocumentOwner {
  ~DocumentOwner() { halo_close(document); }
  halo_document* document = nullptr;
};

void Ask(halo_document* document, const char* request) {
  ResultOwner answer;
  halo_ask(document, request, &answer.result);
}

std::string_view JsonOf(const ResultOwner& owner) {
  size_t size = 0;
  const char* json = halo_result_json(owner.result, &size);
  return {json, size};
}

// Returns whether the run has results.
bool Run(halo_document* document, const char* request, ResultOwner& to) {
  return halo_run(document, request, nullptr, 0, &to.result) == HALO_OK;
}

bool WasCompiled(const ResultOwner& run) {
  const auto json = halo::ParseJson(JsonOf(run));
  return json && (*json)["engine"].AsString() == "compiled";
}

halo::Array ArrayOf(const ResultOwner& run, size_t index) {
  halo_array array;
  if (halo_result_array(run.result, index, &array) != HALO_OK) return {};
  const auto type = halo::ElementTypeFromText(array.type);
  return halo::Array::Borrowed(type.value_or(halo::ElementType::kPred), {array.dims, array.rank},
                               static_cast<const uint8_t*>(array.data), nullptr);
}

// Describes how two results differ; empty if they agree.
std::string DifferenceOf(const ResultOwner& got, const ResultOwner& expected, int64_t longest_sum) {
  const size_t count = halo_result_array_count(expected.result);
  if (halo_result_array_count(got.result) != count) return "another number of results";
  for (size_t i = 0; i < count; ++i) {
    const halo::Array right = ArrayOf(expected, i);
    const halo::ArrayComparison found = halo::CompareArrays(
        ArrayOf(got, i), right, halo::DefaultTolerance(right.type(), longest_sum), 1);
    if (found.ok()) continue;
    std::string text = "result " + std::to_string(i) + ": " + std::to_string(found.beyond) +
                       " of " + std::to_string(found.count) + " beyond tolerance";
    for (const halo::ElementDifference& worst : found.worst) {
      text += ", worst " + std::to_string(worst.got) + " for " + std::to_string(worst.expected);
    }
    return text;
  }
  return {};
}

void ShrinkOne(const halo::Module& module) {
  halo::ShrinkOptions options;
  options.bytes = 16;
  const halo::ShrinkResult result = halo::Shrink(module, options);
  static_cast<void>(result);
}

// Returns how the engines' results differ; empty if they agree or one of them refuses.
std::string RunCall(std::string_view target, const std::string& text, Tally& tally) {
  ++tally.made;
  DocumentOwner owner;
  if (halo_open_bytes("call.hlo", text.data(), text.size(), &owner.document) != HALO_OK) return {};
  Ask(owner.document, R"({"ask":"check"})");
  ResultOwner time, reference, compiled;
  halo_time(owner.document, "{}", &time.result);
  constexpr const char* kReference =
      R"({"engine":"reference","random":1,"max_memory":67108864,"max_steps":1000})";
  constexpr const char* kCompiled =
      R"({"engine":"compiled","random":1,"max_memory":67108864,"max_steps":1000})";
  const bool evaluated = Run(owner.document, kReference, reference);
  const bool ran = Run(owner.document, kCompiled, compiled);
  const halo::TextReadResult read = halo::ReadHloText(text);
  if (!read.diagnostics.ok() || !halo::Verify(read.module, {.warnings = false}).ok()) return {};
  ++tally.verified;
  tally.evaluated += evaluated;
  ShrinkOne(read.module);
  if (!ran || !WasCompiled(compiled)) return {};
  ++tally.compiled;
  if (!evaluated || !DeterminesResults(target, text)) return {};
  ++tally.compared;
  std::string difference = DifferenceOf(compiled, reference, halo::LongestSum(read.module));
  tally.agreed += difference.empty();
  return difference;
}

struct Made {
  size_t target = 0;
  std::string text;
};

Made MakeCall(Choices& choices, size_t target) {
  return {target, CallModule(choices, Targets()[target]).Make()};
}

// The same module for the same number: as many of every target, one after the other.
Made MakeNumbered(uint64_t number) {
  uint8_t bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  Choices choices(bytes, sizeof bytes);
  for (size_t i = 0; i < 2 * sizeof bytes; ++i) choices.Next();
  return MakeCall(choices, number % Targets().size());
}

// What the processes report: memory that they share.
struct Board {
  uint64_t current = 0;  // the number that is being tried
  int64_t differ = 0;
  Tally tallies[kMostTargets];
};

void TryNumbers(uint64_t first, uint64_t end, Board& board) {
  for (uint64_t number = first; number < end; ++number) {
    board.current = number;
    alarm(kMostSeconds);
    const Made made = MakeNumbered(number);
    const std::string difference =
        RunCall(Targets()[made.target], made.text, board.tallies[made.target]);
    if (difference.empty()) continue;
    ++board.differ;
    std::printf("call %llu: %s\n%s\n", static_cast<unsigned long long>(number), difference.c_str(),
                made.text.c_str());
  }
  alarm(0);
}

// Returns how the process that tried these numbers ended; empty if without a fault.
std::string TryInProcess(uint64_t first, uint64_t end, Board& board) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) return "no process";
  if (child == 0) {
    TryNumbers(first, end, board);
    std::exit(0);  // checks for leaks, with AddressSanitizer
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return "lost";
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "exit code " + std::to_string(WEXITSTATUS(status));
}

void Print(const Board& board, int64_t faults) {
  Tally all;
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < Targets().size(); ++i) {
    const Tally& each = board.tallies[i];
    std::printf("target %s: made %lld, verified %lld, evaluated %lld, compiled %lld, agreed %lld\n",
                Targets()[i].c_str(), static_cast<long long>(each.made),
                static_cast<long long>(each.verified), static_cast<long long>(each.evaluated),
                static_cast<long long>(each.compiled), static_cast<long long>(each.agreed));
    least = std::min(least, each.made);
    all.made += each.made;
    all.verified += each.verified;
    all.evaluated += each.evaluated;
    all.compiled += each.compiled;
    all.compared += each.compared;
    all.agreed += each.agreed;
  }
  std::printf(
      "targets %zu, least %lld, made %lld, verified %lld, evaluated %lld, compiled %lld, compared "
      "%lld, agreed %lld, differ %lld, faults %lld\n",
      Targets().size(), static_cast<long long>(least), static_cast<long long>(all.made),
      static_cast<long long>(all.verified), static_cast<long long>(all.evaluated),
      static_cast<long long>(all.compiled), static_cast<long long>(all.compared),
      static_cast<long long>(all.agreed), static_cast<long long>(board.differ),
      static_cast<long long>(faults));
}

int TryAll(uint64_t first, uint64_t count) {
  void* const memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || Targets().size() > kMostTargets) return 2;
  Board& board = *new (memory) Board;
  int64_t faults = 0;
  const uint64_t end = first + count;
  for (uint64_t next = first; next < end;) {
    const uint64_t stop = std::min(end, next + kCallsPerProcess);
    const std::string fault = TryInProcess(next, stop, board);
    if (fault.empty()) {
      next = stop;
      continue;
    }
    ++faults;
    std::printf("call %llu: %s\n%s\n", static_cast<unsigned long long>(board.current),
                fault.c_str(), MakeNumbered(board.current).text.c_str());
    next = board.current + 1;
  }
  Print(board, faults);
  return faults == 0 && board.differ == 0 ? 0 : 1;
}

}  // namespace

// Called before anything else by libFuzzer, and by the program that replays inputs.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 4 && std::string_view((*argv)[1]) == "--calls") {
    const int code =
        TryAll(std::strtoull((*argv)[2], nullptr, 10), std::strtoull((*argv)[3], nullptr, 10));
    std::fflush(stdout);
    _exit(code);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Choices choices(data, size);
  const Made made = MakeCall(choices, choices.Below(static_cast<uint32_t>(Targets().size())));
  if (std::getenv("HALO_FUZZ_SHOW") != nullptr) std::fputs(made.text.c_str(), stderr);
  Tally tally;
  const std::string difference = RunCall(Targets()[made.target], made.text, tally);
  if (difference.empty()) return 0;
  std::fprintf(stderr, "%s\n%s\n", difference.c_str(), made.text.c_str());
  std::abort();
}
