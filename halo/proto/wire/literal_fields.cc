// The table of LiteralProto's element fields.
#include "halo/proto/wire/literal_fields.h"

#include "halo/proto/wire/fields.h"

namespace halo {

LiteralField LiteralFieldOf(ElementType type) {
  using pb::LiteralProto;
  constexpr auto kBytes = LiteralCoding::kBytes;
  switch (type) {
    case ElementType::kPred: return {LiteralProto::k_preds, LiteralCoding::kVarint};
    case ElementType::kS1: return {LiteralProto::k_s1s, kBytes};
    case ElementType::kS2: return {LiteralProto::k_s2s, kBytes};
    case ElementType::kS4: return {LiteralProto::k_s4s, kBytes};
    case ElementType::kS8: return {LiteralProto::k_s8s, kBytes};
    case ElementType::kS16: return {LiteralProto::k_s16s, kBytes};
    case ElementType::kS32: return {LiteralProto::k_s32s, LiteralCoding::kVarint};
    case ElementType::kS64: return {LiteralProto::k_s64s, LiteralCoding::kVarint};
    case ElementType::kU1: return {LiteralProto::k_u1s, kBytes};
    case ElementType::kU2: return {LiteralProto::k_u2s, kBytes};
    case ElementType::kU4: return {LiteralProto::k_u4s, kBytes};
    case ElementType::kU8: return {LiteralProto::k_u8s, kBytes};
    case ElementType::kU16: return {LiteralProto::k_u16s, kBytes};
    case ElementType::kU32: return {LiteralProto::k_u32s, LiteralCoding::kVarint};
    case ElementType::kU64: return {LiteralProto::k_u64s, LiteralCoding::kVarint};
    case ElementType::kF4E2M1FN: return {LiteralProto::k_f4e2m1fns, kBytes};
    case ElementType::kF6E2M3FN: return {LiteralProto::k_f6e2m3fns, kBytes};
    case ElementType::kF6E3M2FN: return {LiteralProto::k_f6e3m2fns, kBytes};
    case ElementType::kF8E3M4: return {LiteralProto::k_f8e3m4s, kBytes};
    case ElementType::kF8E4M3: return {LiteralProto::k_f8e4m3s, kBytes};
    case ElementType::kF8E4M3FN: return {LiteralProto::k_f8e4m3fns, kBytes};
    case ElementType::kF8E4M3B11FNUZ: return {LiteralProto::k_f8e4m3b11fnuzs, kBytes};
    case ElementType::kF8E4M3FNUZ: return {LiteralProto::k_f8e4m3fnuzs, kBytes};
    case ElementType::kF8E5M2: return {LiteralProto::k_f8e5m2s, kBytes};
    case ElementType::kF8E5M2FNUZ: return {LiteralProto::k_f8e5m2fnuzs, kBytes};
    case ElementType::kF8E8M0FNU: return {LiteralProto::k_f8e8m0fnus, kBytes};
    case ElementType::kF16: return {LiteralProto::k_f16s, kBytes};
    case ElementType::kBF16: return {LiteralProto::k_bf16s, kBytes};
    case ElementType::kF32: return {LiteralProto::k_f32s, LiteralCoding::kFixed, 4};
    case ElementType::kF64: return {LiteralProto::k_f64s, LiteralCoding::kFixed, 8};
    case ElementType::kC64: return {LiteralProto::k_c64s, LiteralCoding::kFixed, 4};
    case ElementType::kC128: return {LiteralProto::k_c128s, LiteralCoding::kFixed, 8};
    default: return {};
  }
}

}  // namespace halo
