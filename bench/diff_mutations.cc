// Edits modules in known ways and measures whether matching finds the edits.
//   diff_mutations same FILE SEED            names, numbers, order and metadata changed: no edit
//   diff_mutations edits FILE SEED ROUNDS N  N ops changed, N deleted, N inserted, names hidden,
//                                            order shuffled, fusions dissolved
//   diff_mutations swaps FILE SEED COUNT     operands or parameters of the same shape swapped
// Prints one JSON object per round.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <set>
#include <string>

#include "bench/module_draft.h"
#include "halo/api/document/document.h"
#include "halo/diff/diff.h"
#include "halo/diff/match/matched_programs.h"
#include "halo/text/write/write_text.h"

namespace halo::bench {
namespace {

using Random = std::mt19937_64;

bool IsElementwise(const Module& module, const Inst& inst) {
  return PropertiesOf(inst.opcode).category == OpCategory::kElementwise &&
         module.shapes.is_array(inst.shape) && inst.opcode != Opcode::kUnknown;
}

// Computations that are applied to elements are functions, not values.
std::vector<uint32_t> EditableInsts(const ModuleDraft& draft) {
  std::vector<bool> is_value(draft.base.comps.size(), false);
  is_value[draft.base.entry.index()] = true;
  std::vector<CompId> open = {draft.base.entry};
  std::vector<CompId> called;
  while (!open.empty()) {
    const Computation& comp = draft.base.comp(open.back());
    open.pop_back();
    for (uint32_t i = 0; i < comp.count; ++i) {
      const Inst& inst = draft.base.insts[comp.first + i];
      const OpCalls calls = PropertiesOf(inst.opcode).calls;
      if (calls != OpCalls::kRuns && calls != OpCalls::kFuses) continue;
      called.clear();
      draft.base.CalledBy(inst, called);
      for (const CompId each : called) {
        if (is_value[each.index()]) continue;
        is_value[each.index()] = true;
        open.push_back(each);
      }
    }
  }
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < draft.insts.size(); ++i) {
    if (is_value[draft.insts[i].record.parent.index()]) found.push_back(i);
  }
  return found;
}

Opcode OtherOpcode(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd: return Opcode::kSubtract;
    case Opcode::kSubtract: return Opcode::kMaximum;
    case Opcode::kMultiply: return Opcode::kAdd;
    case Opcode::kMaximum: return Opcode::kMinimum;
    case Opcode::kMinimum: return Opcode::kMaximum;
    case Opcode::kDivide: return Opcode::kMultiply;
    case Opcode::kAnd: return Opcode::kOr;
    case Opcode::kOr: return Opcode::kAnd;
    case Opcode::kNegate: return Opcode::kAbs;
    case Opcode::kExp: return Opcode::kTanh;
    case Opcode::kTanh: return Opcode::kExp;
    case Opcode::kSqrt: return Opcode::kRsqrt;
    case Opcode::kRsqrt: return Opcode::kSqrt;
    default: return Opcode::kUnknown;
  }
}

struct EditCounts {
  size_t changed = 0, deleted = 0, inserted = 0, dissolved = 0;
};

EditCounts Mutate(ModuleDraft& draft, size_t count, Random& random) {
  const std::vector<uint32_t> all = EditableInsts(draft);
  EditCounts done;
  std::set<uint32_t> touched;
  const auto pick = [&] { return all[random() % all.size()]; };
  const auto is_free = [&](uint32_t inst) {
    if (draft.insts[inst].erased || touched.contains(inst)) return false;
    for (const uint32_t operand : draft.insts[inst].operands) {
      if (touched.contains(operand)) return false;
    }
    return true;
  };
  for (size_t tries = 0; tries < 200 * count && done.changed < count; ++tries) {
    const uint32_t at = pick();
    const Opcode other = OtherOpcode(draft.insts[at].record.opcode);
    if (!is_free(at) || other == Opcode::kUnknown) continue;
    draft.insts[at].record.opcode = other;
    touched.insert(at);
    ++done.changed;
  }
  for (size_t tries = 0; tries < 200 * count && done.deleted < count; ++tries) {
    const uint32_t at = pick();
    DraftInst& inst = draft.insts[at];
    if (!is_free(at) || inst.operands.empty() || !IsElementwise(draft.base, inst.record)) continue;
    const uint32_t operand = inst.operands[0];
    if (draft.insts[operand].record.shape != inst.record.shape) continue;
    if (draft.insts[operand].record.opcode == Opcode::kParameter) continue;
    draft.ReplaceUses(at, operand);
    draft.Erase(at);
    touched.insert(at);
    ++done.deleted;
  }
  for (size_t tries = 0; tries < 200 * count && done.inserted < count; ++tries) {
    const uint32_t at = pick();
    DraftInst& inst = draft.insts[at];
    if (!is_free(at) || inst.operands.empty() || !IsElementwise(draft.base, inst.record)) continue;
    const size_t slot = random() % inst.operands.size();
    const uint32_t operand = inst.operands[slot];
    const ShapeId shape = draft.insts[operand].record.shape;
    if (!draft.base.shapes.is_array(shape) || draft.base.shapes.type(shape) == ElementType::kPred) {
      continue;
    }
    const Opcode opcode = random() % 2 == 0 ? Opcode::kNegate : Opcode::kAbs;
    const uint32_t made = draft.Add(inst.record.parent, opcode, shape, {operand});
    draft.insts[at].operands[slot] = made;
    touched.insert(at);
    touched.insert(made);
    ++done.inserted;
  }
  for (const uint32_t each : all) {
    if (draft.insts[each].erased || draft.insts[each].record.opcode != Opcode::kFusion) continue;
    if (random() % 3 == 0 && draft.Dissolve(each)) ++done.dissolved;
  }
  return done;
}

// The classes of B that each class of A should be matched with, counting equal values as one.
void Score(const MatchedPrograms& programs, const std::vector<uint32_t>& a_numbers,
           const std::vector<uint32_t>& b_numbers, const EditCounts& done) {
  std::vector<std::vector<uint32_t>> classes;  // of B, by draft number
  for (uint32_t y = 0; y < programs.classes_b.size(); ++y) {
    for (const uint32_t node : programs.classes_b.members(y)) {
      const uint32_t number = b_numbers[programs.graph_b.nodes[node].inst.index()];
      if (number >= classes.size()) classes.resize(number + 1);
      classes[number].push_back(y);
    }
  }
  size_t matched = 0;
  size_t right = 0;
  size_t possible = 0;
  for (uint32_t x = 0; x < programs.classes_a.size(); ++x) {
    const uint32_t y = programs.match.to_b[x];
    bool exists = false;
    bool is_right = false;
    for (const uint32_t node : programs.classes_a.members(x)) {
      const uint32_t number = a_numbers[programs.graph_a.nodes[node].inst.index()];
      if (number >= classes.size() || classes[number].empty()) continue;
      exists = true;
      const auto& fitting = classes[number];
      if (y != kUnmatched && std::find(fitting.begin(), fitting.end(), y) != fitting.end()) {
        is_right = true;
        break;
      }
    }
    possible += exists ? 1 : 0;
    matched += y != kUnmatched ? 1 : 0;
    right += is_right ? 1 : 0;
    if (std::getenv("DIFF_MUTATIONS_LIST") != nullptr && exists != (y != kUnmatched && is_right)) {
      const ValueNode& node = programs.classes_a.node(x);
      std::fprintf(stderr, "%s %.*s reason %d\n", y == kUnmatched ? "missed" : "wrong",
                   static_cast<int>(programs.a.name_of(programs.a.inst(node.inst)).size()),
                   programs.a.name_of(programs.a.inst(node.inst)).data(),
                   static_cast<int>(programs.match.reasons[x]));
    }
  }
  std::printf(
      "{\"values\": %u, \"changed\": %zu, \"deleted\": %zu, \"inserted\": %zu, "
      "\"dissolved\": %zu, \"matched\": %zu, \"right\": %zu, \"possible\": %zu}\n",
      programs.classes_a.size(), done.changed, done.deleted, done.inserted, done.dissolved, matched,
      right, possible);
}

void Same(const Module& module, Random& random) {
  ModuleDraft draft(module);
  std::vector<uint32_t> numbers;
  const Module a = draft.Write(nullptr, numbers);
  const Module b = draft.Write(&random, numbers);
  const ProgramDiff diff = DiffPrograms(a, b);
  const std::string first =
      diff.causes.empty() ? ""
                          : std::string(TextOf(diff.causes[0].kind)) + ", " + diff.causes[0].what;
  std::printf(
      "{\"values\": %lld, \"edits\": %lld, \"causes\": %zu, \"same\": %s, \"refused\": %s, "
      "\"first\": \"%s\"}\n",
      static_cast<long long>(diff.counts.before), static_cast<long long>(diff.counts.edits()),
      diff.causes.size(), diff.same ? "true" : "false", diff.refused.empty() ? "false" : "true",
      first.c_str());
}

void Edits(const Module& module, size_t count, Random& random) {
  std::vector<uint32_t> a_numbers;
  std::vector<uint32_t> b_numbers;
  ModuleDraft draft(module);
  const Module a = draft.Write(nullptr, a_numbers);
  const EditCounts done = Mutate(draft, count, random);
  const Module b = draft.Write(&random, b_numbers);
  const MatchedPrograms programs(a, b);
  Score(programs, a_numbers, b_numbers, done);
}

bool Commutes(Opcode opcode) {
  constexpr Opcode kOps[] = {Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum,
                             Opcode::kAnd, Opcode::kOr,       Opcode::kXor};
  return std::find(std::begin(kOps), std::end(kOps), opcode) != std::end(kOps);
}

// Swaps two operands of the same shape of an op that does not commute, or the numbers of two
// parameters; what is swapped must be computed differently.
void Swaps(const Module& module, size_t count, Random& random) {
  const ModuleDraft original(module);
  const std::vector<uint32_t> all = EditableInsts(original);
  std::vector<uint32_t> numbers;
  size_t tried = 0;
  size_t found = 0;
  for (size_t tries = 0; tries < 60 * count && tried < count; ++tries) {
    ModuleDraft draft(module);
    DraftInst& inst = draft.insts[all[random() % all.size()]];
    const auto shape = [&](uint32_t each) { return draft.insts[each].record.shape; };
    if (inst.record.opcode == Opcode::kParameter && inst.record.parent == module.entry) {
      DraftInst& other = draft.insts[all[random() % all.size()]];
      if (other.record.opcode != Opcode::kParameter || other.record.parent != module.entry ||
          other.record.extra == inst.record.extra || other.record.shape != inst.record.shape) {
        continue;
      }
      std::swap(inst.record.extra, other.record.extra);
    } else {
      if (inst.operands.size() < 2 || Commutes(inst.record.opcode)) continue;
      const size_t i = random() % inst.operands.size();
      const size_t j = random() % inst.operands.size();
      if (inst.operands[i] == inst.operands[j] ||
          shape(inst.operands[i]) != shape(inst.operands[j])) {
        continue;
      }
      std::swap(inst.operands[i], inst.operands[j]);
    }
    const Module a = ModuleDraft(module).Write(nullptr, numbers);
    const Module b = draft.Write(&random, numbers);
    const ProgramDiff diff = DiffPrograms(a, b);
    ++tried;
    if (!diff.same_values) {
      ++found;
      continue;
    }
    // The caller decides whether both compute the same.
    const std::string text = HloText(b);
    std::printf("{\"unfound\": ");
    std::putchar('"');
    for (const char c : text) {
      if (c == '\n') {
        std::fputs("\\n", stdout);
      } else {
        if (c == '"' || c == '\\') std::putchar('\\');
        std::putchar(c);
      }
    }
    std::puts("\"}");
  }
  std::printf("{\"tried\": %zu, \"found\": %zu}\n", tried, found);
}

int Run(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: diff_mutations same|edits|swaps FILE SEED [ROUNDS] [COUNT]\n");
    return 2;
  }
  const std::string mode = argv[1];
  const Document document = OpenDocument(argv[2]);
  if (document.modules.empty() || document.errors() != 0) return 2;
  const Module& module = document.modules.front().module;
  Random random(std::strtoull(argv[3], nullptr, 10));
  const size_t rounds = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1;
  const size_t count = argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 20;
  if (mode == "same") Same(module, random);
  if (mode == "edits") {
    for (size_t i = 0; i < rounds; ++i) Edits(module, count, random);
  }
  if (mode == "swaps") Swaps(module, rounds, random);
  return 0;
}

}  // namespace
}  // namespace halo::bench

int main(int argc, char** argv) { return halo::bench::Run(argc, argv); }
