// Finds the common index space of a kernel's reductions.
#include "halo/codegen/forms/reduction_form.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <unordered_map>

#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

constexpr int kMaxDepth = 1000;

int64_t Product(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

std::vector<int64_t> RowMajor(std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

bool IsFolded(std::span<const int64_t> folded, size_t dim) {
  return std::ranges::find(folded, static_cast<int64_t>(dim)) != folded.end();
}

// Assigns levels to all reductions that a value depends on. Fails if they nest too deeply.
class Leveler {
 public:
  explicit Leveler(const KernelBody& body) : body_(body) {}

  bool Visit(InstId inst, int depth, int& level) {
    if (depth > kMaxDepth) return false;
    if (const auto known = levels_.find(inst.value); known != levels_.end()) {
      level = known->second;
      return true;
    }
    level = 0;
    if (!body_.inputs.contains(inst.value)) {
      for (const InstId operand : body_.operands(inst)) {
        int behind = 0;
        if (!Visit(operand, depth + 1, behind)) return false;
        level = std::max(level, behind);
      }
      if (body_.at(inst).opcode == Opcode::kReduce) {
        const auto at = static_cast<size_t>(level++);
        if (found.size() <= at) found.resize(at + 1);
        found[at].push_back(inst);
      }
    }
    levels_[inst.value] = level;
    return true;
  }

  std::vector<std::vector<InstId>> found;

 private:
  const KernelBody& body_;
  std::unordered_map<uint32_t, int> levels_;
};

// The storage order of a value's elements, actual or hypothetical: that of an array in memory with
// the same dimensions, otherwise that of its layout.
std::vector<int64_t> OrderOf(const KernelBody& body, InstId inst) {
  const std::span<const int64_t> dims = body.dims(inst);
  if (!body.inputs.contains(inst.value)) {
    for (uint32_t i = 0; i < body.operand_leaves; ++i) {
      const ArrayView& view = body.buffers[i];
      if (std::ranges::equal(view.dims, dims)) return view.major_to_minor;
    }
  }
  return ViewOf(*body.module, body.shape(inst)).major_to_minor;
}

bool SortRoots(const KernelBody& body, ReductionForm& form) {
  for (size_t k = 0; k < body.roots.size(); ++k) {
    const int64_t count = body.result(k).count;
    if (count == form.rows) {
      form.row_roots.push_back(k);
    } else if (count == form.rows * form.columns) {
      form.element_roots.push_back(k);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

bool ReductionForm::minor_is_folded() const {
  for (size_t i = order.size(); i-- > 0;) {
    const auto dim = static_cast<size_t>(order[i]);
    if (dims[dim] != 1) return std::ranges::find(folded, dim) != folded.end();
  }
  return true;
}

std::vector<InstId> ReductionForm::reductions() const {
  std::vector<InstId> all;
  for (const std::vector<InstId>& level : levels) all.insert(all.end(), level.begin(), level.end());
  return all;
}

std::optional<ReductionForm> FindReductionForm(const KernelBody& body, std::string& why) {
  Leveler leveler(body);
  for (const InstId root : body.roots) {
    int level = 0;
    if (!leveler.Visit(root, 0, level)) {
      why = "instructions nested too deeply";
      return std::nullopt;
    }
  }
  if (leveler.found.empty()) return std::nullopt;
  ReductionForm form;
  form.levels = std::move(leveler.found);
  const InstId hero = body.operands(form.levels[0][0])[0];
  const std::span<const int64_t> folded = body.ints(form.levels[0][0], AttrKey::k_dimensions);
  form.dims.assign(body.dims(hero).begin(), body.dims(hero).end());
  form.order = OrderOf(body, hero);
  for (size_t i = 0; i < form.dims.size(); ++i) {
    const bool gone = IsFolded(folded, i);
    (gone ? form.folded : form.kept).push_back(i);
    (gone ? form.columns : form.rows) *= form.dims[i];
  }
  for (const InstId reduce : form.reductions()) {
    const std::span<const InstId> operands = body.operands(reduce);
    std::vector<ElementType> inputs;
    std::vector<ElementType> results;
    for (size_t k = 0; k < operands.size() / 2; ++k) {
      inputs.push_back(body.type(operands[k]));
      results.push_back(body.type(reduce, static_cast<uint32_t>(k)));
    }
    int64_t columns = 1;
    for (const int64_t dim : body.ints(reduce, AttrKey::k_dimensions)) {
      columns *= body.dims(operands[0])[static_cast<size_t>(dim)];
    }
    if (columns != form.columns || Product(body.dims(reduce)) != form.rows) {
      why = "reductions of different shapes";
      return std::nullopt;
    }
    std::optional<Folder> folder =
        Folder::Make(*body.module, body.computation(reduce), std::move(inputs), std::move(results));
    if (!folder) {
      why = "a reduction whose computation is not one of scalars";
      return std::nullopt;
    }
    folder->OrderAsIntegers();
    form.any_order = form.any_order && folder->any_order();
    form.folders.push_back(*std::move(folder));
  }
  if (form.columns == 0 || !SortRoots(body, form)) {
    why = "results that have neither the shape of the rows nor of the elements";
    return std::nullopt;
  }
  return form;
}

ElementIndex::ElementIndex(const ReductionForm& form, const KernelBody& body, IndexSpace& space,
                           Index variables)
    : form_(form), body_(body), space_(space), variables_(std::move(variables)) {
  const auto number = [&](const std::vector<size_t>& picked) {
    std::vector<int64_t> sizes;
    Index index;
    for (const size_t dim : picked) {
      sizes.push_back(form.dims[dim]);
      index.push_back(variables_[dim]);
    }
    return space.Linear(index, RowMajor(sizes));
  };
  row_ = number(form.kept);
  column_ = number(form.folded);
  position_ = space.Linear(variables_, RowMajor(form.dims));
}

Index ElementIndex::Position(std::span<const int64_t> dims) const {
  if (std::ranges::equal(dims, form_.dims)) return variables_;
  return space_.Delinearize(position_, dims);
}

Index ElementIndex::Row(std::span<const int64_t> dims) const {
  return space_.Delinearize(row_, dims);
}

Index ElementIndex::Folded(InstId reduce) const {
  const std::span<const int64_t> dims = body_.dims(body_.operands(reduce)[0]);
  const std::span<const int64_t> folded = body_.ints(reduce, AttrKey::k_dimensions);
  std::vector<int64_t> kept_dims;
  std::vector<int64_t> folded_dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    (IsFolded(folded, i) ? folded_dims : kept_dims).push_back(dims[i]);
  }
  const Index rows = space_.Delinearize(row_, kept_dims);
  const Index columns = space_.Delinearize(column_, folded_dims);
  Index index;
  size_t row = 0;
  size_t column = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    index.push_back(IsFolded(folded, i) ? columns[column++] : rows[row++]);
  }
  return index;
}

namespace {

// The index of the first folder of a level among all folders.
size_t FirstFolder(const ReductionForm& form, size_t level) {
  size_t first = 0;
  for (size_t l = 0; l < level; ++l) first += form.levels[l].size();
  return first;
}

// Calls each(folder, offset among the level's accumulators, reduction) for every reduction of a
// level.
template <class Each>
void ForEachFolder(const ReductionForm& form, size_t level, const Each& each) {
  const size_t first = FirstFolder(form, level);
  size_t offset = 0;
  for (size_t i = 0; i < form.levels[level].size(); ++i) {
    each(form.folders[first + i], offset, form.levels[level][i]);
    offset += form.folders[first + i].count();
  }
}

Values Part(const Values& all, size_t offset, size_t count) {
  const auto begin = all.begin() + static_cast<int64_t>(offset);
  return {begin, begin + static_cast<int64_t>(count)};
}

// Appends `some`; if it is empty, fails and appends `instead`.
void Append(KernelFrame& frame, Values& all, const Values& some, const Values& instead) {
  if (some.empty()) frame.emitter.Fail("a reduction between kinds of types");
  const Values& from = some.empty() ? instead : some;
  all.insert(all.end(), from.begin(), from.end());
}

}  // namespace

Values FoldedElements(KernelFrame& frame, const ReductionForm& form, size_t level,
                      const ElementIndex& at) {
  Values elements;
  ForEachFolder(form, level, [&](const Folder& folder, size_t, InstId reduce) {
    const Index index = at.Folded(reduce);
    for (size_t k = 0; k < folder.count(); ++k) {
      elements.push_back(frame.emitter.At(frame.emitter.body().operands(reduce)[k], index));
    }
  });
  return elements;
}

Values StepAll(KernelFrame& frame, const ReductionForm& form, size_t level,
               const Values& accumulators, const Values& elements) {
  Values next;
  ForEachFolder(form, level, [&](const Folder& folder, size_t offset, InstId) {
    const Values now = Part(accumulators, offset, folder.count());
    if (frame.emitter.failed()) {
      next.insert(next.end(), now.begin(), now.end());
      return;
    }
    Append(frame, next, folder.Step(frame.b, now, Part(elements, offset, folder.count())), now);
  });
  return next;
}

Values JoinAll(KernelFrame& frame, const ReductionForm& form, size_t level, const Values& left,
               const Values& right) {
  Values joined;
  ForEachFolder(form, level, [&](const Folder& folder, size_t offset, InstId) {
    const Values one = Part(left, offset, folder.count());
    Append(frame, joined, folder.Join(frame.b, one, Part(right, offset, folder.count())), one);
  });
  return joined;
}

Values InitialAll(KernelFrame& frame, const ReductionForm& form, size_t level) {
  Values initial;
  ForEachFolder(form, level, [&](const Folder& folder, size_t, InstId reduce) {
    Values instead;
    for (size_t k = 0; k < folder.count(); ++k) {
      instead.push_back(llvm::PoisonValue::get(ComputedType(frame.b.getContext(), folder.type(k))));
    }
    Append(frame, initial, frame.emitter.Initial(reduce, folder), instead);
  });
  return initial;
}

std::optional<Values> NeutralAll(KernelFrame& frame, const ReductionForm& form, size_t level) {
  Values neutral;
  bool known = true;
  ForEachFolder(form, level, [&](const Folder& folder, size_t, InstId) {
    const std::optional<Values> own = folder.Neutral(frame.b);
    known = known && own.has_value();
    if (own) neutral.insert(neutral.end(), own->begin(), own->end());
  });
  if (!known) return std::nullopt;
  return neutral;
}

std::vector<ElementType> AccumulatorTypes(const ReductionForm& form, size_t level) {
  std::vector<ElementType> types;
  ForEachFolder(form, level, [&](const Folder& folder, size_t, InstId) {
    for (size_t k = 0; k < folder.count(); ++k) types.push_back(folder.type(k));
  });
  return types;
}

void GiveResults(KernelFrame& frame, const ReductionForm& form, size_t level,
                 const ElementIndex& at, const Values& accumulators) {
  if (frame.emitter.failed()) return;
  ForEachFolder(form, level, [&](const Folder& folder, size_t offset, InstId reduce) {
    const Values results = folder.Finish(frame.b, Part(accumulators, offset, folder.count()));
    if (results.empty()) {
      frame.emitter.Fail("a reduction into another kind of type");
      return;
    }
    const Index row = at.Row(frame.emitter.body().dims(reduce));
    frame.emitter.Give(reduce, [row, results](const Index& index, uint32_t part) {
      return index == row ? results[part] : nullptr;
    });
  });
}

void GiveNothing(KernelFrame& frame, const ReductionForm& form) {
  for (const InstId reduce : form.reductions()) {
    frame.emitter.Give(reduce, [&frame, reduce](const Index&, uint32_t part) -> llvm::Value* {
      return llvm::Constant::getNullValue(
          ComputedType(frame.b.getContext(), frame.emitter.body().type(reduce, part)));
    });
  }
}

std::optional<LoopSpace> ReductionLoops(const ReductionForm& form, const KernelBody& body,
                                        std::string& why, std::vector<LoadSite>* loads) {
  LoopSpace loops;
  loops.dims = form.dims;
  const auto add = [&](size_t dim) {
    if (form.dims[dim] != 1) loops.groups.push_back({dim});
  };
  for (const int64_t dim : form.order) {
    const auto d = static_cast<size_t>(dim);
    if (std::ranges::find(form.kept, d) != form.kept.end()) add(d);
  }
  if (loops.groups.empty()) loops.groups.emplace_back();
  loops.boundary = loops.groups.size();
  if (form.any_order) {
    for (const int64_t dim : form.order) {
      const auto d = static_cast<size_t>(dim);
      if (std::ranges::find(form.folded, d) != form.folded.end()) add(d);
    }
  } else {
    for (const size_t dim : form.folded) add(dim);
  }
  if (loops.groups.size() == loops.boundary) loops.groups.emplace_back();
  const ElementCode probe = [&](KernelFrame& frame, const Index& variables) {
    GiveNothing(frame, form);
    const ElementIndex at(form, body, frame.space, variables);
    for (size_t level = 0; level < form.levels.size(); ++level) {
      const Values elements = FoldedElements(frame, form, level, at);
      StepAll(frame, form, level, InitialAll(frame, form, level), elements);
    }
    for (const size_t k : form.element_roots) {
      const Index index = at.Position(body.result(k).dims);
      frame.emitter.StoreTo(body.result_leaf(k), index,
                            frame.emitter.At(body.roots[k], index, body.parts[k]));
    }
    for (const size_t k : form.row_roots) {
      const Index index = at.Row(body.result(k).dims);
      frame.emitter.StoreTo(body.result_leaf(k), index,
                            frame.emitter.At(body.roots[k], index, body.parts[k]));
    }
  };
  if (!JoinLoops(loops, body, probe, why, loads)) return std::nullopt;
  return loops;
}

}  // namespace halo
