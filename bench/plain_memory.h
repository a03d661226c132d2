// A second implementation of memory analysis, written as simply as possible: which positions of a
// module share memory, when its contents are needed, and what may be written in place. It
// enumerates every set and answers every query exhaustively. It shares no code with the checker,
// for which it is the reference. Meant for small modules.
#ifndef HALO_BENCH_PLAIN_MEMORY_H_
#define HALO_BENCH_PLAIN_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/module.h"
#include "halo/memory/check/check_assignment.h"
#include "halo/memory/model/assignment.h"

namespace halo_bench {

using halo::CompId;
using halo::Inst;
using halo::InstId;
using halo::Module;
using halo::Opcode;
using Path = std::vector<int64_t>;
using Position = std::pair<uint32_t, Path>;  // instruction, shape index

class PlainMemory {
 public:
  PlainMemory(const Module& module, halo::CheckRules rules) : m_(module), rules_(rules) {
    Visit(module.entry, false);
    for (const uint32_t comp : planned_) AddComp(comp);
    for (const uint32_t comp : parallel_) AddComp(comp);
    // Propagate the smallest label until nothing changes.
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [a, b] : same_) {
        const auto x = label_.find(a);
        const auto y = label_.find(b);
        if (x == label_.end() || y == label_.end() || x->second == y->second) continue;
        x->second = y->second = std::min(x->second, y->second);
        changed = true;
      }
    }
    for (uint32_t i = 0; i < m_.insts.size(); ++i) {
      const uint32_t comp = m_.insts[i].parent.value;
      if (planned_.contains(comp) || parallel_.contains(comp)) {
        by_name_.try_emplace(std::string(m_.name_of(m_.insts[i])), i);
      }
    }
  }

  // Returns -1 if there is no such position.
  [[nodiscard]] int Label(const Position& position) const {
    const auto at = label_.find(position);
    return at == label_.end() ? -1 : at->second;
  }
  [[nodiscard]] Position Find(const std::string& name, const Path& index) const {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? Position{UINT32_MAX, {}} : Position{at->second, index};
  }
  [[nodiscard]] bool Writes(const Position& position) const { return !passed_.contains(position); }
  [[nodiscard]] bool IsParallel(uint32_t inst) const {
    return parallel_.contains(m_.insts[inst].parent.value) &&
           !planned_.contains(m_.insts[inst].parent.value);
  }
  [[nodiscard]] bool IsPlanned(uint32_t inst) const {
    return planned_.contains(m_.insts[inst].parent.value);
  }
  [[nodiscard]] const std::map<Position, int>& labels() const { return label_; }

  // The time ranges over which each label's contents are needed. `early` counts reads that come
  // before any write.
  struct Need {
    int64_t first, second;  // both inclusive
    Position writer;        // whose contents are needed
  };
  std::multimap<int, Need> Needs(const std::map<std::string, int64_t>& time, int64_t end,
                                 size_t& early) const {
    std::map<int, std::vector<std::pair<int64_t, Position>>> writes;
    std::map<int, std::vector<int64_t>> reads;
    std::set<int> given;  // present before anything runs
    const auto when = [&](uint32_t inst) { return When(inst, time); };
    const auto read = [&](InstId inst, int64_t t, bool top) {
      // Values passed on within an async body are all at one point in time.
      const bool inside = started_by_.contains(m_.inst(inst).parent.value) && when(inst.value) == t;
      for (const auto& path : Paths(m_.inst(inst).shape)) {
        if (inside && Writes({inst.value, path})) continue;
        if ((!top || path.empty()) && t >= 0) reads[Label({inst.value, path})].push_back(t);
      }
    };
    for (const uint32_t comp : planned_) {
      const halo::Computation& c = m_.comps[comp];
      int64_t first = -1;
      int64_t last = -1;
      for (uint32_t i = c.first; i < c.first + c.count; ++i) {
        const int64_t t = when(i);
        if (t < 0) continue;
        first = first < 0 ? t : std::min(first, t);
        last = std::max(last, t + 1);
      }
      if (first < 0) continue;
      if (comp == m_.entry.value) last = end;
      for (uint32_t i = c.first; i < c.first + c.count; ++i) {
        const Inst& inst = m_.insts[i];
        const int64_t t = when(i);
        if (t < 0) continue;
        for (const auto& path : Paths(inst.shape)) {
          if (!Writes({i, path})) continue;
          writes[Label({i, path})].push_back(
              {inst.opcode == Opcode::kParameter ? first : t, {i, path}});
          if (inst.opcode == Opcode::kParameter) given.insert(Label({i, path}));
          if (inst.opcode == Opcode::kParameter && comp == m_.entry.value &&
              !IsGiven(inst.extra, path)) {
            reads[Label({i, path})].push_back(end);
          }
        }
        const auto operands = m_.operands_of(inst);
        if (inst.opcode == Opcode::kWhile) {
          read(operands[0], Start(Called(inst, "body"), time), false);
        } else if (inst.opcode == Opcode::kConditional) {
          const auto branches = AllCalled(inst);
          for (size_t k = 0; k < operands.size(); ++k) {
            read(operands[k], Start(branches.at(k == 0 ? 0 : k - 1), time), false);
          }
        } else if (inst.opcode == Opcode::kGetTupleElement || inst.opcode == Opcode::kCopy) {
          read(operands[0], t, true);
        } else if (!PassesOn(inst.opcode)) {
          for (const InstId operand : operands) read(operand, t, false);
        }
      }
      read(c.root, last, false);
    }
    std::multimap<int, Need> needs;
    for (const auto& [label, times] : writes) {
      for (const auto& [w, writer] : times) {
        // Needed until the last read before the next write.
        int64_t next = INT64_MAX;
        for (const auto& other : times) {
          if (other.first > w) next = std::min(next, other.first);
        }
        int64_t until = w;
        for (const int64_t r : reads[label]) {
          if (r > w && r <= next) until = std::max(until, r);
        }
        needs.insert({label, {w, until, writer}});
      }
    }
    early = 0;
    for (const auto& [label, times] : reads) {
      if (!writes.contains(label) || given.contains(label)) continue;
      for (const int64_t r : times) {
        bool written = false;
        for (const auto& write : writes[label]) written |= write.first < r;
        early += written ? 0 : 1;
      }
    }
    return needs;
  }

  // Returns whether the instruction at `born` may overwrite the label `dying`, which it reads.
  [[nodiscard]] bool MayReplace(int dying, const Position& born) const {
    if (!Writes(born)) return true;
    const Inst& inst = m_.insts[born.first];
    const auto operands = m_.operands_of(inst);
    bool used = false;
    for (uint32_t k = 0; k < operands.size(); ++k) {
      for (const auto& path : Paths(m_.inst(operands[k]).shape)) {
        if (Label({operands[k].value, path}) != dying) continue;
        used = true;
        if (!path.empty() || !OverwritesOperand(inst, born.second, k)) return false;
      }
    }
    return used;
  }

  [[nodiscard]] bool IsGiven(int64_t parameter, const Path& index) const {
    for (const auto& entry :
         halo::DecodeAliases(m_.IntsOf(m_.attrs, halo::AttrKey::k_input_output_alias))) {
      if (entry.number == parameter && entry.input_index == index) return true;
    }
    return false;
  }

  [[nodiscard]] std::set<int> Returned() const {
    std::set<int> labels;
    const InstId root = m_.comp(m_.entry).root;
    for (const auto& path : Paths(m_.inst(root).shape)) labels.insert(Label({root.value, path}));
    return labels;
  }

  [[nodiscard]] std::vector<Path> Paths(halo::ShapeId shape) const {
    std::vector<Path> paths{{}};
    if (!m_.shapes.is_tuple(shape)) return paths;
    const auto elements = m_.shapes.elements(shape);
    for (size_t k = 0; k < elements.size(); ++k) {
      for (Path path : Paths(elements[k])) {
        path.insert(path.begin(), static_cast<int64_t>(k));
        paths.push_back(std::move(path));
      }
    }
    return paths;
  }

  [[nodiscard]] halo::ShapeId ShapeAt(const Position& position) const {
    halo::ShapeId shape = m_.insts[position.first].shape;
    for (const int64_t step : position.second) {
      shape = m_.shapes.elements(shape)[static_cast<size_t>(step)];
    }
    return shape;
  }

 private:
  static bool PassesOn(Opcode opcode) {
    return opcode == Opcode::kBitcast || opcode == Opcode::kTuple || opcode == Opcode::kCall ||
           opcode == Opcode::kDomain || opcode == Opcode::kAddDependency ||
           opcode == Opcode::kOptimizationBarrier;
  }

  [[nodiscard]] std::vector<uint32_t> AllCalled(const Inst& inst) const {
    std::vector<CompId> ids;
    m_.CalledBy(inst, ids);
    std::vector<uint32_t> out;
    for (const CompId id : ids) out.push_back(id.value);
    return out;
  }
  [[nodiscard]] uint32_t Called(const Inst& inst, std::string_view key) const {
    for (const halo::Attr& attr : m_.attrs_of(inst)) {
      if (halo::TextOf(attr.key) == key) return attr.value;
    }
    return UINT32_MAX;
  }
  // The time in the sequence, but nothing in an async body runs before it was started.
  [[nodiscard]] int64_t When(uint32_t inst, const std::map<std::string, int64_t>& time) const {
    const auto at = time.find(std::string(m_.name_of(m_.insts[inst])));
    if (at == time.end()) return -1;
    const auto starter = started_by_.find(m_.insts[inst].parent.value);
    return starter == started_by_.end() ? at->second
                                        : std::max(at->second, When(starter->second, time));
  }
  [[nodiscard]] int64_t Start(uint32_t comp, const std::map<std::string, int64_t>& time) const {
    int64_t first = -1;
    const halo::Computation& c = m_.comps[comp];
    for (uint32_t i = c.first; i < c.first + c.count; ++i) {
      const int64_t t = When(i, time);
      if (t >= 0) first = first < 0 ? t : std::min(first, t);
    }
    return first;
  }

  void Visit(CompId comp, bool parallel) {
    if (!(parallel ? parallel_ : planned_).insert(comp.value).second) return;
    const halo::Computation& c = m_.comp(comp);
    for (uint32_t i = c.first; i < c.first + c.count; ++i) {
      const Inst& inst = m_.insts[i];
      if (inst.opcode == Opcode::kFusion) {
        VisitFused(AllCalled(inst)[0]);
        continue;
      }
      const bool in_order =
          inst.opcode == Opcode::kWhile || inst.opcode == Opcode::kCall ||
          inst.opcode == Opcode::kConditional || inst.opcode == Opcode::kAsyncStart ||
          inst.opcode == Opcode::kAsyncUpdate || inst.opcode == Opcode::kAsyncDone;
      for (const uint32_t id : AllCalled(inst)) Visit(CompId(id), parallel || !in_order);
    }
  }

  // Computations applied by a fused reduction run in parallel.
  void VisitFused(uint32_t comp) {
    const halo::Computation& c = m_.comps[comp];
    for (uint32_t i = c.first; i < c.first + c.count; ++i) {
      for (const uint32_t id : AllCalled(m_.insts[i])) {
        if (m_.insts[i].opcode == Opcode::kFusion) {
          VisitFused(id);
        } else {
          Visit(CompId(id), true);
        }
      }
    }
  }

  void Same(uint32_t a, Path pa, uint32_t b, Path pb, bool passes, bool tables = true) {
    if (a == UINT32_MAX || b == UINT32_MAX) return;
    for (const auto& path : Paths(ShapeAt({a, pa}))) {
      Path x = pa;
      Path y = pb;
      x.insert(x.end(), path.begin(), path.end());
      y.insert(y.end(), path.begin(), path.end());
      if (!tables && m_.shapes.is_tuple(ShapeAt({b, y}))) continue;
      same_.push_back({{a, x}, {b, y}});
      if (passes) passed_.insert({b, y});
    }
  }
  [[nodiscard]] uint32_t Parameter(uint32_t comp, uint32_t number) const {
    const halo::Computation& c = m_.comps[comp];
    for (uint32_t i = c.first; i < c.first + c.count; ++i) {
      if (m_.insts[i].opcode == Opcode::kParameter && m_.insts[i].extra == number) return i;
    }
    return UINT32_MAX;
  }

  void AddComp(uint32_t comp) {
    const halo::Computation& c = m_.comps[comp];
    for (uint32_t i = c.first; i < c.first + c.count; ++i) {
      for (const auto& path : Paths(m_.insts[i].shape)) {
        label_.try_emplace({i, path}, static_cast<int>(label_.size()));
      }
      AddInst(i);
    }
    if (comp != m_.entry.value) return;
    for (const auto& entry :
         halo::DecodeAliases(m_.IntsOf(m_.attrs, halo::AttrKey::k_input_output_alias))) {
      same_.push_back({{Parameter(comp, static_cast<uint32_t>(entry.number)), entry.input_index},
                       {c.root.value, entry.output_index}});
    }
  }

  void AddInst(uint32_t i) {
    const Inst& inst = m_.insts[i];
    std::vector<uint32_t> ops;
    for (const InstId operand : m_.operands_of(inst)) ops.push_back(operand.value);
    const auto called = AllCalled(inst);
    switch (inst.opcode) {
      case Opcode::kBitcast:
      case Opcode::kOptimizationBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
      case Opcode::kAllReduceDone: Same(ops[0], {}, i, {}, true); break;
      case Opcode::kGetTupleElement:
        Same(ops[0], {m_.IntOr(inst.attrs, halo::AttrKey::k_index, 0)}, i, {}, true);
        break;
      case Opcode::kTuple:
        for (size_t k = 0; k < ops.size(); ++k) {
          Same(ops[k], {}, i, {static_cast<int64_t>(k)}, true);
        }
        break;
      case Opcode::kWhile:
        Same(ops[0], {}, i, {}, true);
        for (const uint32_t comp : called) Same(i, {}, Parameter(comp, 0), {}, true);
        Same(i, {}, m_.comps[Called(inst, "body")].root.value, {}, false);
        break;
      case Opcode::kConditional:
        for (uint32_t k = 0; k < called.size(); ++k) {
          Same(ops[k + 1], {}, Parameter(called[k], 0), {}, true);
          Same(m_.comps[called[k]].root.value, {}, i, {}, true);
        }
        break;
      case Opcode::kCall:
        for (uint32_t k = 0; k < ops.size(); ++k) {
          Same(ops[k], {}, Parameter(called[0], k), {}, true);
        }
        Same(m_.comps[called[0]].root.value, {}, i, {}, true);
        break;
      case Opcode::kAsyncStart:
        if (!called.empty()) started_by_[called[0]] = i;
        for (uint32_t k = 0; k < ops.size(); ++k) {
          Same(ops[k], {}, i, {0, k}, true, false);
          if (!called.empty()) Same(ops[k], {}, Parameter(called[0], k), {}, true);
        }
        if (!called.empty()) Same(m_.comps[called[0]].root.value, {}, i, {1}, true, false);
        break;
      case Opcode::kAsyncUpdate:
        Same(ops[0], {0}, i, {0}, true, false);
        Same(ops[0], {1}, i, {1}, true, false);
        break;
      case Opcode::kAsyncDone:
      case Opcode::kAllGatherDone:
      case Opcode::kCollectivePermuteDone: Same(ops[0], {1}, i, {}, true, false); break;
      case Opcode::kCopyStart: Same(ops[0], {}, i, {1}, true); break;
      case Opcode::kCopyDone: Same(ops[0], {0}, i, {}, true); break;
      case Opcode::kAllGatherStart:
        for (uint32_t k = 0; k < ops.size(); ++k) {
          Same(ops[k], {}, i, ops.size() == 1 ? Path{0} : Path{0, k}, true);
        }
        break;
      case Opcode::kCollectivePermuteStart:
        for (uint32_t k = 0; k < ops.size(); ++k) {
          Same(ops[k], {}, i, ops.size() == 1 ? Path{0} : Path{0, k}, true);
        }
        break;
      default: break;
    }
    for (const auto& [operand, in, out] : InPlace(inst))
      same_.push_back({{ops[operand], in}, {i, out}});
  }

  struct Pair {
    uint32_t operand;
    Path in, out;
  };

  // Walks back through tuples and bitcasts.
  [[nodiscard]] Position Source(Position at) const {
    while (true) {
      const Inst& inst = m_.insts[at.first];
      const auto operands = m_.operands_of(inst);
      if (inst.opcode == Opcode::kTuple && !at.second.empty()) {
        at = {operands[static_cast<size_t>(at.second[0])].value,
              Path(at.second.begin() + 1, at.second.end())};
      } else if (inst.opcode == Opcode::kGetTupleElement) {
        at.first = operands[0].value;
        at.second.insert(at.second.begin(), m_.IntOr(inst.attrs, halo::AttrKey::k_index, 0));
      } else if (at.second.empty() &&
                 (inst.opcode == Opcode::kBitcast ||
                  (inst.opcode == Opcode::kReshape && rules_ == halo::CheckRules::kGpu))) {
        at.first = operands[0].value;
      } else {
        return at;
      }
    }
  }

  [[nodiscard]] std::vector<Pair> InPlace(const Inst& inst) const {
    std::vector<Pair> pairs;
    for (const auto& entry :
         halo::DecodeAliases(m_.IntsOf(inst.attrs, halo::AttrKey::k_output_to_operand_aliasing))) {
      if (inst.opcode == Opcode::kAsyncUpdate || inst.opcode == Opcode::kAsyncDone) break;
      pairs.push_back({static_cast<uint32_t>(entry.number), entry.input_index, entry.output_index});
    }
    if (inst.opcode == Opcode::kDynamicUpdateSlice || inst.opcode == Opcode::kSetDimensionSize) {
      pairs.push_back({0, {}, {}});
    }
    if (inst.opcode == Opcode::kScatter || inst.opcode == Opcode::kAllReduceStart) {
      const uint32_t n =
          inst.opcode == Opcode::kScatter ? (inst.operand_count - 1) / 2 : inst.operand_count;
      for (uint32_t k = 0; k < n; ++k) pairs.push_back({k, {}, n == 1 ? Path{} : Path{k}});
    }
    if (inst.opcode == Opcode::kRaggedAllToAll) pairs.push_back({1, {}, {}});
    if (inst.opcode != Opcode::kFusion) return pairs;
    const halo::Computation& body = m_.comps[AllCalled(inst)[0]];
    for (const auto& out : Paths(inst.shape)) {
      if (m_.shapes.is_tuple(inst.shape) && out.empty()) continue;
      const Position made = Source({body.root.value, out});
      for (const Pair& pair : InPlace(m_.insts[made.first])) {
        if (pair.out != made.second) continue;
        const Inst& maker = m_.insts[made.first];
        const Position from = Source({m_.operands_of(maker)[pair.operand].value, pair.in});
        const Inst& source = m_.insts[from.first];
        if (source.opcode == Opcode::kParameter) pairs.push_back({source.extra, from.second, out});
      }
    }
    return pairs;
  }

  [[nodiscard]] bool Elementwise(const Inst& inst, uint32_t k) const {
    if (inst.opcode == Opcode::kDynamicUpdateSlice) return k == 0;
    return (halo::HasTrait(inst.opcode, halo::kElementwise) || inst.opcode == Opcode::kMap) &&
           m_.shapes.ElementCount(m_.inst(m_.operands_of(inst)[k]).shape) ==
               m_.shapes.ElementCount(inst.shape);
  }

  [[nodiscard]] bool OverwritesOperand(const Inst& inst, const Path& out, uint32_t k) const;
  [[nodiscard]] bool FusionOverwrites(const Inst& fusion, const Path& out, uint32_t k) const;

  const Module& m_;
  halo::CheckRules rules_;
  std::set<uint32_t> planned_, parallel_;  // computations
  std::map<Position, int> label_;
  std::vector<std::pair<Position, Position>> same_;
  std::set<Position> passed_;
  std::map<std::string, uint32_t> by_name_;
  std::map<uint32_t, uint32_t> started_by_;  // async-start, by the computation it starts
};

// Returns whether element i of the output depends on no element of the operand other than i.
inline bool PlainMemory::OverwritesOperand(const Inst& inst, const Path& out, uint32_t k) const {
  const auto operands = m_.operands_of(inst);
  halo::ShapeId to = inst.shape;
  for (const int64_t step : out) to = m_.shapes.elements(to)[static_cast<size_t>(step)];
  const halo::ShapeId from = m_.inst(operands[k]).shape;
  const bool gpu = rules_ == halo::CheckRules::kGpu || rules_ == halo::CheckRules::kAny;
  const bool equal = m_.shapes.Text(from) == m_.shapes.Text(to);
  const bool once = std::count(operands.begin(), operands.end(), operands[k]) == 1;
  if (inst.opcode == Opcode::kFusion) {
    const bool same_bits =
        m_.shapes.ElementCount(from) == m_.shapes.ElementCount(to) &&
        halo::InfoOf(m_.shapes.type(from)).bits == halo::InfoOf(m_.shapes.type(to)).bits;
    return (equal || (gpu && same_bits)) && FusionOverwrites(inst, out, k);
  }
  if (inst.opcode == Opcode::kCustomCall && gpu) {
    return m_.TextOr(inst.attrs, halo::AttrKey::k_custom_call_target) == "__cublas$lt$matmul" &&
           k == 2 && once && out == Path{0};
  }
  if (!equal) return false;
  const bool same_number = operands.size() == 1 || out == Path{k};
  switch (inst.opcode) {
    case Opcode::kAllReduce:
    case Opcode::kCollectiveBroadcast: return gpu && same_number;
    case Opcode::kSort: return once && same_number;
    case Opcode::kScatter:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kSetDimensionSize: return once && k == 0;
    case Opcode::kTriangularSolve: return once && k == 1;
    default: return Elementwise(inst, k);
  }
}

inline bool PlainMemory::FusionOverwrites(const Inst& fusion, const Path& out, uint32_t k) const {
  const halo::Computation& body = m_.comps[AllCalled(fusion)[0]];
  uint32_t output = body.root.value;
  for (const int64_t step : out) {
    if (m_.insts[output].opcode != Opcode::kTuple) break;
    output = m_.operands_of(m_.insts[output])[static_cast<size_t>(step)].value;
  }
  uint32_t maker = output;
  if (m_.insts[maker].opcode == Opcode::kBitcast) {
    maker = m_.operands_of(m_.insts[maker])[0].value;
  }
  // A product plus this operand.
  const Inst& root = m_.inst(body.root);
  if (m_.TextOr(fusion.attrs, halo::AttrKey::k_kind) == "kOutput" && root.opcode == Opcode::kAdd) {
    size_t uses = 0;
    for (uint32_t i = body.first; i < body.first + body.count; ++i) {
      for (const InstId used : m_.operands_of(m_.insts[i])) {
        uses += m_.inst(used).opcode == Opcode::kParameter && m_.inst(used).extra == k ? 1 : 0;
      }
    }
    const Inst& a = m_.inst(m_.operands_of(root)[0]);
    const Inst& b = m_.inst(m_.operands_of(root)[1]);
    const auto product = [](const Inst& x) {
      return x.opcode == Opcode::kDot || x.opcode == Opcode::kConvolution;
    };
    const auto mine = [&](const Inst& x) { return x.opcode == Opcode::kParameter && x.extra == k; };
    if (uses == 1 && ((product(a) && mine(b)) || (product(b) && mine(a)))) return true;
  }
  // Kernels with a reduction finish it before they write the elementwise outputs.
  const bool reduces_first =
      (rules_ == halo::CheckRules::kGpu || rules_ == halo::CheckRules::kAny) &&
      m_.TextOr(fusion.attrs, halo::AttrKey::k_kind) != "kLoop";
  std::set<uint32_t> reached;
  std::vector<uint32_t> work;
  for (uint32_t i = body.first; i < body.first + body.count; ++i) {
    if (m_.insts[i].opcode == Opcode::kParameter && m_.insts[i].extra == k) work.push_back(i);
  }
  while (!work.empty()) {
    const uint32_t at = work.back();
    work.pop_back();
    if (!reached.insert(at).second) continue;
    for (uint32_t i = body.first; i < body.first + body.count; ++i) {
      const Inst& user = m_.insts[i];
      const auto operands = m_.operands_of(user);
      for (uint32_t n = 0; n < operands.size(); ++n) {
        if (operands[n].value != at) continue;
        const bool once = std::count(operands.begin(), operands.end(), operands[n]) == 1;
        if (user.opcode == Opcode::kReduce && reduces_first) continue;
        bool fine = user.opcode == Opcode::kTuple || user.opcode == Opcode::kGetTupleElement ||
                    user.opcode == Opcode::kBitcast || Elementwise(user, n);
        if (user.opcode == Opcode::kScatter) {
          fine = i == maker && once && n < (operands.size() - 1) / 2;
        }
        if (user.opcode == Opcode::kSort) {
          fine = i == maker && once && (out.empty() || out.back() == n);
        }
        if (user.opcode == Opcode::kDynamicUpdateSlice && n == 1) fine = i == maker;
        const Inst& update = m_.insts[maker];
        if (user.opcode == Opcode::kDynamicSlice && n == 0 &&
            update.opcode == Opcode::kDynamicUpdateSlice) {
          const auto written = m_.operands_of(update);
          const auto count = m_.shapes.ElementCount(user.shape);
          fine = written[0] == operands[0] && written.size() == operands.size() + 1 &&
                 count == m_.shapes.ElementCount(m_.inst(written[1]).shape);
          for (size_t s = 1; fine && count != 1 && s < operands.size(); ++s) {
            fine = operands[s] == written[s + 1];
          }
        }
        if (!fine) return false;
        work.push_back(i);
      }
    }
  }
  return rules_ != halo::CheckRules::kGpu || reached.contains(output);
}

}  // namespace halo_bench

#endif  // HALO_BENCH_PLAIN_MEMORY_H_
