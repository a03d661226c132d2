// Edits a module. Instructions keep their ids while they are edited, and new ones are appended.
// `Finish` then lays out the computations again: operands before users, otherwise in the old order,
// without dead code, with unique names. Which rewrites are correct is left to the callers.
//
//   ModuleEditor edit(std::move(module));
//   const InstId sum = edit.Add(comp, Opcode::kAdd, shape, {{a, b}}, {}, old);
//   edit.Replace(old, sum);
//   module = edit.Finish();
#ifndef HALO_PASSES_REWRITE_REWRITER_H_
#define HALO_PASSES_REWRITE_REWRITER_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

class ModuleEditor {
 public:
  explicit ModuleEditor(Module module);

  // The tables, and old and new instructions. Add invalidates references into it.
  [[nodiscard]] const Module& module() const { return module_; }
  // For interning shapes, strings, attributes and literals only.
  [[nodiscard]] Module& tables() { return module_; }
  [[nodiscard]] const Inst& inst(InstId id) const { return module_.inst(id); }
  [[nodiscard]] bool changed() const { return changed_; }

  // The current replacement of `id`: itself unless it was replaced.
  [[nodiscard]] InstId Current(InstId id) const;
  // The current operands.
  [[nodiscard]] InstId operand(InstId id, size_t number) const {
    return Current(module_.operands_of(module_.inst(id))[number]);
  }
  [[nodiscard]] std::vector<InstId> operands(InstId id) const;

  // Adds an instruction to `comp`, right before its first user, or at the end if it has none.
  // `like` supplies the metadata and, unless SetName is called, the name: its own if the opcode is
  // the same, otherwise the opcode's.
  InstId Add(CompId comp, Opcode opcode, ShapeId shape, std::span<const InstId> operands,
             std::span<const Attr> attrs = {}, InstId like = {});
  InstId Add(CompId comp, Opcode opcode, ShapeId shape, std::initializer_list<InstId> operands,
             std::span<const Attr> attrs = {}, InstId like = {}) {
    return Add(comp, opcode, shape, std::span<const InstId>(operands.begin(), operands.size()),
               attrs, like);
  }
  InstId AddConstant(CompId comp, ShapeId shape, std::span<const uint8_t> bits, InstId like = {});
  InstId AddParameter(CompId comp, uint32_t number, ShapeId shape, std::string_view name,
                      InstId like = {});
  InstId AddTuple(CompId comp, std::span<const InstId> elements, InstId like = {});
  InstId AddElement(CompId comp, InstId tuple, int64_t index, InstId like = {});
  // Copies an instruction of any computation, including all attributes.
  InstId Clone(InstId inst, CompId comp, std::span<const InstId> operands);

  // Control predecessors of the old instruction are preserved only through the order of its users.
  void Replace(InstId old, InstId by);
  void SetOperand(InstId id, size_t number, InstId operand);
  void SetOperands(InstId id, std::span<const InstId> operands);
  void SetShape(InstId id, ShapeId shape);
  void SetOpcode(InstId id, Opcode opcode);
  void SetAttrs(InstId id, std::span<const Attr> attrs);
  // Replaces the attribute with the same key, or appends it to those of the op.
  void SetAttr(InstId id, Attr attr);
  void RemoveAttr(InstId id, AttrKey key);
  void SetName(InstId id, std::string_view name);  // made unique by Finish
  // Places a new instruction right before an old one that does not use it.
  void PlaceBefore(InstId id, InstId anchor);
  // Drops an instruction that would stay even without users: a parameter, or one with an effect.
  void Drop(InstId id);

  CompId AddComputation(std::string_view name, CompId like = {});
  void SetRoot(CompId comp, InstId root);
  void SetEntry(CompId comp);
  [[nodiscard]] InstId root(CompId comp) const { return Current(module_.comp(comp).root); }
  // Old instructions that were not dropped or replaced, in order, followed by new ones.
  [[nodiscard]] std::vector<InstId> instructions(CompId comp) const;

  // Makes Finish drop dead code even if nothing else changes.
  void DropDeadCode() { changed_ = true; }
  // Returns the edited module, unchanged if there were no edits. The editor must not be used
  // afterwards.
  Module Finish();

 private:
  enum class Fate : uint8_t { kKept, kReplaced, kDropped };

  InstId Push(CompId comp, Inst inst, std::span<const InstId> operands);
  void MarkLive(InstId id, std::vector<InstId>& work);
  void FindLive();
  void ReachComputation(CompId comp, std::vector<InstId>& work);
  void OrderComputations();
  void OrderInstructions(CompId comp);
  void Visit(InstId id);
  void NameNewOnes();
  void Rebuild();
  AttrListId Renamed(AttrListId list);

  Module module_;
  size_t old_count_;
  bool changed_ = false;
  std::vector<Fate> fates_;
  mutable std::vector<InstId> by_;          // of replaced instructions
  std::vector<bool> unnamed_;               // names that Finish makes unique
  std::vector<std::vector<InstId>> added_;  // by computation
  std::unordered_map<uint32_t, std::vector<InstId>> placed_before_;

  // Used by Finish.
  std::vector<bool> live_, live_comps_, with_effects_;
  std::vector<uint8_t> state_;
  std::vector<InstId> stack_, order_, new_inst_;
  std::vector<uint32_t> begins_;  // where each computation of comp_order_ begins in order_
  std::vector<CompId> comp_order_, new_comp_;
  std::unordered_map<uint32_t, AttrListId> renamed_;
};

// A shape in the module's table: dense, with the given order of dimensions (empty: row-major).
ShapeId DenseShape(ShapeTable& shapes, ElementType type, std::span<const int64_t> dims,
                   std::span<const int64_t> minor_to_major = {});
// Minor-to-major order of an array; row-major if the shape has no layout.
std::vector<int64_t> MinorToMajor(const ShapeTable& shapes, ShapeId shape);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_REWRITER_H_
