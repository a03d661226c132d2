// How a kernel is executed: functions that are called one after the other, each over a range of
// iterations, and the code of each function. Every kernel form (loop, row, column, ...) produces
// such a schedule; lower_kernel.cc selects one and returns its functions.
#ifndef HALO_CODEGEN_KERNEL_KERNEL_SCHEDULE_H_
#define HALO_CODEGEN_KERNEL_KERNEL_SCHEDULE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halo/codegen/ir/index_expr.h"
#include "halo/codegen/ir/loop_ir.h"
#include "halo/codegen/kernel/element_emitter.h"
#include "halo/codegen/kernel/kernel_body.h"

namespace llvm {
class Function;
class IRBuilderBase;
class Module;
}  // namespace llvm

namespace halo {

// A function being emitted.
struct KernelFrame {
  llvm::IRBuilderBase& b;
  IndexSpace& space;
  LoopMemory& memory;
  ElementEmitter& emitter;
  llvm::Value* begin;  // the range of iterations
  llvm::Value* end;

  [[nodiscard]] llvm::Value* Number(int64_t value) const;
  // The end of a range of `length` that begins at `from`, capped at `limit`.
  [[nodiscard]] llvm::Value* EndOf(llvm::Value* from, int64_t length, llvm::Value* limit) const;
  // The address of the temporary memory; only for schedules that request some.
  [[nodiscard]] llvm::Value* Temp() const;
  // A local buffer of the function: `count` elements of a stored type.
  [[nodiscard]] llvm::Value* Local(llvm::Type* type, int64_t count) const;
};

using KernelCode = std::function<void(KernelFrame& frame)>;

struct KernelPart {
  int64_t iterations = 1;
  int64_t grain = 1;
  KernelCode code;
  int64_t copied_from = -1;  // see KernelCall
  int64_t copied_to = -1;
};

struct KernelSchedule {
  std::vector<KernelPart> parts;
  int64_t temp_bytes = 0;
};

using BodyPtr = std::shared_ptr<const KernelBody>;

// Emits one function. Returns false and sets `why` on failure. `log`: see IndexSpace.
bool WriteFunction(llvm::Module& module, const std::string& symbol, const KernelBody& body,
                   const KernelCode& code, std::string& why, std::vector<IndexExpr>* log = nullptr);
// Emits it into a temporary module that is discarded. `emitted` is increased by the number of its
// instructions.
bool TryFunction(const KernelBody& body, const KernelCode& code, std::string& why,
                 std::vector<IndexExpr>* log = nullptr, int64_t* emitted = nullptr);

// One lowering per kernel form. Returns nullopt, and may set `why`, if the
// kernel does not have the form.
std::optional<KernelSchedule> LowerLoop(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerUpdate(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerRow(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerColumn(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerScan(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerScatter(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerSelectAndScatter(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerSort(const BodyPtr& body, std::string& why);

// Copies an array unless source and target are the same memory.
KernelPart CopyPart(const BodyPtr& body, uint32_t from, uint32_t to);

}  // namespace halo

#endif  // HALO_CODEGEN_KERNEL_KERNEL_SCHEDULE_H_
