// Channels: a send or recv and its done name one channel and agree on whether it is a host
// transfer; either all reductions or none have constrained layouts.
#include <map>

#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

bool IsTransfer(Opcode opcode) { return opcode == Opcode::kSend || opcode == Opcode::kRecv; }

void VerifyTransfer(ModuleContext& context, InstId id, const Inst& inst) {
  const Module& module = context.module();
  const Opcode done = inst.opcode == Opcode::kSend ? Opcode::kSendDone : Opcode::kRecvDone;
  for (const InstId user : context.facts().users(id)) {
    const Inst& other = module.inst(user);
    if (other.opcode != done) continue;
    const int64_t mine = module.IntOr(inst.attrs, AttrKey::k_channel_id, -1);
    const int64_t its = module.IntOr(other.attrs, AttrKey::k_channel_id, -1);
    if (mine != its) {
      context.Report(Rule::kChannelMatch, user, "channel_id=", its, ", but ", context.NameOf(id),
                     " has ", mine);
    }
    if (module.BoolOr(inst.attrs, AttrKey::k_is_host_transfer, false) !=
        module.BoolOr(other.attrs, AttrKey::k_is_host_transfer, false)) {
      context.Report(Rule::kHostTransferMatch, user, "is_host_transfer differs from that of ",
                     context.NameOf(id));
    }
  }
}

// Host transfers over one channel are the same transfer.
class HostTransfers {
 public:
  explicit HostTransfers(ModuleContext& context) : context_(context) {}

  void Add(InstId id, const Inst& inst) {
    const Module& module = context_.module();
    if (!module.BoolOr(inst.attrs, AttrKey::k_is_host_transfer, false)) return;
    const Attr* channel = module.Find(inst, AttrKey::k_channel_id);
    if (channel == nullptr) return;
    const auto [it, is_new] = first_.try_emplace(module.IntValue(*channel), id);
    if (is_new) return;
    const Inst& other = module.inst(it->second);
    if (other.opcode == inst.opcode && SameShape(module.shapes, other.shape, inst.shape)) return;
    context_.Report(Rule::kHostTransferChannel, id, "uses the channel of ",
                    context_.NameOf(it->second), ", which transfers something else");
  }

 private:
  ModuleContext& context_;
  std::map<int64_t, InstId> first_;
};

}  // namespace

void VerifyChannels(ModuleContext& context) {
  const Module& module = context.module();
  HostTransfers host(context);
  InstId reduction;
  context.ForEachInst([&](InstId id, const Inst& inst) {
    if (IsTransfer(inst.opcode)) {
      VerifyTransfer(context, id, inst);
      host.Add(id, inst);
    }
    if (inst.opcode != Opcode::kAllReduce && inst.opcode != Opcode::kAllReduceStart) return;
    if (!reduction.valid()) reduction = id;
    const auto constrained = [&](const Inst& each) {
      return module.BoolOr(each.attrs, AttrKey::k_constrain_layout, false);
    };
    if (constrained(module.inst(reduction)) == constrained(inst)) return;
    context.Report(Rule::kConstrainLayoutMix, id, "constrain_layout differs from that of ",
                   context.NameOf(reduction));
  });
}

}  // namespace halo
