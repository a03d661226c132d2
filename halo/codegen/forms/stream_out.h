// Writes results that exceed the caches with non-temporal stores. Each block is collected in a
// local buffer of the function and then stored without first reading the overwritten lines.
#ifndef HALO_CODEGEN_FORMS_STREAM_OUT_H_
#define HALO_CODEGEN_FORMS_STREAM_OUT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "halo/codegen/kernel/kernel_schedule.h"

namespace halo {

// True if the results are that large and contiguous along this dimension.
bool IsStreamed(const KernelBody& body, std::span<const size_t> roots, size_t inner_dim);

// Elements collected before they are streamed out. The block is small so that reads continue
// meanwhile.
inline constexpr int64_t kStreamBlock = 128;

// Runs `body` for all blocks of [from, to) in the order with the highest memory throughput: one
// block from each of several pages in turn. `whole`: every block has kStreamBlock elements.
void EachStreamBlock(KernelFrame& frame, llvm::Value* from, llvm::Value* to, bool whole,
                     const std::function<void(llvm::Value* first, llvm::Value* count)>& body);

class StreamOut {
 public:
  // For blocks of at most `block` contiguous elements of these results.
  StreamOut(KernelFrame& frame, const std::vector<size_t>& roots, int64_t block = kStreamBlock);
  ~StreamOut();
  StreamOut(const StreamOut&) = delete;
  StreamOut& operator=(const StreamOut&) = delete;

  // Inside the loop over a block: the next stores write element `i` of the block.
  void At(llvm::Value* i);
  // After the loop, with the loop variables reset to the first element of the block: writes `count`
  // elements.
  void Write(llvm::Value* count);

 private:
  struct Collected {
    llvm::Value* memory;
    IndexExpr offset;
  };

  void Copy(llvm::Value* to, llvm::Value* from, llvm::Value* bytes);

  KernelFrame& frame_;
  std::map<uint32_t, Collected> results_;  // by leaf
  llvm::Value* position_ = nullptr;
};

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_STREAM_OUT_H_
