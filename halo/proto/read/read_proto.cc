// Distinguishes the three messages and unwraps the outer ones.
#include "halo/proto/read/read_proto.h"

#include "halo/ir/ir_diagnostics.h"
#include "halo/proto/read/read_context.h"
#include "halo/proto/read/read_module_proto.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

// Fields that may come before the one sought. Serializers write them in order of their numbers, and
// few precede it; text and other data can look like very many.
constexpr int kMostBefore = 1 << 16;

// The first length-delimited field with this number; truncated if the bytes end early.
std::optional<std::string_view> FirstMessage(std::string_view bytes, uint32_t field) {
  WireReader reader(bytes);
  for (int before = 0; reader.Next(); ++before) {
    if (before == kMostBefore) return std::nullopt;
    std::string_view message;
    if (reader.field() == field && reader.Get(message)) return message;
  }
  if (reader.fault() != WireFault::kCutShort) return std::nullopt;
  // The truncated message may be the one.
  std::string_view rest = bytes.substr(reader.field() == field ? reader.position() : bytes.size());
  return rest.empty() ? std::nullopt : std::optional(rest);
}

bool LooksLikeOpcode(std::string_view text) {
  if (text.empty() || text.size() > 64) return false;
  for (const char c : text) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) return false;
  }
  return true;
}

bool LooksLikeModule(std::string_view bytes) {
  const auto comp = FirstMessage(bytes, pb::HloModuleProto::k_computations);
  const auto inst = comp ? FirstMessage(*comp, pb::HloComputationProto::k_instructions) : comp;
  const auto opcode = inst ? FirstMessage(*inst, pb::HloInstructionProto::k_opcode) : inst;
  return opcode && LooksLikeOpcode(*opcode);
}

}  // namespace

std::string_view TextOf(ProtoKind kind) {
  switch (kind) {
    case ProtoKind::kHloProto: return "HloProto";
    case ProtoKind::kHloModuleProto: return "HloModuleProto";
    case ProtoKind::kHloSnapshot: return "HloSnapshot";
  }
  return {};
}

std::optional<ProtoKind> DetectProtoKind(std::string_view bytes) {
  if (LooksLikeModule(bytes)) return ProtoKind::kHloModuleProto;
  const auto module = FirstMessage(bytes, pb::HloProto::k_hlo_module);
  if (!module) return std::nullopt;
  if (LooksLikeModule(*module)) return ProtoKind::kHloProto;
  const auto inner = FirstMessage(*module, pb::HloProto::k_hlo_module);
  if (inner && LooksLikeModule(*inner)) return ProtoKind::kHloSnapshot;
  return std::nullopt;
}

ProtoReadResult ReadHloProto(std::string_view bytes, const ProtoReadOptions& options) {
  ProtoReadResult result;
  ProtoContext context(bytes, result.module, result.diagnostics);
  context.sort_configs = options.sort_configs;
  context.stack_frames = options.stack_frames;
  const auto kind = options.kind ? options.kind : DetectProtoKind(bytes);
  if (!kind) {
    context.Report(diag::kNotHlo, bytes, "these bytes do not contain an HLO module");
    return result;
  }
  result.kind = *kind;

  std::string_view hlo = bytes;
  std::vector<std::string_view> arguments;
  std::string_view value;
  if (*kind == ProtoKind::kHloSnapshot) {
    hlo = {};
    WireReader reader(bytes);
    while (reader.Next()) {
      switch (reader.field()) {
        case pb::HloSnapshot::k_hlo: reader.Get(hlo); break;
        case pb::HloSnapshot::k_arguments: reader.Append(arguments); break;
        case pb::HloSnapshot::k_result: reader.Get(value); break;
        case pb::HloSnapshot::k_execution_platform: reader.Get(result.execution_platform); break;
        default: context.Unknown("HloSnapshot", reader); break;
      }
    }
    if (!context.Check(reader, bytes)) return result;
  }
  std::string_view module = hlo;
  if (*kind != ProtoKind::kHloModuleProto) {
    module = {};
    WireReader reader(hlo);
    while (reader.Next()) {
      switch (reader.field()) {
        case pb::HloProto::k_hlo_module: reader.Get(module); break;
        case pb::HloProto::k_buffer_assignment: reader.Get(result.buffer_assignment); break;
        default: context.Unknown("HloProto", reader); break;
      }
    }
    if (!context.Check(reader, hlo)) return result;
  }

  ModuleReader reader(context);
  reader.Read(module);
  result.kept_fields = reader.kept_fields();
  result.instruction_ids = reader.TakeInstructionIds();
  result.computation_ids = reader.computation_ids();
  const auto literal = [&](std::string_view proto) {
    ShapeId shape;
    LiteralId id;
    if (context.ReadLiteralShape(proto, shape)) context.ReadLiteral(proto, shape, id);
    return id;
  };
  for (const std::string_view argument : arguments) result.arguments.push_back(literal(argument));
  if (value.data() != nullptr) result.result = literal(value);
  result.module.Shrink();
  return result;
}

}  // namespace halo
