// Runs prepared modules in their assigned memory and checks the results against the evaluator's
// results for the originals.
#include "halo/codegen/prepare.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/test/arena_run.h"
#include "halo/codegen/test/sharing_module.h"
#include "halo/ir/reorder.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/check/check_assignment.h"
#include "halo/passes/memory/insert_copies.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/read/read_text.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

Module Read(const std::string& text) {
  TextReadResult read = ReadHloText(text);
  EXPECT_TRUE(read.diagnostics.ok())
      << (read.diagnostics.all().empty() ? "" : read.diagnostics.all()[0].message) << "\n"
      << text;
  const RuleFindings findings = Verify(read.module);
  EXPECT_TRUE(findings.ok()) << findings.all()[0].message << "\n" << text;
  return std::move(read.module);
}

// Parameters filled with small numbers, different for each parameter.
std::vector<Value> ZeroArguments(const Module& module) {
  std::vector<Value> arguments;
  const Computation& entry = module.comp(module.entry);
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Inst& inst = module.insts[entry.first + i];
    if (inst.opcode != Opcode::kParameter) continue;
    if (arguments.size() <= inst.extra) arguments.resize(inst.extra + 1);
    Array array(module.shapes.type(inst.shape), module.shapes.dims(inst.shape));
    int32_t next = static_cast<int32_t>(inst.extra) * 10;
    for (int32_t& element : array.Mutable<int32_t>()) element = next++;
    arguments[inst.extra] = Value(std::move(array));
  }
  return arguments;
}

std::vector<std::vector<uint8_t>> Bytes(const Value& value) {
  std::vector<std::vector<uint8_t>> bytes;
  ForEachArray(value, [&](const Array& array) {
    bytes.emplace_back(array.bytes(), array.bytes() + array.byte_count());
  });
  return bytes;
}

// Puts the instructions in a random topological order.
void Shuffle(Module& module, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<InstId> order;
  std::vector<bool> done(module.insts.size(), false);
  std::vector<std::pair<uint32_t, uint32_t>> comps;
  for (const Computation& comp : module.comps) comps.emplace_back(comp.first, comp.count);
  std::sort(comps.begin(), comps.end());
  for (const auto& [first, count] : comps) {
    for (uint32_t left = count; left > 0; --left) {
      std::vector<InstId> ready;
      for (uint32_t i = first; i < first + count; ++i) {
        const std::span<const InstId> operands = module.operands_of(module.insts[i]);
        if (!done[i] && std::all_of(operands.begin(), operands.end(),
                                    [&](InstId each) { return done[each.index()]; })) {
          ready.emplace_back(i);
        }
      }
      const InstId next = ready[random() % ready.size()];
      done[next.index()] = true;
      order.push_back(next);
    }
  }
  ReorderInstructions(module, order);
}

struct Planned {
  CopyCounts counts;
  Module module;
  Assignment assignment;
};

// Plans the module unchanged, without the passes that would rewrite what is under test.
Planned PlanUnchanged(Module module, const std::string& about) {
  Planned planned;
  PassLog log;
  Result<Module> copied = InsertCopies(std::move(module), log, &planned.counts);
  EXPECT_TRUE(copied.ok()) << copied.error().message << "\n" << about;
  planned.module = std::move(*copied);
  const RuleFindings broken = Verify(planned.module);
  EXPECT_TRUE(broken.ok()) << broken.all()[0].message << "\n" << HloText(planned.module);
  AssignOptions options;
  options.rules = RulesOf(Backend::kCpu);
  Result<Assignment> assignment = AssignBuffers(planned.module, options);
  EXPECT_TRUE(assignment.ok());
  planned.assignment = std::move(*assignment);
  AssignmentCheckOptions check;
  check.rules = CheckRules::kCpu;
  const AssignmentFindings findings = CheckAssignment(planned.assignment, &planned.module, check);
  EXPECT_TRUE(findings.ok()) << findings.findings[0].explanation << "\n"
                             << about << "\n"
                             << HloText(planned.module);
  return planned;
}

void ExpectRuns(const Planned& planned, const Module& original, const std::string& about) {
  const std::vector<Value> arguments = ZeroArguments(original);
  const Result<EvalOutput> expected = Evaluate(original, {arguments});
  ASSERT_TRUE(expected.ok()) << expected.error().message << "\n" << about;
  ArenaRun run(planned.module, planned.assignment);
  const Value got = run.Run(arguments);
  ASSERT_EQ(run.complaint(), "") << about << "\n" << HloText(planned.module);
  ASSERT_EQ(Bytes(got), Bytes(expected->results[0])) << about << "\n" << HloText(planned.module);
}

// Returns the number of copies that were inserted.
int64_t RunUnchanged(const std::string& text) {
  const Module original = Read(text);
  const Planned planned = PlanUnchanged(original, text);
  ExpectRuns(planned, original, text);
  return planned.counts.copies;
}

TEST(InsertCopies, LeavesALoopThatUpdatesInPlaceAlone) {
  // Each iteration reads and updates the cache. All readers of the counter come after its update.
  const int64_t copies =
      RunUnchanged(R"(HloModule scan, input_output_alias={ {0}: (0, {}, may-alias) }

body {
  p = (s32[6]{0}, s32[]) parameter(0)
  cache = s32[6]{0} get-tuple-element(p), index=0
  i = s32[] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  old = s32[2]{0} dynamic-slice(cache, i), dynamic_slice_sizes={2}
  new = s32[2]{0} negate(old)
  updated = s32[6]{0} dynamic-update-slice(cache, new, next)
  other = s32[2]{0} dynamic-slice(cache, i), dynamic_slice_sizes={2}
  again = s32[6]{0} dynamic-update-slice(updated, other, next)
  ROOT r = (s32[6]{0}, s32[]) tuple(again, next)
}

condition {
  p = (s32[6]{0}, s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=1
  three = s32[] constant(3)
  ROOT r = pred[] compare(i, three), direction=LT
}

ENTRY main {
  cache = s32[6]{0} parameter(0)
  zero = s32[6]{0} parameter(1)
  start = s32[] constant(0)
  begin = s32[] add(start, start)
  t = (s32[6]{0}, s32[]) tuple(cache, begin)
  loop = (s32[6]{0}, s32[]) while(t), condition=condition, body=body
  end = s32[6]{0} get-tuple-element(loop), index=0
  ROOT r = (s32[6]{0}) tuple(end)
}
)");
  EXPECT_EQ(copies, 0);
}

constexpr const char* kSwapping = R"(HloModule swap

body {
  p = (s32[6]{0}, s32[6]{0}, s32[]) parameter(0)
  a = s32[6]{0} get-tuple-element(p), index=0
  b = s32[6]{0} get-tuple-element(p), index=1
  i = s32[] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT r = (s32[6]{0}, s32[6]{0}, s32[]) tuple(b, a, next)
}

condition {
  p = (s32[6]{0}, s32[6]{0}, s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=2
  three = s32[] constant(3)
  ROOT r = pred[] compare(i, three), direction=LT
}

ENTRY main {
  a = s32[6]{0} parameter(0)
  b = s32[6]{0} parameter(1)
  start = s32[] constant(0)
  t = (s32[6]{0}, s32[6]{0}, s32[]) tuple(a, b, start)
  ROOT loop = (s32[6]{0}, s32[6]{0}, s32[]) while(t), condition=condition, body=body
}
)";

TEST(InsertCopies, ElementsThatChangePositionsTakeThreeCopies) {
  // Three copies for the loop's inputs, three for the swap.
  EXPECT_EQ(RunUnchanged(kSwapping), 6);
}

TEST(InsertCopies, ReadersMoveBeforeAWriteInPlace) {
  EXPECT_EQ(RunUnchanged(R"(HloModule order, input_output_alias={ {0}: (0, {}, may-alias) }

ENTRY main {
  p = s32[6]{0} parameter(0)
  u = s32[2]{0} constant({7, 8})
  i = s32[] constant(2)
  d = s32[6]{0} dynamic-update-slice(p, u, i)
  n = s32[6]{0} negate(p)
  ROOT r = (s32[6]{0}, s32[6]{0}) tuple(d, n)
}
)"),
            0);
}

TEST(InsertCopies, ResultsHaveMemoryOfTheirOwn) {
  // A parameter, a constant, and a value used twice.
  EXPECT_EQ(RunUnchanged(R"(HloModule results

ENTRY main {
  p = s32[6]{0} parameter(0)
  c = s32[6]{0} constant({1, 2, 3, 4, 5, 6})
  n = s32[6]{0} negate(p)
  ROOT r = (s32[6]{0}, s32[6]{0}, s32[6]{0}, s32[6]{0}) tuple(p, c, n, n)
}
)"),
            3);
}

// A donated array that a fusion updates in place while reading `read` of it.
std::string FusedUpdate(const std::string& read) {
  return R"(HloModule fused, input_output_alias={ {0}: (0, {}, may-alias) }

update {
  a = s32[6]{0} parameter(0)
  i = s32[] parameter(1)
  old = s32[2]{0} )" +
         read + R"(
  new = s32[2]{0} negate(old)
  ROOT d = s32[6]{0} dynamic-update-slice(a, new, i)
}

ENTRY main {
  p = s32[6]{0} parameter(0)
  at = s32[] constant(3)
  f = s32[6]{0} fusion(p, at), kind=kLoop, calls=update
  ROOT r = (s32[6]{0}) tuple(f)
}
)";
}

TEST(InsertCopies, AFusionThatReadsJustWhatItWritesNeedsNoCopy) {
  EXPECT_EQ(RunUnchanged(FusedUpdate("dynamic-slice(a, i), dynamic_slice_sizes={2}")), 0);
}

TEST(InsertCopies, AFusionThatReadsElsewhereReadsACopy) {
  EXPECT_EQ(RunUnchanged(FusedUpdate("slice(a), slice={[2:4]}")), 1);
}

TEST(InsertCopies, LoopsThatStartFromOneValueGetOneEach) {
  // The second loop must not overwrite the first loop's result or the value both start from. Cheap
  // values are recomputed instead of copied.
  const Module original = Read(R"(HloModule loops

one {
  a = (s32[6]{0}, s32[]) parameter(0)
  b = s32[6]{0} get-tuple-element(a), index=0
  c = s32[] get-tuple-element(a), index=1
  d = s32[] constant(1)
  e = s32[] add(c, d)
  f = s32[6]{0} add(b, b)
  ROOT g = (s32[6]{0}, s32[]) tuple(f, e)
}

less {
  h = (s32[6]{0}, s32[]) parameter(0)
  j = s32[] get-tuple-element(h), index=1
  k = s32[] constant(3)
  ROOT l = pred[] compare(j, k), direction=LT
}

ENTRY main {
  p = s32[] parameter(0)
  start = s32[6]{0} broadcast(p), dimensions={}
  zero = s32[] subtract(p, p)
  t = (s32[6]{0}, s32[]) tuple(start, zero)
  w = (s32[6]{0}, s32[]) while(t), condition=less, body=one
  u = s32[6]{0} get-tuple-element(w), index=0
  v = (s32[6]{0}, s32[]) tuple(start, zero)
  x = (s32[6]{0}, s32[]) while(v), condition=less, body=one
  y = s32[6]{0} get-tuple-element(x), index=0
  ROOT z = (s32[6]{0}, s32[6]{0}) tuple(u, y)
}
)");
  const Planned planned = PlanUnchanged(original, "");
  ExpectRuns(planned, original, "");
  int64_t copies = 0, broadcasts = 0;
  for (const Inst& inst : planned.module.insts) {
    copies += inst.opcode == Opcode::kCopy ? 1 : 0;
    broadcasts += inst.opcode == Opcode::kBroadcast ? 1 : 0;
  }
  EXPECT_EQ(copies, 1);  // of the counter
  EXPECT_EQ(broadcasts, 2);
}

TEST(InsertCopies, RandomModulesRunInTheirMemory) {
  for (uint64_t seed = 0; seed < 2000 && !::testing::Test::HasFailure(); ++seed) {
    const std::string text = SharingModule(seed).Make();
    const std::string about = "seed " + std::to_string(seed) + "\n" + text;
    const Module original = Read(text);
    if (::testing::Test::HasFailure()) return;
    Module shuffled = original;
    if (seed % 4 != 0) Shuffle(shuffled, seed);
    const Planned planned = PlanUnchanged(std::move(shuffled), about);
    ExpectRuns(planned, original, about);
  }
}

}  // namespace
}  // namespace halo
