// Collectives of a device that runs alone, which is how this engine runs a module: the groups of an
// all-reduce shrink to the one device, whose sum is what it brought.
#include <cstring>
#include <utility>

#include "halo/codegen/lib_ops.h"
#include "halo/codegen/lib_shapes.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

constexpr int64_t kGrain = 128 << 10;  // bytes worth a thread

class AloneOp : public LibraryOp {
 public:
  explicit AloneOp(std::vector<int64_t> bytes) : bytes_(std::move(bytes)) {}

  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* /*scratch*/) override {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      const auto* from = static_cast<const uint8_t*>(buffers[i]);
      auto* to = static_cast<uint8_t*>(buffers[bytes_.size() + i]);
      if (from == to) continue;
      TeamFor(bytes_[i], kGrain, [&](int64_t begin, int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
      });
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string Text() const override { return "alone: a copy"; }

 private:
  std::vector<int64_t> bytes_;  // of each operand
};

}  // namespace

std::unique_ptr<LibraryOp> MakeAloneOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const std::optional<std::vector<Placed>> operands = OperandPlaces(module, inst);
  const std::optional<std::vector<Placed>> results = ResultPlaces(module, inst);
  if (!operands || !results || operands->size() != results->size()) return nullptr;
  std::vector<int64_t> bytes;
  for (size_t i = 0; i < operands->size(); ++i) {
    const Placed& from = (*operands)[i];
    const Placed& to = (*results)[i];
    if (from.type != to.type || from.dims != to.dims || from.strides != to.strides) return nullptr;
    bytes.push_back(from.bytes());
  }
  return std::make_unique<AloneOp>(std::move(bytes));
}

}  // namespace halo
