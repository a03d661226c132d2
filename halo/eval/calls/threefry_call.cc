// JAX's cuda_threefry2x32: the cipher behind JAX's random numbers. It encrypts one block per pair
// of counter words, with one key per block.
#include <cstdint>
#include <span>

#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/eval/lanes/random_bits.h"

namespace halo {
namespace {

// Operands: first and second words of the keys, first and second words of the counters. A key word
// may be a single element that applies to all blocks.
Result<Value> ThreefryCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 4)) return *std::move(bad);
  for (size_t i = 0; i < 4; ++i) {
    if (cx.array(i).type() != ElementType::kU32) return BadCall(cx, "takes u32 arrays only");
  }
  const std::span<const uint32_t> first = cx.array(2).as<uint32_t>();
  const std::span<const uint32_t> second = cx.array(3).as<uint32_t>();
  const std::span<const uint32_t> key0 = cx.array(0).as<uint32_t>();
  const std::span<const uint32_t> key1 = cx.array(1).as<uint32_t>();
  const size_t count = first.size();
  const bool one_key = key0.size() == 1;
  if (second.size() != count || key1.size() != key0.size() || (!one_key && key0.size() != count)) {
    return BadCall(cx, "its keys and counters differ in size");
  }
  if (auto spent = cx.Spend(cx.array(2).count())) return *std::move(spent);
  Array out0 = cx.Make(ElementType::kU32, cx.array(2).dims());
  Array out1 = cx.Make(ElementType::kU32, cx.array(2).dims());
  const std::span<uint32_t> words0 = out0.Mutable<uint32_t>();
  const std::span<uint32_t> words1 = out1.Mutable<uint32_t>();
  for (size_t i = 0; i < count; ++i) {
    const size_t key = one_key ? 0 : i;
    const auto block = Threefry({first[i], second[i]}, {key0[key], key1[key]});
    words0[i] = block[0];
    words1[i] = block[1];
  }
  return FinishCall(cx, {out0, out1});
}

}  // namespace

void RegisterRandom(CustomCallRegistry& registry) {
  for (const char* target : {"cuda_threefry2x32", "hip_threefry2x32", "cu_threefry2x32_ffi",
                             "hip_threefry2x32_ffi", "cu_threefry2x32"}) {
    registry.Register(target, ThreefryCall);
  }
}

}  // namespace halo
