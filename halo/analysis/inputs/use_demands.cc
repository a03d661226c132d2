// Rules by what an op's elements are. They are guesses about intent, so a rule that does not know
// demands nothing.
#include "halo/analysis/inputs/use_demands.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "halo/analysis/inputs/sum_length.h"
#include "halo/ir/op_properties.h"
#include "halo/ir/types/numeric.h"

namespace halo {
namespace {

constexpr int kMaxFollowed = 16;

// Follows a value through instructions that keep its elements' values.
const Inst& Source(const Module& module, InstId id) {
  const Inst* inst = &module.inst(id);
  for (int i = 0; i < kMaxFollowed; ++i) {
    const bool keeps = HasFlag(inst->opcode, kRelayouts) || inst->opcode == Opcode::kBroadcast ||
                       inst->opcode == Opcode::kConvert;
    if (!keeps) return *inst;
    const std::span<const InstId> operands = module.operands_of(*inst);
    if (operands.empty()) return *inst;
    inst = &module.inst(operands[0]);
  }
  return *inst;
}

// The number that a value holds in every element, if it is a constant of few bytes.
std::optional<double> Everywhere(const Module& module, InstId id) {
  const Inst& inst = Source(module, id);
  if (inst.opcode != Opcode::kConstant) return std::nullopt;
  const LiteralId literal(inst.extra);
  const ElementType type = module.shapes.type(inst.shape);
  const size_t width = StoredBytes(type);
  if (module.literals.is_elided(literal) || width > 8) return std::nullopt;
  const std::span<const uint8_t> bits = module.literals.bits(literal);
  if (bits.size() != width) return std::nullopt;
  uint64_t word = 0;
  for (size_t i = width; i-- > 0;) word = word << 8 | bits[i];
  switch (InfoOf(type).klass) {
    case ElementClass::kFloat: return DecodeFloat(type, word);
    case ElementClass::kSigned: {
      const auto shift = static_cast<int>(64 - width * 8);
      return static_cast<double>(static_cast<int64_t>(word << shift) >> shift);
    }
    case ElementClass::kUnsigned: return static_cast<double>(word);
    default: return std::nullopt;
  }
}

class Asker {
 public:
  Asker(const Module& module, InstId id, const Demand& made, const AskOperand& ask)
      : module_(module),
        id_(id),
        inst_(module.inst(id)),
        operands_(module.operands_of(inst_)),
        made_(made),
        ask_(ask) {}

  void Run();

 private:
  [[nodiscard]] std::span<const int64_t> DimsOf(size_t operand) const {
    return module_.shapes.dims(module_.inst(operands_[operand]).shape);
  }
  [[nodiscard]] bool IsInteger(size_t operand) const {
    return IsIntegerType(module_.shapes.type(module_.inst(operands_[operand]).shape));
  }
  void Ask(size_t operand, const Demand& demand) {
    if (operand < operands_.size() && !demand.empty()) ask_(operand, demand);
  }
  void AskFrom(size_t first, const Demand& demand) {
    for (size_t i = first; i < operands_.size(); ++i) Ask(i, demand);
  }
  [[nodiscard]] Demand Own() const {
    Demand demand;
    demand.because = id_;
    return demand;
  }
  void AskPositive(size_t operand) {
    Demand demand = Own();
    demand.positive = true;
    Ask(operand, demand);
  }
  void AskLimit(size_t operand, int64_t limit) {
    if (operand >= operands_.size() || !IsInteger(operand)) return;
    Demand demand = Own();
    demand.limit = std::max<int64_t>(limit, 1);
    Ask(operand, demand);
  }
  // What arithmetic passes on to its operands: a sum of products is no factor, and so on.
  [[nodiscard]] Demand Passed(bool limit, bool positive, bool random_state) const {
    Demand demand;
    demand.because = made_.because;
    if (limit) demand.limit = made_.limit;
    demand.positive = positive && made_.positive;
    demand.random_state = random_state && made_.random_state;
    return demand;
  }

  void Shifted(size_t operand, size_t other);
  void Add();
  void Multiply();
  void Compare();
  void Starts(size_t first, std::span<const int64_t> taken, std::span<const int64_t> dims);
  void Indices(size_t operand, std::span<const int64_t> map, std::span<const int64_t> taken,
               std::span<const int64_t> dims);
  void Gather();
  void Scatter();
  void Products();
  void CustomCall();
  void Power();

  const Module& module_;
  const InstId id_;
  const Inst& inst_;
  const std::span<const InstId> operands_;
  const Demand made_;
  const AskOperand& ask_;
};

// x + constant: the limit of x shrinks by the constant. A constant as large as the limit is how
// negative indices are counted from the end; it demands nothing of x.
void Asker::Shifted(size_t operand, size_t other) {
  Demand demand = Passed(true, true, true);
  const std::optional<double> by = Everywhere(module_, operands_[other]);
  if (demand.limit > 0) {
    const auto limit = static_cast<double>(demand.limit);
    if (!by) {
      demand.limit = std::max<int64_t>(demand.limit / 2, 1);
    } else if (*by < 0 || *by >= limit) {
      demand.limit = 0;
    } else {
      demand.limit -= static_cast<int64_t>(*by);
    }
  }
  Ask(operand, demand);
}

void Asker::Add() {
  Shifted(0, 1);
  Shifted(1, 0);
}

void Asker::Multiply() {
  if (operands_[0] == operands_[1]) return;  // a square is already positive
  for (const size_t i : {size_t{0}, size_t{1}}) {
    Demand demand = Passed(true, true, true);
    const std::optional<double> by = Everywhere(module_, operands_[1 - i]);
    if (by && *by < 0) demand.positive = false;
    if (demand.limit > 0) {
      demand.limit = by && *by >= 1
                         ? static_cast<int64_t>(std::ceil(static_cast<double>(demand.limit) / *by))
                         : 0;
    }
    Ask(i, demand);
  }
}

// A value compared with an iota picks one of its numbers, or says how many of them count.
void Asker::Compare() {
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Inst& other = Source(module_, operands_[1 - i]);
    if (other.opcode != Opcode::kIota) continue;
    const int64_t dimension = module_.IntOr(other.attrs, AttrKey::k_iota_dimension, 0);
    const std::span<const int64_t> dims = module_.shapes.dims(other.shape);
    if (dimension < 0 || static_cast<size_t>(dimension) >= dims.size()) continue;
    AskLimit(i, dims[static_cast<size_t>(dimension)]);
  }
}

// The start indices of a slice, one operand per dimension.
void Asker::Starts(size_t first, std::span<const int64_t> taken, std::span<const int64_t> dims) {
  if (taken.size() != dims.size()) return;
  for (size_t d = 0; d < dims.size(); ++d) AskLimit(first + d, dims[d] - taken[d] + 1);
}

// One operand holds the indices of several dimensions; the smallest of their limits applies to all.
void Asker::Indices(size_t operand, std::span<const int64_t> map, std::span<const int64_t> taken,
                    std::span<const int64_t> dims) {
  int64_t limit = INT64_MAX;
  for (size_t i = 0; i < map.size(); ++i) {
    const auto d = static_cast<size_t>(map[i]);
    if (map[i] < 0 || d >= dims.size() || d >= taken.size()) return;
    const int64_t starts = dims[d] - taken[d] + 1;
    if (starts > 1) limit = std::min(limit, starts);  // with no choice, any index will do
  }
  if (limit != INT64_MAX) AskLimit(operand, limit);
}

void Asker::Gather() {
  Ask(0, made_);
  Indices(1, module_.IntsOf(inst_.attrs, AttrKey::k_start_index_map),
          module_.IntsOf(inst_.attrs, AttrKey::k_slice_sizes), DimsOf(0));
}

void Asker::Scatter() {
  if (operands_.size() < 3 || operands_.size() % 2 == 0) return;
  const size_t count = operands_.size() / 2;
  const std::span<const int64_t> dims = DimsOf(0);
  const std::span<const int64_t> update = DimsOf(count + 1);
  const std::span<const int64_t> window =
      module_.IntsOf(inst_.attrs, AttrKey::k_update_window_dims);
  const std::span<const int64_t> inserted =
      module_.IntsOf(inst_.attrs, AttrKey::k_inserted_window_dims);
  const std::span<const int64_t> batching =
      module_.IntsOf(inst_.attrs, AttrKey::k_input_batching_dims);
  std::vector<int64_t> taken;
  size_t next = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    const bool is_one = std::ranges::find(inserted, dim) != inserted.end() ||
                        std::ranges::find(batching, dim) != batching.end();
    int64_t size = 1;
    if (!is_one && next < window.size()) {
      const int64_t from = window[next++];
      if (from >= 0 && static_cast<size_t>(from) < update.size()) {
        size = update[static_cast<size_t>(from)];
      }
    }
    taken.push_back(size);
  }
  Indices(count, module_.IntsOf(inst_.attrs, AttrKey::k_scatter_dims_to_operand_dims), taken, dims);
  if (count != 1) return;
  Ask(0, made_);
  Ask(2, made_);
}

void Asker::Products() {
  Demand demand = Own();
  demand.summed = SumLength(module_, inst_);
  Ask(0, demand);
  Ask(1, demand);
}

void Asker::CustomCall() {
  const std::string_view target = module_.TextOr(inst_.attrs, AttrKey::k_custom_call_target);
  if (target.find("threefry") != std::string_view::npos) {
    Demand demand = Own();
    demand.random_state = true;
    return AskFrom(0, demand);
  }
  Products();
}

void Asker::Power() {
  const std::optional<double> exponent = Everywhere(module_, operands_[1]);
  const bool is_whole = exponent && std::floor(*exponent) == *exponent && *exponent >= 0;
  if (!is_whole) AskPositive(0);
  if (!exponent) AskPositive(1);
}

void Asker::Run() {
  switch (PropertiesOf(inst_.opcode).elements) {
    case OpElements::kFirst: return Ask(0, made_);
    case OpElements::kAll:
    case OpElements::kConcatenated: return AskFrom(0, made_);
    case OpElements::kBits: return Ask(0, Passed(false, false, true));
    case OpElements::kRounded: return Ask(0, Passed(true, true, false));
    case OpElements::kChosen: return AskFrom(1, made_);
    case OpElements::kClamped: return Ask(1, made_);
    case OpElements::kExtreme: return AskFrom(0, Passed(true, true, false));
    case OpElements::kSummed: return Ask(0, Passed(false, true, false));
    case OpElements::kAdded: return Add();
    case OpElements::kSubtracted: return Ask(0, Passed(true, false, true));
    case OpElements::kMultiplied: return Multiply();
    case OpElements::kDivided: Ask(0, Passed(false, true, false)); return AskPositive(1);
    case OpElements::kRemainder: return AskPositive(1);
    case OpElements::kOfPositive: return AskPositive(0);
    case OpElements::kPower: return Power();
    case OpElements::kNormalized:  // for ops that take the variance
      return AskPositive(inst_.opcode == Opcode::kBatchNormGrad ? 3 : 4);
    case OpElements::kBitwise: return AskFrom(0, Passed(false, false, true));
    case OpElements::kRandom: {
      Demand demand = Own();
      demand.random_state = true;
      return Ask(0, demand);
    }
    case OpElements::kCompared: return Compare();
    case OpElements::kSliced:
      Ask(0, made_);
      return Starts(1, module_.IntsOf(inst_.attrs, AttrKey::k_dynamic_slice_sizes), DimsOf(0));
    case OpElements::kUpdated:
      Ask(0, made_);
      Ask(1, made_);
      return Starts(2, DimsOf(1), DimsOf(0));
    case OpElements::kGathered: return Gather();
    case OpElements::kScattered: return Scatter();
    case OpElements::kProducts: return Products();
    case OpElements::kOfTarget: return CustomCall();
    case OpElements::kOther:
    case OpElements::kCounted:
    case OpElements::kSorted: return;
  }
}

}  // namespace

bool Join(const Demand& demand, Demand& to) {
  const Demand before = to;
  if (demand.limit > 0 && (to.limit == 0 || demand.limit < to.limit)) {
    to.limit = demand.limit;
    to.because = demand.because;
  }
  to.summed = std::max(to.summed, demand.summed);
  to.positive |= demand.positive;
  to.random_state |= demand.random_state;
  if (!to.because.valid()) to.because = demand.because;
  return before.limit != to.limit || before.summed != to.summed || before.positive != to.positive ||
         before.random_state != to.random_state;
}

void AskOperands(const Module& module, InstId id, const Demand& made, const AskOperand& ask) {
  const Inst& inst = module.inst(id);
  if (inst.operand_count == 0 || (inst.flags & kInstBadOperands) != 0) return;
  if (InfoOf(inst.opcode).operands > static_cast<int>(inst.operand_count)) return;
  Asker(module, id, made, ask).Run();
}

}  // namespace halo
