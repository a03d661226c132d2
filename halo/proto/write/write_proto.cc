// Wraps a module in the outer messages.
#include "halo/proto/write/write_proto.h"

#include <optional>

#include "halo/ir/async_sugar.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/wire.h"
#include "halo/proto/write/write_context.h"

namespace halo {
namespace {

void WriteHlo(ProtoWriter& writer, const ProtoWriteOptions& options, WireWriter& out) {
  const size_t mark = out.Begin(pb::HloProto::k_hlo_module);
  writer.WriteModule(out);
  out.End(mark);
  out.BytesIf(pb::HloProto::k_buffer_assignment, options.buffer_assignment);
}

}  // namespace

ProtoWriteResult WriteHloProto(const Module& module, const ProtoWriteOptions& options) {
  ProtoWriteResult result;
  std::optional<Module> expanded;
  if (HasAsyncSugar(module)) {
    expanded = module;
    ExpandAsyncSugar(*expanded, SugarNames::kPlain);
  }
  const Module& source = expanded ? *expanded : module;
  ProtoWriter writer(source, options, expanded.has_value(), result.diagnostics);
  WireWriter out;
  switch (options.kind) {
    case ProtoKind::kHloModuleProto: writer.WriteModule(out); break;
    case ProtoKind::kHloProto: WriteHlo(writer, options, out); break;
    case ProtoKind::kHloSnapshot: {
      const size_t mark = out.Begin(pb::HloSnapshot::k_hlo);
      WriteHlo(writer, options, out);
      out.End(mark);
      const auto literal = [&](uint32_t field, LiteralId id) {
        if (!id.valid()) return;
        const size_t inner = out.Begin(field);
        writer.WriteLiteral(id, source.literals.shape(id), out);
        out.End(inner);
      };
      for (const LiteralId argument : options.arguments) {
        literal(pb::HloSnapshot::k_arguments, argument);
      }
      literal(pb::HloSnapshot::k_result, options.result);
      out.BytesIf(pb::HloSnapshot::k_execution_platform, options.execution_platform);
      break;
    }
  }
  result.bytes = out.Take();
  return result;
}

}  // namespace halo
