// Instruction lines are read for three things only: the opcode, the names of the operands, and
// which operand an output is declared to share memory with.
#include "halo/memory/assign/printed_problem.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "halo/memory/backend/memory_spaces.h"
#include "halo/memory/text/line_fields.h"

namespace halo {
namespace {

struct Sharing {
  std::vector<int64_t> output;
  int64_t operand = 0;
  std::vector<int64_t> input;
};

// output_to_operand_aliasing={{0}: (0, {}), ...}
std::vector<Sharing> SharingsOf(std::string_view attributes) {
  std::vector<Sharing> sharings;
  Fields fields(attributes);
  std::string_view before;
  if (!fields.TakeUntil("output_to_operand_aliasing={", before)) return sharings;
  do {
    Sharing sharing;
    const bool is_read = fields.TakeIndex(sharing.output) && fields.Take(": (") &&
                         fields.TakeCount(sharing.operand) && fields.Take(", ") &&
                         fields.TakeIndex(sharing.input) && fields.Take(")");
    if (!is_read) break;
    sharings.push_back(std::move(sharing));
  } while (fields.Take(", "));
  return sharings;
}

// An index that is not printed means the top.
uint64_t Key(const Assignment& printed, TextId instruction, IndexId index) {
  const uint32_t steps = printed.index(index).empty() ? IndexId::kNoneValue : index.value;
  return uint64_t{instruction.value} << 32 | steps;
}

}  // namespace

PrintedProblem::PrintedProblem(const Assignment& printed, const BackendRules& rules)
    : printed_(printed) {
  end = std::max<int64_t>(printed.schedule_end, 0);
  AddValues();
  if (rules.gathers_stay_inside) KeepGathersInside();
  JoinBuffers();
  MeasureBuffers();
}

void PrintedProblem::AddValues() {
  values.resize(printed_.values.size());
  line_of_.resize(values.size());
  const TextId root = printed_.sequence.empty() ? TextId() : printed_.sequence.back();
  lives_out.clear();
  TextId before;
  for (size_t i = 0; i < values.size(); ++i) {
    const AssignedValue& from = printed_.values[i];
    ProblemValue& value = values[i];
    for (const ValuePosition& position : printed_.positions_of(from)) {
      at_.emplace(Key(printed_, position.instruction, position.index), FlowId(i));
      within_.emplace(position.instruction.value, FlowId(i));
    }
    if (i == 0 || from.instruction != before) {
      lines_.push_back(ReadPrintedInstruction(printed_.text(from.from_instruction)));
    }
    before = from.instruction;
    line_of_[i] = static_cast<uint32_t>(lines_.size() - 1);
    if (!from.allocation.valid()) continue;
    const PrintedInstruction& line = lines_.back();
    value.bytes = from.size;
    value.color = from.color;
    value.range = {from.live.start, from.live.end};
    value.position = line_of_[i];
    value.is_constant = line.opcode == "constant";
    value.is_tuple = printed_.text(from.shape).starts_with('(');
    value.is_thread_local = !from.live.known();
    value.is_at_top = printed_.index(from.index).empty();
    if (line.opcode == "parameter" && from.live.known()) {
      value.parameter = printed_.allocation(from.allocation).parameter;
      value.is_donated = printed_.allocation(from.allocation).maybe_live_out;
    }
    const std::span<const ValuePosition> positions = printed_.positions_of(from);
    const bool leaves =
        std::any_of(positions.begin(), positions.end(),
                    [&](const ValuePosition& position) { return position.instruction == root; });
    value.buffer = BufferId(lives_out.size());
    lives_out.push_back(leaves);
    buffers.push_back({FlowId(i)});
  }
}

// Fusion bodies are not printed, but a collective that is split in two passes its semaphores from
// one custom fusion to the other, and nothing else does.
bool PrintedProblem::IsGather(uint32_t number) const {
  const PrintedInstruction& line = lines_[number];
  if (line.opcode.starts_with("all-gather")) return true;
  return line.opcode == "fusion" && has_semaphores_[number] &&
         line.after.find("kind=kCustom") != std::string_view::npos;
}

void PrintedProblem::KeepGathersInside() {
  std::unordered_map<uint32_t, uint32_t> line_of_name;
  has_semaphores_.assign(lines_.size(), false);
  for (size_t i = 0; i < values.size(); ++i) {
    line_of_name.emplace(printed_.values[i].instruction.value, line_of_[i]);
    if (printed_.values[i].color == kTpuSemaphoreSpace) has_semaphores_[line_of_[i]] = true;
  }
  const auto line_of = [&](TextId instruction) {
    const auto found = line_of_name.find(instruction.value);
    return found == line_of_name.end() ? UINT32_MAX : found->second;
  };
  for (const AssignedValue& value : printed_.values) {
    if (value.color != kTpuSemaphoreSpace) continue;
    for (const ValueUse& use : printed_.uses_of(value)) {
      const uint32_t line = line_of(use.instruction);
      if (line != UINT32_MAX) has_semaphores_[line] = true;
    }
  }
  const auto is_gather = [&](TextId instruction) {
    const uint32_t line = line_of(instruction);
    return line != UINT32_MAX && IsGather(line);
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const std::span<const ValuePosition> positions = printed_.positions_of(printed_.values[i]);
    const std::span<const ValueUse> uses = printed_.uses_of(printed_.values[i]);
    values[i].stays_inside =
        std::any_of(
            positions.begin(), positions.end(),
            [&](const ValuePosition& position) { return is_gather(position.instruction); }) ||
        std::any_of(uses.begin(), uses.end(),
                    [&](const ValueUse& use) { return is_gather(use.instruction); });
  }
}

FlowId PrintedProblem::ValueAt(std::string_view instruction, std::span<const int64_t> steps) const {
  const TextId name = printed_.FindText(instruction);
  const IndexId index = printed_.FindIndex(steps);
  if (!name.valid() || (!steps.empty() && !index.valid())) return {};
  const auto found = at_.find(Key(printed_, name, index));
  return found == at_.end() ? FlowId() : found->second;
}

void PrintedProblem::JoinBuffers() {
  std::vector<uint32_t> slot(buffers.size());
  std::iota(slot.begin(), slot.end(), 0);
  const auto find = [&](uint32_t at) {
    while (slot[at] != at) at = slot[at] = slot[slot[at]];
    return at;
  };
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && line_of_[i] == line_of_[i - 1]) continue;
    const AssignedValue& from = printed_.values[i];
    const PrintedInstruction& line = LineOf(FlowId(i));
    std::vector<Sharing> sharings = SharingsOf(line.after);
    if (line.opcode == "dynamic-update-slice") sharings.push_back({{}, 0, {}});
    for (const Sharing& sharing : sharings) {
      const auto operand = static_cast<size_t>(sharing.operand);
      if (operand >= line.operands.size()) continue;
      const FlowId output = ValueAt(printed_.text(from.instruction), sharing.output);
      const FlowId input = ValueAt(line.operands[operand], sharing.input);
      if (!output.valid() || !input.valid()) continue;
      const BufferId a = value(output).buffer, b = value(input).buffer;
      if (!a.valid() || !b.valid()) continue;
      const uint32_t x = find(a.value), y = find(b.value);
      slot[std::max(x, y)] = std::min(x, y);
    }
  }
  std::vector<std::vector<FlowId>> joined;
  std::vector<bool> joined_lives_out;
  std::vector<BufferId> number(buffers.size());
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    const uint32_t into = find(i);
    if (!number[into].valid()) {
      number[into] = BufferId(joined.size());
      joined.emplace_back();
      joined_lives_out.push_back(false);
    }
    const size_t at = number[into].index();
    joined[at].insert(joined[at].end(), buffers[i].begin(), buffers[i].end());
    joined_lives_out[at] = joined_lives_out[at] || lives_out[i];
    for (const FlowId id : buffers[i]) values[id.index()].buffer = number[into];
  }
  buffers = std::move(joined);
  lives_out = std::move(joined_lives_out);
}

void PrintedProblem::OperandsOf(FlowId id, std::vector<FlowId>& out) const {
  out.clear();
  for (const std::string_view operand : LineOf(id).operands) out.push_back(ValueAt(operand, {}));
}

void PrintedProblem::CopiedBy(FlowId value, std::vector<FlowId>& out) const {
  out.clear();
  const PrintedInstruction& line = LineOf(value);
  if (line.opcode != "copy") return;
  for (const std::string_view operand : line.operands) {
    const TextId name = printed_.FindText(operand);
    if (!name.valid()) continue;
    const auto [first, last] = within_.equal_range(name.value);
    for (auto each = first; each != last; ++each) out.push_back(each->second);
  }
}

}  // namespace halo
