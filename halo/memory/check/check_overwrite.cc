// Whether an instruction may write an output over an operand that it reads for the last time. It
// may if element i of the output depends on no element of the operand but i. Through a fusion this
// is followed along every path from the parameter.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/memory/check/check_inplace.h"
#include "halo/memory/check/check_storage.h"

namespace halo::check {
namespace {

bool SameElements(const ShapeTable& shapes, ShapeId a, ShapeId b) {
  return shapes.is_array(a) && shapes.is_array(b) && shapes.ElementCount(a).has_value() &&
         shapes.ElementCount(a) == shapes.ElementCount(b) &&
         InfoOf(shapes.type(a)).bits == InfoOf(shapes.type(b)).bits;
}

// True if both are the same array with the same layout.
bool SameArray(const ShapeTable& shapes, ShapeId a, ShapeId b) {
  if (a == b) return true;
  if (!shapes.is_array(a) || !shapes.is_array(b) || shapes.type(a) != shapes.type(b)) return false;
  if (!std::ranges::equal(shapes.dims(a), shapes.dims(b))) return false;
  const Layout* la = shapes.layout(a);
  const Layout* lb = shapes.layout(b);
  if (la == nullptr || lb == nullptr) return true;
  return la->minor_to_major == lb->minor_to_major && la->tiles == lb->tiles;
}

bool ElementwiseOn(const Module& module, const Inst& inst, size_t operand) {
  if (inst.opcode == Opcode::kDynamicUpdateSlice) return operand == 0;
  if (!HasTrait(inst.opcode, kElementwise) && inst.opcode != Opcode::kMap) return false;
  const InstId id = module.operands_of(inst)[operand];
  return id.valid() && module.shapes.ElementCount(module.inst(id).shape) ==
                           module.shapes.ElementCount(inst.shape);
}

size_t CountOf(std::span<const InstId> operands, InstId id) {
  return static_cast<size_t>(std::ranges::count(operands, id));
}

// One fusion body, as seen from one parameter and one output.
class FusionWalk {
 public:
  FusionWalk(const Module& module, const Inst& fusion, CompId body, CheckRules rules)
      : module_(module), comp_(module.comp(body)), rules_(rules) {
    const std::string_view kind = module.TextOr(fusion.attrs, AttrKey::k_kind);
    const bool gpu = rules == CheckRules::kGpu || rules == CheckRules::kAny;
    one_thread_per_element_ = gpu && kind == "kLoop";
    reduces_first_ = gpu && kind != "kLoop";
  }

  bool MayOverwrite(uint32_t parameter, std::span<const int64_t> output_index) {
    if (!comp_.root.valid()) return false;
    output_ = comp_.root;
    for (const int64_t step : output_index) {
      const auto operands = module_.operands_of(module_.inst(output_));
      if (module_.inst(output_).opcode != Opcode::kTuple) break;
      if (step < 0 || static_cast<size_t>(step) >= operands.size()) return false;
      output_ = operands[static_cast<size_t>(step)];
      if (!output_.valid()) return false;
    }
    maker_ = output_;
    output_index_.assign(output_index.begin(), output_index.end());
    const Inst& output = module_.inst(output_);
    if (output.opcode == Opcode::kBitcast && output.operand_count == 1) {
      maker_ = module_.operands_of(output)[0];
      if (!maker_.valid()) return false;
    }
    return Walk(parameter);
  }

 private:
  // How an array depends on the parameter: not at all, element i on element i, or repeating it.
  struct Reads {
    bool any = false;
    bool repeats = false;
    int64_t step = 1;  // see StepOfBroadcast
    friend bool operator==(const Reads&, const Reads&) = default;
  };

  // Operands come before their users, so one pass over the body reaches everything.
  bool Walk(uint32_t parameter) {
    std::vector<Reads> reached(comp_.count);
    int64_t count = 0;
    const auto local = [&](InstId id) -> std::optional<size_t> {
      if (!id.valid() || id.value < comp_.first || id.value >= comp_.first + comp_.count) return {};
      return id.value - comp_.first;
    };
    for (uint32_t i = 0; i < comp_.count; ++i) {
      const Inst& inst = module_.insts[comp_.first + i];
      if (inst.opcode == Opcode::kParameter) {
        reached[i].any = inst.extra == parameter;
        if (reached[i].any) count = module_.shapes.ElementCount(inst.shape).value_or(0);
        continue;
      }
      const auto operands = module_.operands_of(inst);
      for (size_t k = 0; k < operands.size(); ++k) {
        const auto from = local(operands[k]);
        if (!from || !reached[*from].any) continue;
        if (reduces_first_ && inst.opcode == Opcode::kReduce) continue;
        const auto reads = Behind(reached[*from], count, InstId(comp_.first + i), k);
        if (!reads || (reached[i].any && reached[i] != *reads)) return false;
        reached[i] = *reads;
      }
    }
    // Tuples refuse arrays that repeat the parameter, so only a root that is one array may be one.
    const auto root = local(comp_.root);
    if (root && reached[*root].repeats) return false;
    const auto end = local(output_);
    // A loop over one index space reads everything it needs of element i before it writes element i
    // of any output; kernels with several index spaces need a path that ties them together.
    return rules_ != CheckRules::kGpu || (end && reached[*end].any);
  }

  // How the result of an instruction depends on the parameter through its operand k; nullopt if
  // some element may be read after it was overwritten.
  [[nodiscard]] std::optional<Reads> Behind(const Reads& from, int64_t count, InstId id,
                                            size_t k) const {
    const Inst& inst = module_.inst(id);
    const auto operands = module_.operands_of(inst);
    const bool respaces = inst.opcode == Opcode::kBroadcast || inst.opcode == Opcode::kReduce;
    if (one_thread_per_element_ && respaces && k == 0 && count > 0 &&
        (from.repeats || module_.shapes.ElementCount(module_.inst(operands[0]).shape) == count)) {
      const auto step = inst.opcode == Opcode::kBroadcast
                            ? StepOfBroadcast(module_, inst, from.step, count)
                            : StepOfReduce(module_, inst, from.step, count);
      if (!step) return std::nullopt;
      // A thread that computes element i of the outputs is the only one to read element i.
      const bool in_step = *step == 1 && module_.shapes.ElementCount(inst.shape) == count;
      return Reads{true, !in_step, *step};
    }
    if (from.repeats) {
      const bool keeps_order = HasTrait(inst.opcode, kElementwise) ||
                               (inst.opcode == Opcode::kBitcast &&
                                module_.shapes.ElementCount(inst.shape) ==
                                    module_.shapes.ElementCount(module_.inst(operands[k]).shape));
      if (!keeps_order) return std::nullopt;
    }
    if (!MayPass(inst, id, operands, k)) return std::nullopt;
    return from;
  }

  [[nodiscard]] bool MayPass(const Inst& inst, InstId id, std::span<const InstId> operands,
                             size_t k) const {
    switch (inst.opcode) {
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
      case Opcode::kBitcast: return true;
      case Opcode::kDynamicSlice: return k == 0 && ReadsWhatIsWritten(operands, inst.shape);
      case Opcode::kScatter:
        return id == maker_ && 2 * k + 1 < operands.size() && CountOf(operands, operands[k]) == 1;
      case Opcode::kSort:
        return id == maker_ && CountOf(operands, operands[k]) == 1 &&
               (output_index_.empty() || output_index_.back() == static_cast<int64_t>(k));
      case Opcode::kDynamicUpdateSlice: return k == 0 || (k == 1 && id == maker_);
      default: return ElementwiseOn(module_, inst, k);
    }
  }

  // A dynamic-slice of what the output's dynamic-update-slice writes, at the same indices.
  [[nodiscard]] bool ReadsWhatIsWritten(std::span<const InstId> read, ShapeId slice) const {
    const Inst& maker = module_.inst(maker_);
    const auto written = module_.operands_of(maker);
    if (maker.opcode != Opcode::kDynamicUpdateSlice || written.size() != read.size() + 1) {
      return false;
    }
    if (read[0] != written[0] || !written[1].valid()) return false;
    const ShapeId update = module_.inst(written[1]).shape;
    if (module_.shapes.ElementCount(slice) != module_.shapes.ElementCount(update)) return false;
    if (module_.shapes.ElementCount(slice) == 1) return true;
    return std::ranges::equal(read.subspan(1), written.subspan(2));
  }

  const Module& module_;
  const Computation& comp_;
  CheckRules rules_;
  bool one_thread_per_element_ = false;
  bool reduces_first_ = false;  // before it writes the elementwise outputs
  InstId output_, maker_;
  std::vector<int64_t> output_index_;
};

// A matrix product or convolution plus this operand.
bool IsAddend(const Module& module, const Inst& fusion, CompId body, uint32_t operand) {
  if (module.TextOr(fusion.attrs, AttrKey::k_kind) != "kOutput") return false;
  const Computation& comp = module.comp(body);
  if (!comp.root.valid() || module.inst(comp.root).opcode != Opcode::kAdd) return false;
  const auto terms = module.operands_of(module.inst(comp.root));
  bool product = false;
  bool addend = false;
  size_t uses = 0;
  for (const InstId term : terms) {
    if (!term.valid()) continue;
    const Inst& inst = module.inst(term);
    product |= inst.opcode == Opcode::kDot || inst.opcode == Opcode::kConvolution;
    addend |= inst.opcode == Opcode::kParameter && inst.extra == operand;
  }
  for (uint32_t i = 0; i < comp.count; ++i) {
    for (const InstId used : module.operands_of(module.insts[comp.first + i])) {
      if (!used.valid()) continue;
      const Inst& inst = module.inst(used);
      uses += inst.opcode == Opcode::kParameter && inst.extra == operand ? 1 : 0;
    }
  }
  return product && addend && uses == 1;
}

bool FusionMayOverwrite(const Module& module, const Inst& fusion,
                        std::span<const int64_t> output_index, uint32_t operand, ShapeId from,
                        ShapeId to, CheckRules rules) {
  const CompId body = FusedComputation(module, fusion);
  if (!body.valid()) return false;
  const bool any_shape = rules == CheckRules::kGpu || rules == CheckRules::kAny;
  if (!SameArray(module.shapes, from, to) &&
      !(any_shape && SameElements(module.shapes, from, to))) {
    return false;
  }
  return IsAddend(module, fusion, body, operand) ||
         FusionWalk(module, fusion, body, rules).MayOverwrite(operand, output_index);
}

ShapeId ShapeAt(const Module& module, ShapeId shape, std::span<const int64_t> index) {
  for (const int64_t step : index) {
    if (!module.shapes.is_tuple(shape) || step < 0) return {};
    const auto elements = module.shapes.elements(shape);
    if (static_cast<size_t>(step) >= elements.size()) return {};
    shape = elements[static_cast<size_t>(step)];
  }
  return shape;
}

// "aliasing_operands":{"lists":[{"indices":["0","6"]}]}: operand numbers, then output numbers.
bool IsConfigured(const Module& module, const Inst& inst, std::span<const int64_t> output_index,
                  uint32_t operand) {
  const std::string_view config = module.TextOr(inst.attrs, AttrKey::k_backend_config);
  const size_t begin = config.find("\"aliasing_operands\":{\"lists\":[");
  if (begin == std::string_view::npos) return false;
  const size_t end = config.find("]}]", begin);
  if (end == std::string_view::npos) return false;
  const auto lists = config.substr(begin, end - begin + 2);
  const int64_t output = output_index.empty() ? 0 : output_index.front();
  const std::string from = '"' + std::to_string(operand) + '"';
  const std::string to = '"' + std::to_string(inst.operand_count + output) + '"';
  for (size_t at = lists.find("\"indices\":["); at != std::string_view::npos;
       at = lists.find("\"indices\":[", at + 1)) {
    const auto list = lists.substr(at, lists.find(']', at) - at);
    if (list.find(from) != std::string_view::npos && list.find(to) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// The slice that an async transfer copies; null for anything else.
const Inst* SliceOf(const Module& module, InstId done) {
  const Inst* inst = done.valid() ? &module.inst(done) : nullptr;
  for (int step = 0; step < 4 && inst != nullptr; ++step) {
    if (inst->opcode == Opcode::kSlice) return inst;
    const std::vector<CompId> called = CalledComps(module, *inst);
    const auto operands = module.operands_of(*inst);
    const bool done_of = HasTrait(inst->opcode, kAsyncDone) && !operands.empty();
    const InstId next =
        !called.empty() ? module.comp(called[0]).root : (done_of ? operands[0] : InstId());
    inst = next.valid() ? &module.inst(next) : nullptr;
  }
  return nullptr;
}

// The offset in the whole of one piece of an array that is fetched in parts: where its slice
// starts.
std::optional<int64_t> OffsetOfPiece(const Module& module, InstId operand) {
  const Inst* slice = SliceOf(module, operand);
  if (slice == nullptr) return std::nullopt;
  const auto bounds = module.IntsOf(slice->attrs, AttrKey::k_slice);
  const auto dims = module.shapes.dims(slice->shape);
  const auto bytes = module.shapes.ByteSize(slice->shape);
  if (!bytes || bounds.size() != 3 * dims.size()) return std::nullopt;
  int64_t offset = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    // Only the outermost dimension is sliced, so a piece is one contiguous range of bytes.
    const int64_t start = bounds[3 * d];
    if (start == 0) continue;
    if (offset != 0 || dims[d] <= 0 || start % dims[d] != 0) return std::nullopt;
    if (__builtin_mul_overflow(start / dims[d], *bytes, &offset)) return std::nullopt;
  }
  return offset;
}

bool OverwritesElementwise(const Module& module, const Inst& inst,
                           std::span<const int64_t> output_index, uint32_t operand,
                           CheckRules rules) {
  const auto operands = module.operands_of(inst);
  if (!operands[operand].valid()) return false;
  const ShapeId from = module.inst(operands[operand]).shape;
  const ShapeId to = ShapeAt(module, inst.shape, output_index);
  if (!to.valid()) return false;
  const bool gpu = rules == CheckRules::kGpu || rules == CheckRules::kAny;
  const bool once = CountOf(operands, operands[operand]) == 1;
  const bool in_step = output_index.empty() ? operands.size() == 1
                                            : output_index.back() == static_cast<int64_t>(operand);
  if (inst.opcode == Opcode::kFusion) {
    return FusionMayOverwrite(module, inst, output_index, operand, from, to, rules);
  }
  if (inst.opcode == Opcode::kCustomCall && gpu) {
    // The bias of a library matmul.
    return module.TextOr(inst.attrs, AttrKey::k_custom_call_target) == "__cublas$lt$matmul" &&
           operand == 2 && once && output_index.size() == 1 && output_index[0] == 0;
  }
  if (!SameArray(module.shapes, from, to)) return false;
  switch (inst.opcode) {
    case Opcode::kAllReduce:
    case Opcode::kCollectiveBroadcast: return rules != CheckRules::kCpu && in_step;
    case Opcode::kScatter:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kSetDimensionSize: return operand == 0 && once;
    case Opcode::kTriangularSolve: return operand == 1 && once;
    case Opcode::kSort: return once && (operands.size() == 1 || in_step);
    default: return ElementwiseOn(module, inst, operand);
  }
}

}  // namespace

std::optional<int64_t> MayOverwrite(const Module& module, const Inst& inst,
                                    std::span<const int64_t> output_index, uint32_t operand,
                                    CheckRules rules) {
  const bool tpu = rules == CheckRules::kTpu || rules == CheckRules::kAny;
  if (tpu && inst.opcode == Opcode::kCustomCall &&
      module.TextOr(inst.attrs, AttrKey::k_custom_call_target) == "ConcatBitcast") {
    return OffsetOfPiece(module, module.operands_of(inst)[operand]);
  }
  if (tpu && IsConfigured(module, inst, output_index, operand)) return 0;
  if (!OverwritesElementwise(module, inst, output_index, operand, rules)) return std::nullopt;
  return 0;
}

}  // namespace halo::check
