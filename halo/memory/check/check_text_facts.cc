// Facts from the assignment's own text, without a module: positions, uses and the lines of the
// defining instructions show what some ops alias and read. What a fusion's body does, which value
// is a loop body's result and what the header donates are not printed, so some pairs stay unproven.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/base/hash.h"
#include "halo/ir/opcode.h"
#include "halo/memory/check/check_facts.h"
#include "halo/memory/check/check_line.h"
#include "halo/text/read/read_text.h"

namespace halo::check {
namespace {

class TextFacts final : public Facts {
 public:
  explicit TextFacts(const Assignment& assignment) : assignment_(assignment) {}

  void Derive() {
    const size_t count = assignment_.values.size();
    groups.resize(count);
    for (uint32_t i = 0; i < count; ++i) groups[i] = i;
    ReadLines();
    ReadShapes();
    JoinAliases();
    FindNeeds();
    JoinTrimmed();
    for (uint32_t i = 0; i < count; ++i) groups[i] = Find(i);
    for (Need& need : needs) need.group = groups[need.group];
    for (EarlyUse& use : early_uses) use.group = groups[use.group];
    std::ranges::sort(needs, {}, &Need::group);
    FindLiveOut();
  }

  [[nodiscard]] Permission MayReplace(ValueId dying, ValueId born, int64_t offset) const override {
    const AssignedValue& from = assignment_.value(dying);
    const AssignedValue& to = assignment_.value(born);
    const InstLine* line = LineOf(to);
    const bool joins = line != nullptr && line->joins_pieces;
    // Elementwise overwriting only works from the same first byte.
    if (offset != 0 && !joins) return Permission::kNo;
    if (to.is_phi) return Permission::kYes;  // it writes nothing
    bool used = false;
    Permission permission = Permission::kYes;
    for (const ValueUse& use : assignment_.uses_of(from)) {
      if (use.instruction != to.instruction) continue;
      used = true;
      permission = std::min(permission, OfUse(line, use), Weaker);
    }
    if (used) return permission;
    // A live range longer than any printed use was extended by something that is not printed.
    const bool explained = from.use_count > 0 && last_needs_[dying.index()] >= from.live.end;
    return explained && !from.is_phi ? Permission::kNo : Permission::kUnproven;
  }

  [[nodiscard]] int64_t DefinedAt(ValueId value) const override {
    return TimeOf(assignment_.value(value).instruction);
  }

  [[nodiscard]] std::optional<bool> IsKeptParameter(const Allocation& allocation) const override {
    if (allocation.parameter < 0) return false;
    // A donated parameter holds an output.
    if (allocation.maybe_live_out) return std::nullopt;
    return true;
  }
  [[nodiscard]] std::optional<bool> IsThreadLocal(ValueId /*value*/) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::optional<bool> IsAsyncCall(ValueId /*value*/) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::optional<ShapeId> ShapeOf(ValueId value) const override {
    const auto at = shapes_.find(assignment_.value(value).shape.value);
    return at == shapes_.end() ? std::nullopt : std::optional(at->second);
  }
  [[nodiscard]] const ShapeTable* shapes() const override { return &shape_module_.shapes; }
  [[nodiscard]] bool IsKnown(ValueId /*value*/) const override { return true; }

 private:
  static bool Weaker(Permission a, Permission b) { return Rank(a) < Rank(b); }
  static int Rank(Permission permission) {
    switch (permission) {
      case Permission::kNo: return 0;
      case Permission::kUnproven: return 1;
      case Permission::kYes: return 2;
    }
    return 0;
  }

  static Permission OfUse(const InstLine* line, const ValueUse& use) {
    if (line == nullptr || !line->opcode) return Permission::kUnproven;
    switch (*line->opcode) {
      case Opcode::kFusion:
      case Opcode::kCustomCall:
      case Opcode::kAsyncStart:
      case Opcode::kAllReduce:
      case Opcode::kCollectiveBroadcast:
      case Opcode::kSort: return Permission::kUnproven;
      case Opcode::kDynamicUpdateSlice:
      case Opcode::kScatter:
      case Opcode::kSetDimensionSize: return use.operand == 0 ? Permission::kYes : Permission::kNo;
      case Opcode::kTriangularSolve: return use.operand == 1 ? Permission::kYes : Permission::kNo;
      default:
        return HasTrait(*line->opcode, kElementwise) || *line->opcode == Opcode::kMap
                   ? Permission::kYes
                   : Permission::kNo;
    }
  }

  // The reader takes only whole modules: each distinct shape becomes a parameter of one.
  void ReadShapes() {
    std::string text = "HloModule shapes\n\nENTRY e {\n";
    std::vector<TextId> distinct;
    for (const AssignedValue& value : assignment_.values) {
      if (!value.allocation.valid() || !value.shape.valid()) continue;
      if (!shapes_.try_emplace(value.shape.value, ShapeId()).second) continue;
      text += "  p" + std::to_string(distinct.size()) + " = ";
      text += assignment_.text(value.shape);
      text += " parameter(" + std::to_string(distinct.size()) + ")\n";
      distinct.push_back(value.shape);
    }
    shapes_.clear();
    text += "}\n";
    shape_module_ = std::move(ReadHloText(text).module);
    for (const Inst& inst : shape_module_.insts) {
      if (inst.opcode == Opcode::kParameter && inst.extra < distinct.size()) {
        shapes_.try_emplace(distinct[inst.extra].value, inst.shape);
      }
    }
  }

  void ReadLines() {
    line_of_.assign(assignment_.values.size(), -1);
    std::unordered_map<uint32_t, int32_t> known;
    for (size_t i = 0; i < assignment_.values.size(); ++i) {
      const TextId text = assignment_.values[i].from_instruction;
      if (!text.valid()) continue;
      const auto [at, fresh] = known.try_emplace(text.value, static_cast<int32_t>(lines_.size()));
      if (fresh) lines_.push_back(ReadInstLine(assignment_.text(text)));
      line_of_[i] = at->second;
      lines_by_name_.try_emplace(assignment_.values[i].instruction.value, at->second);
    }
    for (size_t t = 0; t < assignment_.sequence.size(); ++t) {
      times_.try_emplace(assignment_.sequence[t].value, static_cast<int64_t>(t));
    }
    end = std::max(assignment_.schedule_end, static_cast<int64_t>(assignment_.sequence.size()));
  }

  [[nodiscard]] const InstLine* LineOf(const AssignedValue& value) const {
    const auto at = line_of_[static_cast<size_t>(&value - assignment_.values.data())];
    return at < 0 ? nullptr : &lines_[static_cast<size_t>(at)];
  }
  [[nodiscard]] int64_t TimeOf(TextId instruction) const {
    const auto at = times_.find(instruction.value);
    return at == times_.end() ? -1 : at->second;
  }

  uint32_t Find(uint32_t value) {
    while (groups[value] != value) {
      groups[value] = groups[groups[value]];
      value = groups[value];
    }
    return value;
  }
  void Join(uint32_t a, uint32_t b) {
    a = Find(a);
    b = Find(b);
    groups[std::max(a, b)] = std::min(a, b);
  }

  // No index and an empty index are the same.
  [[nodiscard]] uint64_t Key(TextId instruction, int64_t operand, IndexId index) const {
    const uint64_t step = assignment_.index(index).empty() ? UINT64_MAX : index.value;
    const uint64_t parts[] = {instruction.value, static_cast<uint64_t>(operand), step};
    return TableHash(parts, sizeof(parts));
  }

  // Joins a value with the operand that its op updates in place, found through the printed uses.
  void JoinAliases() {
    std::unordered_map<uint64_t, uint32_t> users;
    for (uint32_t i = 0; i < assignment_.values.size(); ++i) {
      for (const ValueUse& use : assignment_.uses_of(assignment_.values[i])) {
        users.try_emplace(Key(use.instruction, use.operand, use.index), i);
      }
    }
    std::vector<LinePair> pairs;
    for (uint32_t i = 0; i < assignment_.values.size(); ++i) {
      const AssignedValue& value = assignment_.values[i];
      const InstLine* line = LineOf(value);
      if (line == nullptr) continue;
      pairs.clear();
      PairsOfLine(*line, assignment_.index(value.index), pairs);
      for (const LinePair& pair : pairs) {
        const IndexId index = assignment_.FindIndex(pair.operand_index);
        if (!index.valid() && !pair.operand_index.empty()) continue;
        const auto user = users.find(Key(value.instruction, pair.operand, index));
        if (user != users.end()) Join(user->second, i);
      }
    }
  }

  void FindNeeds() {
    last_needs_.assign(assignment_.values.size(), -1);
    std::vector<bool> defines(LargestText() + 1, false);
    for (size_t i = 0; i < assignment_.values.size(); ++i) {
      const AssignedValue& value = assignment_.values[i];
      if (!value.is_phi && value.instruction.valid()) defines[value.instruction.index()] = true;
    }
    for (uint32_t i = 0; i < assignment_.values.size(); ++i) NeedOf(i, defines);
  }

  [[nodiscard]] size_t LargestText() const {
    size_t largest = 0;
    const auto note = [&](TextId id) {
      if (id.valid()) largest = std::max(largest, id.index());
    };
    for (const AssignedValue& value : assignment_.values) note(value.instruction);
    for (const ValueUse& use : assignment_.uses) note(use.instruction);
    return largest;
  }

  [[nodiscard]] bool IsTuple(TextId instruction) const {
    const auto line = lines_by_name_.find(instruction.value);
    return line != lines_by_name_.end() &&
           lines_[static_cast<size_t>(line->second)].opcode == Opcode::kTuple;
  }

  // Users that define nothing are calls and loops; their bodies tell the time of the use.
  void NeedOf(uint32_t id, const std::vector<bool>& defines) {
    const AssignedValue& value = assignment_.values[id];
    int64_t defined = TimeOf(value.instruction);
    if (defined < 0) return;
    // The result of an async computation exists from its start on, not from where its body is
    // listed.
    for (const ValuePosition& position : assignment_.positions_of(value)) {
      const auto index = assignment_.index(position.index);
      const auto line = lines_by_name_.find(position.instruction.value);
      if (index.empty() || index[0] != 1 || line == lines_by_name_.end()) continue;
      if (lines_[static_cast<size_t>(line->second)].is_async) {
        defined = std::max(defined, TimeOf(position.instruction));
      }
    }
    int64_t last = defined;
    for (const ValuePosition& position : assignment_.positions_of(value)) {
      last = std::max(last, TimeOf(position.instruction));
    }
    int64_t early = defined;
    const InstLine* line = LineOf(value);
    const bool parameter = line != nullptr && line->opcode == Opcode::kParameter;
    for (const ValueUse& use : assignment_.uses_of(value)) {
      if (!use.instruction.valid() || !defines[use.instruction.index()]) continue;
      const int64_t time = TimeOf(use.instruction);
      last = std::max(last, time);
      // A parameter exists before its own position in the order, and a tuple does not read its
      // elements.
      const bool reads = !parameter && !value.is_phi && !IsTuple(use.instruction);
      if (time >= 0 && reads) early = std::min(early, time);
    }
    last_needs_[id] = last;
    if (early < defined) early_uses.push_back({id, early, defined});
    needs.push_back({id, {defined, std::max(defined, last)}});
  }

  // If a live range ends before its last use, exactly where another starts at the same offset, XLA
  // trimmed it there because the two are aliases.
  void JoinTrimmed() {
    std::map<std::tuple<uint32_t, int64_t, int64_t>, uint32_t> begins;
    for (uint32_t i = 0; i < assignment_.values.size(); ++i) {
      const AssignedValue& value = assignment_.values[i];
      if (!value.allocation.valid() || !value.live.known()) continue;
      begins.try_emplace({value.allocation.value, value.offset, value.live.start}, i);
    }
    for (uint32_t i = 0; i < assignment_.values.size(); ++i) {
      const AssignedValue& value = assignment_.values[i];
      if (!value.allocation.valid() || !value.live.known()) continue;
      if (last_needs_[i] <= value.live.end) continue;
      const auto next = begins.find({value.allocation.value, value.offset, value.live.end});
      if (next != begins.end()) Join(i, next->second);
    }
  }

  void FindLiveOut() {
    if (assignment_.schedule_end < 0) return;
    for (uint32_t i = 0; i < assignment_.values.size(); ++i) {
      const AssignedValue& value = assignment_.values[i];
      if (!value.allocation.valid() || value.live.end != assignment_.schedule_end) continue;
      const Allocation& allocation = assignment_.allocation(value.allocation);
      if (allocation.parameter < 0 && !allocation.is_constant) live_out.push_back(i);
    }
  }

  const Assignment& assignment_;
  std::vector<InstLine> lines_;
  std::vector<int32_t> line_of_;  // by value
  std::unordered_map<uint32_t, int32_t> lines_by_name_;
  std::vector<int64_t> last_needs_;
  std::unordered_map<uint32_t, int64_t> times_;
  Module shape_module_;
  std::unordered_map<uint32_t, ShapeId> shapes_;  // by shape text
};

}  // namespace

std::unique_ptr<Facts> FactsOfText(const Assignment& assignment) {
  auto facts = std::make_unique<TextFacts>(assignment);
  facts->Derive();
  return facts;
}

}  // namespace halo::check
