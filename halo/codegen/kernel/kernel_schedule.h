// How a kernel is carried out: functions that are called one after the other, each over a range of
// iterations, and the code each of them consists of. Every form of kernel (loop, row, column, ...)
// makes such a plan; lower_kernel.cc chooses among them and hands out the functions.
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

// A function while it is written.
struct KernelFrame {
  llvm::IRBuilderBase& b;
  IndexSpace& space;
  LoopMemory& memory;
  ElementEmitter& emitter;
  llvm::Value* begin;  // of the iterations
  llvm::Value* end;

  [[nodiscard]] llvm::Value* Number(int64_t value) const;
  // Of a stretch of this length; the last one of all ends at the limit.
  [[nodiscard]] llvm::Value* EndOf(llvm::Value* from, int64_t length, llvm::Value* limit) const;
  // The address of the temporary memory; only for plans that ask for some.
  [[nodiscard]] llvm::Value* Temp() const;
  // Memory of the function's own, of so many elements of a type as it is stored.
  [[nodiscard]] llvm::Value* Local(llvm::Type* type, int64_t count) const;
};

using KernelCode = std::function<void(KernelFrame& frame)>;

struct KernelPart {
  int64_t iterations = 1;
  int64_t grain = 1;
  KernelCode code;
};

struct KernelSchedule {
  std::vector<KernelPart> parts;
  int64_t temp_bytes = 0;
};

using BodyPtr = std::shared_ptr<const KernelBody>;

// Writes one function; false and `why` if it cannot be. `log`: see IndexSpace.
bool WriteFunction(llvm::Module& module, const std::string& symbol, const KernelBody& body,
                   const KernelCode& code, std::string& why, std::vector<IndexExpr>* log = nullptr);
// Writes it for nobody.
bool TryFunction(const KernelBody& body, const KernelCode& code, std::string& why,
                 std::vector<IndexExpr>* log = nullptr);

// Plans, most special first. Nothing, and perhaps `why`, if the form is another.
std::optional<KernelSchedule> LowerLoop(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerUpdate(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerRow(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerColumn(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerScan(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerScatter(const BodyPtr& body, std::string& why);
std::optional<KernelSchedule> LowerSelectAndScatter(const BodyPtr& body, std::string& why);

// Copies an array where the two do not lie at the same place.
KernelPart CopyPart(const BodyPtr& body, uint32_t from, uint32_t to);

}  // namespace halo

#endif  // HALO_CODEGEN_KERNEL_KERNEL_SCHEDULE_H_
