// What a kernel computes, whether it comes from a fusion or a single instruction: the values it
// writes, the values that are in memory before it starts, and the layout of both. The lowerings
// decide how it is computed.
#ifndef HALO_CODEGEN_KERNEL_KERNEL_BODY_H_
#define HALO_CODEGEN_KERNEL_KERNEL_BODY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

// An array in memory: dense, with its dimensions in the order of minor_to_major.
struct ArrayView {
  ElementType type = ElementType::kPred;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;         // in elements
  std::vector<int64_t> major_to_minor;  // dimensions in storage order
  int64_t count = 0;

  [[nodiscard]] int64_t bytes() const { return count * static_cast<int64_t>(StoredBytes(type)); }
};

ArrayView ViewOf(const Module& module, ShapeId shape);

// A kernel with more values than this is not worth its code size.
inline constexpr int64_t kMaxKernelValues = 6000;

struct KernelBody {
  const Module* module = nullptr;
  InstId inst;                  // the fusion, or the single instruction
  std::vector<InstId> roots;    // the values written, in the order of the result's leaves
  std::vector<uint32_t> parts;  // for a root with a tuple result: the element
  // Values in memory, mapped to the first of their leaves among the buffers.
  std::unordered_map<uint32_t, uint32_t> inputs;
  std::vector<ArrayView> buffers;  // operand leaves, then result leaves
  uint32_t operand_leaves = 0;
  int64_t max_values = kMaxKernelValues;  // emitted; lowering refuses the kernel beyond that

  [[nodiscard]] const Inst& at(InstId id) const { return module->inst(id); }
  [[nodiscard]] std::span<const InstId> operands(InstId id) const {
    return module->operands_of(module->inst(id));
  }
  [[nodiscard]] uint32_t result_leaf(size_t root) const {
    return operand_leaves + static_cast<uint32_t>(root);
  }
  [[nodiscard]] const ArrayView& result(size_t root) const { return buffers[result_leaf(root)]; }
  [[nodiscard]] uint32_t temp_leaf() const { return static_cast<uint32_t>(buffers.size()); }
  // The shape of an instruction's result, or of one element of it.
  [[nodiscard]] ShapeId shape(InstId id, uint32_t part = 0) const {
    const ShapeId whole = module->inst(id).shape;
    return module->shapes.is_tuple(whole) ? module->shapes.elements(whole)[part] : whole;
  }
  [[nodiscard]] ElementType type(InstId id, uint32_t part = 0) const {
    return module->shapes.type(shape(id, part));
  }
  [[nodiscard]] std::span<const int64_t> dims(InstId id, uint32_t part = 0) const {
    return module->shapes.dims(shape(id, part));
  }
  [[nodiscard]] std::span<const int64_t> ints(InstId id, AttrKey key) const {
    return module->IntsOf(module->inst(id).attrs, key);
  }
  // The computation that an attribute names; invalid if the attribute is absent.
  [[nodiscard]] CompId computation(InstId id, AttrKey key = AttrKey::k_to_apply) const {
    const Attr* attr = module->Find(module->inst(id), key);
    return attr == nullptr ? CompId() : CompId(attr->value);
  }
};

std::optional<KernelBody> MakeKernelBody(const Module& module, InstId inst, std::string& why);

}  // namespace halo

#endif  // HALO_CODEGEN_KERNEL_KERNEL_BODY_H_
