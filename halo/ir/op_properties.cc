// The rows of op_properties.def, in the order of ops.def; an opcode without a row fails to build.
#include "halo/ir/op_properties.h"

#include <array>

namespace halo {
namespace {

template <Opcode opcode>
struct RowOf;  // defined for every row of op_properties.def
#define HALO_OP_PROPERTIES(name, category_, flow_, calls_, effect_, cost_, fusion_, flags_, ...) \
  template <>                                                                                    \
  struct RowOf<Opcode::k##name> {                                                                \
    static constexpr OpProperties kRow = {.category = OpCategory::k##category_,                  \
                                          .flow = OpFlow::k##flow_,                              \
                                          .calls = OpCalls::k##calls_,                           \
                                          .effect = OpEffect::k##effect_,                        \
                                          .cost = CostClass::k##cost_,                           \
                                          .fusion = OpFusion::k##fusion_,                        \
                                          .flags = (flags_)__VA_OPT__(, ) __VA_ARGS__};          \
  };
#include "halo/ir/op_properties.def"

constexpr auto kProperties = std::to_array<OpProperties>({
#define HALO_OP(name, text, operands, traits, attrs) RowOf<Opcode::k##name>::kRow,
#include "halo/ir/ops.def"
    {.effect = OpEffect::kUnknown, .flags = kHoldsPinned},  // kUnknown
});

}  // namespace

const OpProperties& PropertiesOf(Opcode opcode) { return kProperties[static_cast<size_t>(opcode)]; }

Opcode SynchronousOf(Opcode opcode) {
  const Opcode sync = PropertiesOf(opcode).sync;
  return sync == Opcode::kUnknown ? opcode : sync;
}

bool PassesValuesOn(Opcode opcode) {
  switch (FlowOf(opcode)) {
    case OpFlow::kForwards:
    case OpFlow::kBitcast:
    case OpFlow::kTuple:
    case OpFlow::kElement: return true;
    default: return false;
  }
}

}  // namespace halo
