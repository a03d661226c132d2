// Records edits. Laying out the result is left to rewriter_finish.cc.
#include "halo/passes/rewrite/rewriter.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "halo/base/check.h"

namespace halo {

ModuleEditor::ModuleEditor(Module module)
    : module_(std::move(module)),
      old_count_(module_.insts.size()),
      fates_(old_count_, Fate::kKept),
      by_(old_count_),
      unnamed_(old_count_, false),
      added_(module_.comps.size()) {}

InstId ModuleEditor::Current(InstId id) const {
  InstId last = id;
  while (fates_[last.index()] == Fate::kReplaced) last = by_[last.index()];
  // Path compression: the next walk along this chain is a single step.
  while (fates_[id.index()] == Fate::kReplaced && by_[id.index()] != last) {
    id = std::exchange(by_[id.index()], last);
  }
  return last;
}

std::vector<InstId> ModuleEditor::operands(InstId id) const {
  const std::span<const InstId> stored = module_.operands_of(module_.inst(id));
  std::vector<InstId> now(stored.begin(), stored.end());
  for (InstId& each : now) each = Current(each);
  return now;
}

InstId ModuleEditor::Push(CompId comp, Inst inst, std::span<const InstId> operands) {
  const InstId id(module_.insts.size());
  inst.operands_begin = static_cast<uint32_t>(module_.operands.size());
  inst.operand_count = static_cast<uint32_t>(operands.size());
  inst.parent = comp;
  const std::vector<InstId> copy(operands.begin(), operands.end());
  module_.operands.append(copy.data(), copy.size());
  module_.insts.push_back(inst);
  fates_.push_back(Fate::kKept);
  by_.emplace_back();
  unnamed_.push_back(true);
  added_[comp.index()].push_back(id);
  changed_ = true;
  return id;
}

InstId ModuleEditor::Add(CompId comp, Opcode opcode, ShapeId shape,
                         std::span<const InstId> operands, std::span<const Attr> attrs,
                         InstId like) {
  Inst inst;
  inst.opcode = opcode;
  inst.shape = shape;
  std::vector<Attr> all(attrs.begin(), attrs.end());
  if (like.valid()) {
    const Inst& model = module_.inst(like);
    const Attr* metadata = module_.Find(model, AttrKey::k_metadata);
    if (metadata != nullptr) all.push_back(*metadata);
    if (model.opcode == opcode) inst.name = model.name;
  }
  if (!inst.name.valid()) inst.name = module_.Str(TextOf(opcode));
  inst.attrs = module_.Attrs(all);
  return Push(comp, inst, operands);
}

InstId ModuleEditor::AddConstant(CompId comp, ShapeId shape, std::span<const uint8_t> bits,
                                 InstId like) {
  const InstId id = Add(comp, Opcode::kConstant, shape, {}, {}, like);
  module_.insts[id.index()].extra = module_.literals.Add(shape, bits).value;
  return id;
}

InstId ModuleEditor::AddParameter(CompId comp, uint32_t number, ShapeId shape,
                                  std::string_view name, InstId like) {
  const InstId id = Add(comp, Opcode::kParameter, shape, {}, {}, like);
  module_.insts[id.index()].extra = number;
  SetName(id, name);
  return id;
}

InstId ModuleEditor::AddTuple(CompId comp, std::span<const InstId> elements, InstId like) {
  std::vector<ShapeId> shapes;
  for (const InstId each : elements) shapes.push_back(module_.inst(each).shape);
  return Add(comp, Opcode::kTuple, module_.shapes.Tuple(shapes), elements, {}, like);
}

InstId ModuleEditor::AddElement(CompId comp, InstId tuple, int64_t index, InstId like) {
  const ShapeId shape =
      module_.shapes.elements(module_.inst(tuple).shape)[static_cast<size_t>(index)];
  const Attr attr = module_.MakeInt(AttrKey::k_index, index);
  return Add(comp, Opcode::kGetTupleElement, shape, {tuple}, {&attr, 1}, like);
}

InstId ModuleEditor::Clone(InstId inst, CompId comp, std::span<const InstId> operands) {
  Inst copy = module_.inst(inst);
  copy.flags &= static_cast<uint8_t>(~kInstImplicit);
  const InstId id = Push(comp, copy, operands);
  RemoveAttr(id, AttrKey::k_control_predecessors);
  return id;
}

void ModuleEditor::Replace(InstId old, InstId by) {
  by = Current(by);
  HALO_CHECK(old != by && fates_[old.index()] == Fate::kKept);
  fates_[old.index()] = Fate::kReplaced;
  by_[old.index()] = by;
  changed_ = true;
}

void ModuleEditor::SetOperand(InstId id, size_t number, InstId operand) {
  module_.operands[module_.inst(id).operands_begin + number] = operand;
  changed_ = true;
}

void ModuleEditor::SetOperands(InstId id, std::span<const InstId> operands) {
  const std::vector<InstId> copy(operands.begin(), operands.end());
  Inst& inst = module_.insts[id.index()];
  if (copy.size() > inst.operand_count) {
    inst.operands_begin = static_cast<uint32_t>(module_.operands.size());
    module_.operands.append(copy.data(), copy.size());
  } else {
    std::ranges::copy(copy, module_.operands.begin() + inst.operands_begin);
  }
  inst.operand_count = static_cast<uint32_t>(copy.size());
  changed_ = true;
}

void ModuleEditor::SetShape(InstId id, ShapeId shape) {
  module_.insts[id.index()].shape = shape;
  changed_ = true;
}

void ModuleEditor::SetOpcode(InstId id, Opcode opcode) {
  module_.insts[id.index()].opcode = opcode;
  changed_ = true;
}

void ModuleEditor::SetAttrs(InstId id, std::span<const Attr> attrs) {
  module_.insts[id.index()].attrs = module_.Attrs(attrs);
  changed_ = true;
}

void ModuleEditor::SetAttr(InstId id, Attr attr) {
  const std::span<const Attr> stored = module_.attrs_of(module_.inst(id));
  std::vector<Attr> attrs(stored.begin(), stored.end());
  const auto same =
      std::ranges::find_if(attrs, [&](const Attr& each) { return each.key == attr.key; });
  if (same != attrs.end()) {
    *same = attr;
  } else {
    attrs.insert(
        std::ranges::find_if(
            attrs, [&](const Attr& each) { return InfoOf(each.key).scope == AttrScope::kAny; }),
        attr);
  }
  SetAttrs(id, attrs);
}

void ModuleEditor::RemoveAttr(InstId id, AttrKey key) {
  if (module_.Find(module_.inst(id), key) == nullptr) return;
  const std::span<const Attr> stored = module_.attrs_of(module_.inst(id));
  std::vector<Attr> attrs(stored.begin(), stored.end());
  std::erase_if(attrs, [&](const Attr& each) { return each.key == key; });
  SetAttrs(id, attrs);
}

void ModuleEditor::SetName(InstId id, std::string_view name) {
  module_.insts[id.index()].name = module_.AddName(std::string(name));
  unnamed_[id.index()] = true;
  changed_ = true;
}

void ModuleEditor::PlaceBefore(InstId id, InstId anchor) {
  placed_before_[anchor.value].push_back(id);
}

void ModuleEditor::Drop(InstId id) {
  fates_[id.index()] = Fate::kDropped;
  changed_ = true;
}

CompId ModuleEditor::AddComputation(std::string_view name, CompId like) {
  Computation comp;
  comp.name = module_.AddName(std::string(name));
  comp.first = static_cast<uint32_t>(old_count_);
  comp.defined = true;
  if (like.valid()) comp.execution_thread = module_.comp(like).execution_thread;
  module_.comps.push_back(comp);
  added_.emplace_back();
  changed_ = true;
  return CompId(module_.comps.size() - 1);
}

void ModuleEditor::SetRoot(CompId comp, InstId root) {
  module_.comps[comp.index()].root = root;
  changed_ = true;
}

void ModuleEditor::SetEntry(CompId comp) {
  module_.comps[module_.entry.index()].is_entry = false;
  module_.comps[comp.index()].is_entry = true;
  module_.entry = comp;
  changed_ = true;
}

std::vector<InstId> ModuleEditor::instructions(CompId comp) const {
  const Computation& computation = module_.comp(comp);
  std::vector<InstId> ids;
  ids.reserve(computation.count + added_[comp.index()].size());
  for (uint32_t i = 0; i < computation.count; ++i) {
    const InstId id(computation.first + i);
    if (fates_[id.index()] == Fate::kKept) ids.push_back(id);
  }
  for (const InstId id : added_[comp.index()]) {
    if (fates_[id.index()] == Fate::kKept) ids.push_back(id);
  }
  return ids;
}

ShapeId DenseShape(ShapeTable& shapes, ElementType type, std::span<const int64_t> dims,
                   std::span<const int64_t> minor_to_major) {
  Layout layout;
  layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  if (minor_to_major.empty()) {
    for (size_t i = dims.size(); i-- > 0;) {
      layout.minor_to_major.push_back(static_cast<int64_t>(i));
    }
  }
  const std::vector<int64_t> copy(dims.begin(), dims.end());
  return shapes.Array(type, copy, {}, shapes.InternLayout(std::move(layout)));
}

std::vector<int64_t> MinorToMajor(const ShapeTable& shapes, ShapeId shape) {
  const Layout* layout = shapes.layout(shape);
  const size_t rank = shapes.dims(shape).size();
  if (layout != nullptr && layout->minor_to_major.size() == rank) return layout->minor_to_major;
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), int64_t{0});
  return order;
}

}  // namespace halo
