// Halves of async ops are known by the table of op properties: a start has a synchronous form, a
// done only its partner.
#include "halo/cost/timeline/queues.h"

#include "halo/ir/op_properties.h"

namespace halo {

std::string_view QueueText(Queue queue) {
  constexpr std::array<std::string_view, kQueues> kTexts = {
      "collectives", "sends and receives", "links", "network", "copies", "other computations"};
  return kTexts[static_cast<size_t>(queue)];
}

QueueSet CollectiveQueues(const WireUse& use, int64_t per_node, std::optional<Backend> backend) {
  QueueSet queues;
  if (backend != Backend::kTpu) queues.Add(Queue::kCollectives);
  queues.Add(Queue::kLinks);
  if (use.group != nullptr && use.group->Nodes(per_node) > 1) queues.Add(Queue::kNetwork);
  return queues;
}

QueueSet StartQueues(const Inst& start, std::optional<Backend> backend) {
  QueueSet queues;
  const OpProperties& op = PropertiesOf(start.opcode);
  if (op.flow == OpFlow::kCopyStart) {
    queues.Add(Queue::kCopies);
  } else if (op.flow == OpFlow::kSend || op.flow == OpFlow::kTransfer) {
    if (backend != Backend::kTpu) queues.Add(Queue::kTransfers);
    queues.Add(Queue::kLinks);
  } else {
    queues.Add(Queue::kSide);
  }
  return queues;
}

bool IsAsyncStart(const Inst& inst) {
  const OpProperties& op = PropertiesOf(inst.opcode);
  return op.flow == OpFlow::kAsyncStart ||
         (op.partner != Opcode::kUnknown && op.sync != Opcode::kUnknown);
}

bool IsAsyncDone(const Inst& inst) {
  const OpProperties& op = PropertiesOf(inst.opcode);
  return op.flow == OpFlow::kAsyncDone ||
         (op.partner != Opcode::kUnknown && op.sync == Opcode::kUnknown);
}

bool IsSynchronous(const Module& module, const Inst& start) {
  const std::string_view config = module.TextOr(start.attrs, AttrKey::k_backend_config);
  return config.find("\"is_sync\":true") != std::string_view::npos;
}

}  // namespace halo
