// The dot instruction.
#include <memory>
#include <utility>

#include "halo/codegen/library/dots/lib_dot_kernel.h"
#include "halo/codegen/library/lib_ops.h"

namespace halo {
namespace {

class DotOp : public LibraryOp {
 public:
  DotOp(DotKernel plan, std::string name) : plan_(std::move(plan)), name_(std::move(name)) {}

  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    if (plan_.Run(buffers[0], buffers[1], buffers[2], scratch)) return std::nullopt;
    return LibraryRefusal(name_, plan_.Text());
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return plan_.scratch_bytes(); }
  [[nodiscard]] double flops() const override { return plan_.flops(); }
  [[nodiscard]] std::string Text() const override { return plan_.Text(); }

 private:
  DotKernel plan_;
  std::string name_;
};

}  // namespace

std::unique_ptr<LibraryOp> MakeDotOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  if (!operands || operands->size() != 2 || !results || results->size() != 1) return nullptr;
  const auto list = [&](AttrKey key) {
    const std::span<const int64_t> ints = module.IntsOf(inst.attrs, key);
    return std::vector<int64_t>(ints.begin(), ints.end());
  };
  const DotDims dims = {list(AttrKey::k_lhs_batch_dims), list(AttrKey::k_rhs_batch_dims),
                        list(AttrKey::k_lhs_contracting_dims),
                        list(AttrKey::k_rhs_contracting_dims)};
  auto plan = DotKernel::Make((*operands)[0], (*operands)[1], (*results)[0], dims);
  if (!plan) return nullptr;
  return std::make_unique<DotOp>(*std::move(plan), std::string(module.name_of(inst)));
}

}  // namespace halo
