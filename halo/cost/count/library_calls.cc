// Looks up call targets in library_calls.def.
#include "halo/cost/count/library_calls.h"

#include <array>
#include <string_view>

#include "halo/cost/count/attention_flops.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

struct KnownTarget {
  std::string_view prefix;
  LibraryCall call;
};
constexpr std::array kKnownTargets = {
#define HALO_LIBRARY_CALL(prefix, call) KnownTarget{prefix, LibraryCall::k##call},
#include "halo/cost/count/library_calls.def"
};

}  // namespace

LibraryCall LibraryCallOf(const Module& module, const Inst& inst) {
  if (PropertiesOf(inst.opcode).work != OpWork::kOfTarget) return LibraryCall::kNone;
  const std::string_view target = module.TextOr(inst.attrs, AttrKey::k_custom_call_target);
  for (const KnownTarget& known : kKnownTargets) {
    if (target.starts_with(known.prefix)) return known.call;
  }
  if (AttentionOf(module, inst)) return LibraryCall::kAttention;
  return LibraryCall::kOpaque;
}

}  // namespace halo
