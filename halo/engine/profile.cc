// Computes rows from step times, and measures the machine's limits.
#include "halo/engine/profile.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <set>
#include <tuple>

#include "halo/base/containers/aligned_block.h"
#include "halo/codegen/library/products/matrix_product.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

constexpr int64_t kCopiedBytes = int64_t{64} << 20;
constexpr int64_t kMatrixSize = 1024;
constexpr int kTries = 3;

double BestSeconds(const std::function<void()>& work) {
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (i == 0 || took.count() < best) best = took.count();
  }
  return best;
}

int64_t TouchedBytes(const Step& step) {
  std::set<std::tuple<uint32_t, int64_t>> seen;
  int64_t bytes = 0;
  for (const BufferRef& buffer : step.buffers) {
    if (seen.emplace(buffer.allocation, buffer.offset).second) bytes += buffer.bytes;
  }
  return bytes;
}

}  // namespace

std::vector<ProfileRow> ProfileOf(const Module& module, const Executable& plan,
                                  const StepTimes& times) {
  std::vector<ProfileRow> rows;
  for (size_t b = 0; b < plan.blocks.size(); ++b) {
    for (size_t s = 0; s < plan.blocks[b].steps.size(); ++s) {
      const Step& step = plan.blocks[b].steps[s];
      if (!step.blocks.empty() || times.runs[b][s] == 0) continue;
      const Inst& inst = module.inst(step.inst);
      ProfileRow& row = rows.emplace_back();
      row.instruction = module.name_of(inst);
      row.opcode = module.opcode_text(inst);
      row.scope = module.MetadataText(inst, AttrKey::k_op_name);
      row.kind = TextOf(step.kind);
      if (step.library != nullptr) row.by = step.library->Text();
      if (!step.calls.empty()) row.by = step.calls.front().symbol;
      row.visits = times.runs[b][s];
      row.seconds = times.seconds[b][s];
      row.bytes = TouchedBytes(step) * row.visits;
      if (step.library != nullptr) {
        row.flops = step.library->flops() * static_cast<double>(row.visits);
      }
    }
  }
  std::ranges::sort(rows, std::ranges::greater(), &ProfileRow::seconds);
  return rows;
}

MachineLimits MeasureLimits() {
  MachineLimits limits;
  const AlignedBlock from(kCopiedBytes);
  const AlignedBlock to(kCopiedBytes);
  if (from.data() == nullptr || to.data() == nullptr) return limits;
  std::memset(from.data(), 1, kCopiedBytes);
  const double copy = BestSeconds([&] {
    TeamFor(kCopiedBytes, 1 << 20, [&](int64_t begin, int64_t end) {
      std::memcpy(to.data() + begin, from.data() + begin, static_cast<size_t>(end - begin));
    });
  });
  limits.copy_bytes_per_second = 2.0 * static_cast<double>(kCopiedBytes) / copy;
  auto* a = reinterpret_cast<float*>(from.data());
  auto* c = reinterpret_cast<float*>(to.data());
  std::fill_n(a, kMatrixSize * kMatrixSize * 2, 1.0F);
  const double product = BestSeconds([&] {
    MultiplyMatrices(kMatrixSize, kMatrixSize, kMatrixSize, a, a + kMatrixSize * kMatrixSize, c);
  });
  limits.f32_flops_per_second =
      2.0 * static_cast<double>(kMatrixSize * kMatrixSize * kMatrixSize) / product;
  return limits;
}

}  // namespace halo
