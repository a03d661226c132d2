// Results too large for the caches, written past them: a block at a time is collected in memory of
// the function's own and then stored without first reading what is overwritten.
#ifndef HALO_CODEGEN_FORMS_STREAM_OUT_H_
#define HALO_CODEGEN_FORMS_STREAM_OUT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "halo/codegen/kernel/kernel_schedule.h"

namespace halo {

// Whether the results are so large, and lie along this dimension.
bool IsStreamed(const KernelBody& body, std::span<const size_t> roots, size_t inner_dim);

// Elements that are collected before they are streamed out: few, so that reading goes on meanwhile.
inline constexpr int64_t kStreamBlock = 128;

// Runs `body` for all blocks of [from, to), in the order in which memory gives and takes most: a
// block of each of several pages in turn. `whole`: all are of kStreamBlock elements.
void EachStreamBlock(KernelFrame& frame, llvm::Value* from, llvm::Value* to, bool whole,
                     const std::function<void(llvm::Value* first, llvm::Value* count)>& body);

class StreamOut {
 public:
  // For blocks of so many neighbouring elements of these results, at most.
  StreamOut(KernelFrame& frame, const std::vector<size_t>& roots, int64_t block = kStreamBlock);
  ~StreamOut();
  StreamOut(const StreamOut&) = delete;
  StreamOut& operator=(const StreamOut&) = delete;

  // Inside the loop over a block: what is stored next is the block's element `i`.
  void At(llvm::Value* i);
  // Behind it, with the loops' variables back at the block's first element: `count` of them.
  void Write(llvm::Value* count);

 private:
  struct Collected {
    llvm::Value* memory;
    IndexExpr offset;
  };

  void Copy(llvm::Value* to, llvm::Value* from, llvm::Value* bytes);

  KernelFrame& frame_;
  std::map<uint32_t, Collected> results_;  // by leaf
  llvm::Value* place_ = nullptr;
};

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_STREAM_OUT_H_
