// Metadata is looked up where the compiler left it: on the instruction, on the root of its fused
// computation, or on the instruction it merely copies.
#include "halo/memory/explain/origins.h"

#include <algorithm>
#include <array>

#include "halo/ir/op_properties.h"
#include "halo/memory/text/printed_instruction.h"

namespace halo {
namespace {

// The text between the quotes after `key`, or up to a blank if there are no quotes.
std::string_view FieldOf(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = line.substr(at + key.size());
  if (!rest.starts_with('"')) return rest.substr(0, rest.find_first_of(" }"));
  rest.remove_prefix(1);
  return rest.substr(0, rest.find('"'));
}

int64_t NumberOf(std::string_view digits) {
  int64_t value = 0;
  for (const char c : digits.substr(0, 9)) {
    if (c < '0' || c > '9') break;
    value = value * 10 + (c - '0');
  }
  return value;
}

// Wrappers that describe how JAX derived an operation, not what it belongs to.
constexpr std::array<std::string_view, 10> kWrappers = {
    "jit",   "pjit", "xla_call",   "core_call", "remat", "checkpoint", "rematted_computation",
    "while", "body", "closed_call"};

bool IsWrapper(std::string_view part) {
  if (part == "cond" || part == "scan") return true;
  for (const std::string_view each : kWrappers) {
    if (part == each) return true;
    if (part.starts_with(each) && part.size() > each.size() && part[each.size()] == '(') {
      return true;
    }
  }
  return part.starts_with("custom_vjp") || part.starts_with("custom_jvp");
}

// transpose(jvp(Transformer)) becomes Transformer.
std::string_view Unwrapped(std::string_view part) {
  for (const std::string_view each : {"transpose(", "jvp(", "vmap(", "pmap(", "shard_map("}) {
    if (!part.starts_with(each)) continue;
    part.remove_prefix(each.size());
    while (part.ends_with(')') &&
           std::count(part.begin(), part.end(), '(') < std::count(part.begin(), part.end(), ')')) {
      part.remove_suffix(1);
    }
  }
  return part;
}

// Runs of digits become one *.
std::string Collapsed(std::string_view part) {
  std::string out;
  for (const char c : part) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) {
      out += c;
    } else if (out.empty() || out.back() != '*') {
      out += '*';
    }
  }
  return out;
}

// Takes the user's next scope off the front of an op_name; false if only the primitive is left.
bool NextScope(std::string_view& op_name, std::string_view& scope) {
  while (true) {
    size_t depth = 0, slash = 0;
    for (; slash < op_name.size() && (op_name[slash] != '/' || depth != 0); ++slash) {
      if (op_name[slash] == '(') ++depth;
      if (op_name[slash] == ')' && depth != 0) --depth;
    }
    if (slash >= op_name.size()) return false;
    const std::string_view part = op_name.substr(0, slash);
    op_name.remove_prefix(slash + 1);
    if (part.empty() || IsWrapper(part)) continue;
    scope = Unwrapped(part);
    if (!scope.empty()) return true;
  }
}

constexpr uint32_t kMostLookedAt = 500;  // instructions, at each question

// For a fusion whose root has no name: that of the last named instruction near the end of its body.
std::string_view NameInside(const Module& module, const Inst& fusion) {
  std::vector<CompId> called;
  module.CalledBy(fusion, called);
  if (fusion.opcode != Opcode::kFusion || called.empty()) return {};
  const Computation& comp = module.comp(called[0]);
  for (uint32_t left = std::min(comp.count, kMostLookedAt), i = comp.count; left-- > 0;) {
    --i;
    const std::string_view name =
        module.MetadataText(module.insts[comp.first + i], AttrKey::k_op_name);
    if (!name.empty()) return name;
  }
  return {};
}

}  // namespace

Origins::Origins(const BoundAssignment& bound) : bound_(bound) {
  if (const Module* module = bound.module()) {
    for (uint32_t list = 0; list < module->attr_lists.size() && !has_gradients_; ++list) {
      for (const Attr& attr : module->attrs_of(AttrListId(list))) {
        if (attr.key == AttrKey::k_op_name) {
          has_gradients_ = has_gradients_ || IsBackward(module->text(StrId(attr.value)));
        }
      }
    }
    return;
  }
  const Assignment& assignment = bound.assignment();
  for (const AssignedValue& value : assignment.values) {
    const std::string_view line = assignment.text(value.from_instruction);
    if (line.empty()) continue;
    lines_.emplace(value.instruction.value, line);
    has_gradients_ = has_gradients_ || IsBackward(FieldOf(line, "op_name="));
  }
}

Origin Origins::Of(ValueId value) const {
  return Of(bound_.value(value).inst, bound_.assignment().value(value).instruction);
}

Origin Origins::Of(const ValueUse& use) const { return Of(bound_.user(use), use.instruction); }

Origin Origins::At(int64_t time) const {
  const std::vector<TextId>& sequence = bound_.assignment().sequence;
  if (time < 0 || static_cast<size_t>(time) >= sequence.size()) return {};
  return Of(bound_.at(time), sequence[static_cast<size_t>(time)]);
}

Origin Origins::Of(InstId inst, TextId instruction) const {
  if (bound_.module() != nullptr) return inst.valid() ? OriginOf(*bound_.module(), inst) : Origin();
  const auto found = lines_.find(instruction.value);
  if (found == lines_.end()) return {};
  const std::string_view line = found->second;
  Origin origin;
  origin.op_name = FieldOf(line, "op_name=");
  origin.file = FieldOf(line, "source_file=");
  origin.line = NumberOf(FieldOf(line, "source_line="));
  origin.opcode = ReadPrintedInstruction(line).opcode;
  return origin;
}

SourceLine SourceOf(const Module& module, AttrListId metadata) {
  SourceLine source;
  source.line = module.IntOr(metadata, AttrKey::k_source_line, 0);
  const Attr* named = module.Find(metadata, AttrKey::k_source_file);
  if (named != nullptr && !module.text(StrId(named->value)).empty()) {
    source.file = StrId(named->value);
    return source;
  }
  const auto frame = static_cast<size_t>(module.IntOr(metadata, AttrKey::k_stack_frame_id, 0));
  const StackTables& stack = module.stack;
  if (frame < 1 || frame > stack.stack_frames.size()) return source;
  const auto at = static_cast<size_t>(stack.stack_frames[frame - 1].file_location_id);
  if (at < 1 || at > stack.file_locations.size()) return source;
  const FileLocation& position = stack.file_locations[at - 1];
  const auto file = static_cast<size_t>(position.file_name_id);
  if (file < 1 || file > stack.file_names.size()) return source;
  source.file = stack.file_names[file - 1];
  source.line = position.line;
  return source;
}

Origin OriginOf(const Module& module, InstId id) {
  Origin origin;
  origin.inst = id;
  origin.opcode = module.opcode_text(module.inst(id));
  std::vector<CompId> called;
  for (int steps = 0; steps < 8 && id.valid(); ++steps) {
    const Inst& inst = module.inst(id);
    const AttrListId metadata = module.MetadataOf(inst);
    if (origin.op_name.empty()) origin.op_name = module.TextOr(metadata, AttrKey::k_op_name);
    if (origin.file.empty()) {
      const SourceLine source = SourceOf(module, metadata);
      if (source.file.valid()) origin.file = module.text(source.file);
      origin.line = source.line;
    }
    if (!origin.op_name.empty()) break;
    // An instruction without a name takes that of what it wraps or copies.
    called.clear();
    module.CalledBy(inst, called);
    const std::span<const InstId> operands = module.operands_of(inst);
    switch (FlowOf(inst.opcode)) {
      case OpFlow::kFusion:
      case OpFlow::kCall:
      case OpFlow::kAsyncStart: id = called.empty() ? InstId() : module.comp(called[0]).root; break;
      case OpFlow::kCopyStart:
      case OpFlow::kCopyDone:
      case OpFlow::kAsyncUpdate:
      case OpFlow::kAsyncDone:
      case OpFlow::kElement:
      case OpFlow::kTuple: id = operands.empty() ? InstId() : operands[0]; break;
      default: {
        const bool copies = HasFlag(inst.opcode, kRelayouts) || inst.opcode == Opcode::kConvert;
        id = copies && !operands.empty() ? operands[0] : InstId();
      }
    }
  }
  if (origin.op_name.empty()) origin.op_name = NameInside(module, module.inst(origin.inst));
  return origin;
}

std::string ScopeOf(std::string_view op_name) {
  std::string scope;
  // Arguments are named as Python would access them: state.params['decoder']['layers_0'].
  if (op_name.find('/') == std::string_view::npos) return Collapsed(op_name);
  std::string_view part;
  while (NextScope(op_name, part)) {
    const std::string name = Collapsed(part);
    if (!scope.empty()) scope += '/';
    scope += name;
  }
  // Outside all scopes the primitive is better than nothing.
  return scope.empty() ? Collapsed(op_name) : scope;
}

std::string InnermostScope(std::string_view op_name) {
  if (op_name.find("['") != std::string_view::npos) return {};
  std::string_view part, named;
  while (NextScope(op_name, part)) {
    // An einsum's formula is no name.
    if (part.find_first_of(" ,>") == std::string_view::npos) named = part;
  }
  return std::string(named.empty() ? op_name : named);
}

std::string_view PhaseOf(std::string_view op_name) {
  if (IsBackward(op_name)) return "backward";
  return IsForward(op_name) ? "forward" : std::string_view();
}

std::string SourceText(const Origin& origin) {
  if (origin.file.empty()) return {};
  size_t at = origin.file.rfind('/');
  if (at != std::string_view::npos && at != 0) at = origin.file.rfind('/', at - 1);
  std::string text(at == std::string_view::npos ? origin.file : origin.file.substr(at + 1));
  if (origin.line > 0) text += ":" + std::to_string(origin.line);
  return text;
}

bool IsBackward(std::string_view op_name) {
  return op_name.find("transpose(") != std::string_view::npos ||
         op_name.find("backward") != std::string_view::npos;
}

bool IsRecomputed(std::string_view op_name) {
  return op_name.find("rematted_computation") != std::string_view::npos;
}

bool IsForward(std::string_view op_name) {
  return op_name.find("jvp(") != std::string_view::npos && !IsBackward(op_name);
}

}  // namespace halo
