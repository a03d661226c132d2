// Collects blocks and streams them out.
#include "halo/codegen/forms/stream_out.h"

#include <llvm/IR/IRBuilder.h>

#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

constexpr int64_t kLarge = int64_t{1} << 25;
constexpr int64_t kLine = 64;
// Measured with two threads: one page at a time, an addition reaches 66 to 85 % of the throughput
// with four pages.
constexpr int64_t kPages = 4;
constexpr int64_t kPage = 1024;  // elements

}  // namespace

bool IsStreamed(const KernelBody& body, std::span<const size_t> roots, size_t inner_dim) {
  int64_t bytes = 0;
  for (const size_t k : roots) {
    const ArrayView& view = body.result(k);
    if (inner_dim >= view.strides.size() || view.strides[inner_dim] != 1) return false;
    bytes += view.bytes();
  }
  return bytes >= kLarge;
}

void EachStreamBlock(KernelFrame& frame, llvm::Value* from, llvm::Value* to, bool whole,
                     const std::function<void(llvm::Value* first, llvm::Value* count)>& body) {
  llvm::IRBuilderBase& b = frame.b;
  const auto number = [&](int64_t value) { return frame.Number(value); };
  llvm::Value* length = b.CreateNSWSub(to, from);
  // End of the part that consists of whole groups of pages.
  llvm::Value* turning = b.CreateAnd(length, number(-kPages * kPage));
  EmitLoop(b, number(0), length, kStreamBlock, {}, frame.memory, {},
           [&](llvm::Value* at, const Values&) {
             llvm::Value* group = b.CreateAnd(at, number(-kPages * kPage));
             llvm::Value* turn = b.CreateUDiv(b.CreateSub(at, group), number(kStreamBlock));
             llvm::Value* page = b.CreateNSWMul(b.CreateURem(turn, number(kPages)), number(kPage));
             llvm::Value* inside =
                 b.CreateNSWMul(b.CreateUDiv(turn, number(kPages)), number(kStreamBlock));
             llvm::Value* turned = b.CreateNSWAdd(group, b.CreateNSWAdd(page, inside));
             llvm::Value* position = b.CreateSelect(b.CreateICmpSLT(at, turning), turned, at);
             llvm::Value* count = number(kStreamBlock);
             if (!whole) {
               count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count,
                                               b.CreateNSWSub(length, position));
             }
             body(b.CreateNSWAdd(from, position), count);
             return Values();
           });
}

StreamOut::StreamOut(KernelFrame& frame, const std::vector<size_t>& roots, int64_t block)
    : frame_(frame) {
  const KernelBody& body = frame.emitter.body();
  for (const size_t k : roots) {
    llvm::Type* stored = StoredType(frame.b.getContext(), body.result(k).type);
    results_[body.result_leaf(k)] = {frame.Local(stored, block), {}};
  }
  frame.emitter.SetStorer([this](uint32_t leaf, const IndexExpr& offset, llvm::Value* computed) {
    const auto found = results_.find(leaf);
    if (found == results_.end() || position_ == nullptr) return false;
    found->second.offset = offset;
    frame_.emitter.Store(frame_.emitter.body().buffers[leaf].type, found->second.memory, position_,
                         computed);
    return true;
  });
}

StreamOut::~StreamOut() {
  frame_.emitter.SetStorer({});
  // Streamed stores must be visible to other threads before they learn that the work is done.
  frame_.b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
}

void StreamOut::At(llvm::Value* i) { position_ = i; }

void StreamOut::Write(llvm::Value* count) {
  position_ = nullptr;
  for (const auto& [leaf, collected] : results_) {
    const ArrayView& view = frame_.emitter.body().buffers[leaf];
    llvm::Type* stored = StoredType(frame_.b.getContext(), view.type);
    llvm::Value* to = frame_.b.CreateInBoundsGEP(stored, frame_.emitter.base(leaf),
                                                 frame_.space.Emit(frame_.b, collected.offset));
    Copy(to, collected.memory,
         frame_.b.CreateNSWMul(count, frame_.Number(static_cast<int64_t>(StoredBytes(view.type)))));
  }
}

void StreamOut::Copy(llvm::Value* to, llvm::Value* from, llvm::Value* bytes) {
  llvm::IRBuilderBase& b = frame_.b;
  llvm::Value* misaligned =
      b.CreateAnd(b.CreatePtrToInt(to, b.getInt64Ty()), frame_.Number(kLine - 1));
  const auto copy = [&](llvm::Value* at) {
    auto* line = llvm::FixedVectorType::get(b.getInt64Ty(), 8);
    llvm::Value* value =
        b.CreateAlignedLoad(line, b.CreateInBoundsGEP(b.getInt8Ty(), from, at), llvm::Align(kLine));
    llvm::StoreInst* store =
        b.CreateAlignedStore(value, b.CreateInBoundsGEP(b.getInt8Ty(), to, at), llvm::Align(kLine));
    store->setMetadata(
        llvm::LLVMContext::MD_nontemporal,
        llvm::MDNode::get(b.getContext(), llvm::ConstantAsMetadata::get(b.getInt32(1))));
  };
  llvm::Value* aligned = b.CreateICmpEQ(misaligned, frame_.Number(0));
  llvm::Value* whole =
      b.CreateSelect(aligned, b.CreateAnd(bytes, frame_.Number(-kLine)), frame_.Number(0));
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(bytes);
  EmitIf(b, b.CreateICmpSGT(whole, frame_.Number(0)), [&] {
    if (constant == nullptr) {
      EmitLoop(b, frame_.Number(0), whole, kLine, {}, frame_.memory, {},
               [&](llvm::Value* at, const Values&) {
                 copy(at);
                 return Values();
               });
      return;
    }
    for (int64_t at = 0; at + kLine <= constant->getSExtValue(); at += kLine) {
      copy(frame_.Number(at));
    }
  });
  llvm::Value* rest = b.CreateSub(bytes, whole);
  EmitIf(b, b.CreateICmpSGT(rest, frame_.Number(0)), [&] {
    b.CreateMemCpy(b.CreateInBoundsGEP(b.getInt8Ty(), to, whole), llvm::Align(1),
                   b.CreateInBoundsGEP(b.getInt8Ty(), from, whole), llvm::Align(1), rest);
  });
}

}  // namespace halo
