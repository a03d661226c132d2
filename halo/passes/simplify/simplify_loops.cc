// Simplifies what a loop carries. Elements of its tuple that no iteration changes are read from
// before the loop by users after it, and also inside it if they are constants. Elements that are
// never needed are dropped.
#include <algorithm>
#include <string>
#include <vector>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/users.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/constants.h"
#include "halo/passes/rewrite/effects.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

class LoopSimplifier {
 public:
  explicit LoopSimplifier(Module& module)
      : graph_(module),
        users_(module),
        with_effects_(ComputationsWithEffects(module)),
        edit_(std::move(module)) {}

  void Run(PassLog& log) {
    for (const CompId comp : graph_.post_order()) {
      const Computation computation = edit_.module().comp(comp);
      for (uint32_t i = 0; i < computation.count; ++i) {
        const InstId id(computation.first + i);
        if (edit_.inst(id).opcode == Opcode::kWhile && Open(id)) Simplify(log);
      }
    }
  }
  [[nodiscard]] bool changed() const { return edit_.changed(); }
  Module Finish() { return edit_.Finish(); }

 private:
  // A computation's parameter and the reads of its elements.
  struct Carried {
    InstId parameter;
    std::vector<InstId> reads;
  };

  bool ReadsOnly(InstId tuple, std::vector<InstId>& reads) const {
    reads.clear();
    for (const InstId user : users_.of(tuple)) {
      if (edit_.inst(user).opcode != Opcode::kGetTupleElement) return false;
      reads.push_back(user);
    }
    return true;
  }

  bool OpenComputation(AttrKey key, CompId& comp, Carried& carried) const {
    const Attr* attr = edit_.module().Find(edit_.inst(loop_), key);
    if (attr == nullptr) return false;
    comp = CompId(attr->value);
    if (graph_.call_sites(comp) != 1) return false;
    const Computation& computation = edit_.module().comp(comp);
    if (!computation.defined) return false;
    for (uint32_t i = 0; i < computation.count; ++i) {
      const InstId id(computation.first + i);
      if (edit_.inst(id).opcode == Opcode::kParameter) carried.parameter = id;
    }
    return carried.parameter.valid() && carried.parameter != computation.root &&
           ReadsOnly(carried.parameter, carried.reads);
  }

  // Analyses a loop. Returns false if its tuple is used in any way other than element by element.
  bool Open(InstId loop) {
    loop_ = loop;
    body_ = {};
    condition_ = {};
    CompId comp;
    if (!edit_.module().shapes.is_tuple(edit_.inst(loop).shape)) return false;
    if (edit_.module().comp(edit_.inst(loop).parent).root == loop) return false;
    if (!ReadsOnly(loop, results_)) return false;
    if (!OpenComputation(AttrKey::k_condition, comp, condition_)) return false;
    if (!OpenComputation(AttrKey::k_body, comp, body_)) return false;
    if (comp == edit_.inst(condition_.parameter).parent) return false;
    body_comp_ = comp;
    root_ = edit_.root(comp);
    if (edit_.inst(root_).opcode != Opcode::kTuple || !users_.of(root_).empty()) return false;
    count_ = edit_.inst(root_).operand_count;
    // They must all carry exactly the same tuple.
    const ShapeId shape = edit_.inst(loop).shape;
    return edit_.inst(body_.parameter).shape == shape &&
           edit_.inst(condition_.parameter).shape == shape && edit_.inst(root_).shape == shape &&
           edit_.inst(edit_.operand(loop, 0)).shape == shape;
  }

  [[nodiscard]] size_t IndexOf(InstId read) const {
    return static_cast<size_t>(edit_.module().IntOr(edit_.inst(read).attrs, AttrKey::k_index, 0));
  }

  // The value of element i before the loop.
  InstId Initial(size_t i) {
    const InstId operand = edit_.operand(loop_, 0);
    if (edit_.inst(operand).opcode == Opcode::kTuple) return edit_.operand(operand, i);
    return edit_.AddElement(edit_.inst(loop_).parent, operand, static_cast<int64_t>(i), operand);
  }

  [[nodiscard]] bool IsInvariant(size_t i) const {
    const InstId value = edit_.operand(root_, i);
    return edit_.inst(value).opcode == Opcode::kGetTupleElement && IndexOf(value) == i &&
           edit_.operand(value, 0) == body_.parameter;
  }

  void Simplify(PassLog& log) {
    const std::string name(edit_.module().name_of(edit_.inst(loop_)));
    std::vector<bool> invariant(count_);
    for (size_t i = 0; i < count_; ++i) invariant[i] = IsInvariant(i);
    for (const InstId read : results_) {
      if (!invariant[IndexOf(read)] || edit_.Current(read) != read) continue;
      log.Note("%", name, " does not change element ", std::to_string(IndexOf(read)));
      edit_.Replace(read, Initial(IndexOf(read)));
    }
    SinkConstants(invariant);
    const std::vector<bool> live = FindLive();
    const auto dead = static_cast<size_t>(std::ranges::count(live, false));
    if (dead == 0 || dead == count_) return;
    log.Note("%", name, " carries ", std::to_string(dead), " unused elements");
    Shrink(live);
  }

  void SinkConstants(const std::vector<bool>& invariant) {
    const InstId operand = edit_.operand(loop_, 0);
    if (edit_.inst(operand).opcode != Opcode::kTuple) return;
    for (const Carried* carried : {&body_, &condition_}) {
      for (const InstId read : carried->reads) {
        if (!invariant[IndexOf(read)] || edit_.Current(read) != read) continue;
        const InstId initial = edit_.operand(operand, IndexOf(read));
        if (edit_.inst(initial).opcode != Opcode::kConstant) continue;
        if (!edit_.module().shapes.dims(edit_.inst(initial).shape).empty()) continue;
        // The root still carries the element; if it has no other use, it is dropped below.
        const InstId copy = edit_.Clone(initial, edit_.inst(read).parent, {});
        for (const InstId user : users_.of(read)) {
          if (user == root_) continue;
          const std::vector<InstId> operands = edit_.operands(user);
          for (size_t k = 0; k < operands.size(); ++k) {
            if (operands[k] == read) edit_.SetOperand(user, k, copy);
          }
        }
      }
    }
  }

  void Need(InstId id, std::vector<InstId>& work) {
    id = edit_.Current(id);
    if (marks_.size() <= id.index()) marks_.resize(edit_.module().insts.size(), InstId());
    if (marks_[id.index()] == loop_) return;
    marks_[id.index()] = loop_;
    work.push_back(id);
  }

  std::vector<bool> FindLive() {
    std::vector<bool> live(count_, false);
    std::vector<InstId> work;
    const auto need_element = [&](size_t i) {
      if (live[i]) return;
      live[i] = true;
      Need(edit_.operand(root_, i), work);
    };
    for (const InstId read : results_) {
      const bool used =
          !users_.of(read).empty() || edit_.module().comp(edit_.inst(read).parent).root == read;
      if (edit_.Current(read) == read && used) need_element(IndexOf(read));
    }
    const CompId condition = edit_.inst(condition_.parameter).parent;
    Need(edit_.root(condition), work);
    for (const CompId comp : {condition, body_comp_}) {
      for (const InstId id : edit_.instructions(comp)) {
        if (HasEffect(edit_.module(), edit_.inst(id), with_effects_)) Need(id, work);
      }
    }
    while (!work.empty()) {
      const InstId id = work.back();
      work.pop_back();
      const std::vector<InstId> operands = edit_.operands(id);
      const bool is_read = edit_.inst(id).opcode == Opcode::kGetTupleElement &&
                           (operands[0] == body_.parameter || operands[0] == condition_.parameter);
      if (is_read) need_element(IndexOf(id));
      for (const InstId operand : operands) Need(operand, work);
    }
    return live;
  }

  void Shrink(const std::vector<bool>& live) {
    std::vector<int64_t> position(count_, -1);
    std::vector<InstId> initial, next;
    std::vector<ShapeId> shapes;
    for (size_t i = 0; i < count_; ++i) {
      if (!live[i]) continue;
      position[i] = static_cast<int64_t>(next.size());
      initial.push_back(Initial(i));
      next.push_back(edit_.operand(root_, i));
      shapes.push_back(edit_.module().shapes.elements(edit_.inst(loop_).shape)[i]);
    }
    const ShapeId shape = edit_.tables().shapes.Tuple(shapes);
    const auto renumber = [&](const std::vector<InstId>& reads) {
      for (const InstId read : reads) {
        if (edit_.Current(read) != read || !live[IndexOf(read)]) continue;
        edit_.SetAttr(read, edit_.tables().MakeInt(AttrKey::k_index, position[IndexOf(read)]));
      }
    };
    const InstId tuple = edit_.AddTuple(edit_.inst(loop_).parent, initial, edit_.operand(loop_, 0));
    renumber(results_);
    renumber(body_.reads);
    renumber(condition_.reads);
    edit_.SetOperand(loop_, 0, tuple);
    edit_.SetOperands(root_, next);
    for (const InstId id : {loop_, root_, body_.parameter, condition_.parameter}) {
      edit_.SetShape(id, shape);
      edit_.RemoveAttr(id, AttrKey::k_sharding);
    }
  }

  CallGraph graph_;
  Users users_;
  std::vector<bool> with_effects_;
  ModuleEditor edit_;
  InstId loop_, root_;
  CompId body_comp_;
  size_t count_ = 0;
  Carried body_, condition_;
  std::vector<InstId> results_;  // reads of the loop's result
  std::vector<InstId> marks_;    // the loop for which an instruction was visited
};

}  // namespace

bool SimplifyLoops(Module& module, PassLog& log) {
  LoopSimplifier simplifier(module);
  simplifier.Run(log);
  const bool changed = simplifier.changed();
  module = simplifier.Finish();
  return changed;
}

}  // namespace halo
