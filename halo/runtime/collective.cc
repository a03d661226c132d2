// Prints collectives as text, for diagnostics and for devices to compare what they are about to
// run.
#include "halo/runtime/collective.h"

namespace halo {
namespace {

void AppendArrays(std::span<const CollectiveArray> arrays, std::string& out) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    const CollectiveArray& array = arrays[i];
    if (i > 0) out += ',';
    out += TextOf(array.type);
    out += '[' + std::to_string(array.outer) + 'x' + std::to_string(array.extent) + 'x' +
           std::to_string(array.inner) + ']';
  }
}

int64_t BytesOf(std::span<const CollectiveArray> arrays) {
  int64_t bytes = 0;
  for (const CollectiveArray& array : arrays) bytes += array.bytes();
  return bytes;
}

}  // namespace

std::string_view TextOf(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce: return "all-reduce";
    case CollectiveKind::kReduceScatter: return "reduce-scatter";
    case CollectiveKind::kAllGather: return "all-gather";
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kAllToAllTuple: return "all-to-all";
    case CollectiveKind::kPermute: return "collective-permute";
    case CollectiveKind::kBroadcast: return "collective-broadcast";
    case CollectiveKind::kSend: return "send";
    case CollectiveKind::kRecv: return "recv";
    case CollectiveKind::kDefinition: return "collective";
  }
  return "collective";
}

std::string_view TextOf(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kSum: return "sum";
    case ReduceKind::kProduct: return "product";
    case ReduceKind::kMin: return "min";
    case ReduceKind::kMax: return "max";
    case ReduceKind::kAnd: return "and";
    case ReduceKind::kOr: return "or";
    case ReduceKind::kXor: return "xor";
    case ReduceKind::kGeneral: return "general";
  }
  return "general";
}

int64_t CollectiveOp::operand_bytes() const { return BytesOf(operands); }
int64_t CollectiveOp::result_bytes() const { return BytesOf(results); }

std::string CollectiveText(const CollectiveOp& op) {
  std::string out(TextOf(op.kind));
  out += " %" + op.name;
  if (op.channel != 0) out += " channel " + std::to_string(op.channel);
  if (op.kind == CollectiveKind::kAllReduce || op.kind == CollectiveKind::kReduceScatter) {
    out += ' ';
    out += TextOf(op.reduce);
  }
  out += ' ';
  AppendArrays(op.operands, out);
  out += "->";
  AppendArrays(op.results, out);
  out += " groups {";
  for (size_t g = 0; g < op.groups.size(); ++g) {
    out += g > 0 ? ",{" : "{";
    for (size_t i = 0; i < op.groups[g].size(); ++i) {
      if (i > 0) out += ',';
      out += std::to_string(op.groups[g][i]);
    }
    out += '}';
  }
  out += '}';
  for (const auto& [source, target] : op.pairs) {
    out += ' ' + std::to_string(source) + "->" + std::to_string(target);
  }
  return out;
}

}  // namespace halo
