// Compiles units on all cores and links the objects into this process. The cache holds one object
// per unit, so that modules with a kernel in common share it.
#include "halo/codegen/jit/jit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "halo/base/build_id.h"
#include "halo/base/machine_cores.h"
#include "halo/codegen/ir/runtime_functions.h"
#include "halo/codegen/jit/object_cache.h"
#include "halo/codegen/jit/object_compiler.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

Diagnostic Broken(std::string message) {
  return MakeBinaryDiagnostic(diag::kCannotEvaluate, 0, std::move(message));
}
Diagnostic Broken(llvm::Error error) {
  return Broken("the code generator says: " + llvm::toString(std::move(error)));
}

// LLVM allocates with malloc and would abort; a program that handles failures of `new` handles
// these as well.
void OnNoMemory(void* /*data*/, const char* /*reason*/, bool /*wants_diagnostics*/) {
  if (const std::new_handler handler = std::get_new_handler()) handler();
}

void InitializeTarget() {
  static const bool done = [] {
    llvm::install_bad_alloc_error_handler(OnNoMemory);
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  static_cast<void>(done);
}

// The symbols generated code may call: C library functions by name, and our own.
llvm::Error AddSymbols(llvm::orc::LLJIT& jit) {
  llvm::orc::SymbolMap own;
  for (const RuntimeFunction& function : RuntimeFunctions()) {
    own[jit.mangleAndIntern(function.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  }
  if (llvm::Error error =
          jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(own)))) {
    return error;
  }
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit.getDataLayout().getGlobalPrefix());
  if (!process) return process.takeError();
  jit.getMainJITDylib().addGenerator(std::move(*process));
  return llvm::Error::success();
}

Result<std::unique_ptr<llvm::MemoryBuffer>> CopyOf(const std::string& object) {
  return llvm::MemoryBuffer::getMemBufferCopy(object);
}
std::string_view TextOf(const llvm::MemoryBuffer& object) {
  return {object.getBufferStart(), object.getBufferSize()};
}

class OrcJit : public Jit {
 public:
  OrcJit(JitOptions options, std::unique_ptr<llvm::orc::LLJIT> jit)
      : options_(std::move(options)),
        jit_(std::move(jit)),
        cache_(options_.cache_dir),
        // Another build may lower the same key differently.
        stamp_(std::string(BuildId()) + '\n' + CompilerText(options_.optimizes) + '\n') {}

  Result<JitCounts> Compile(std::span<const JitUnit> units) override {
    const auto start = std::chrono::steady_clock::now();
    JitCounts counts;
    std::vector<const JitUnit*> wanted;
    for (const JitUnit& unit : units) {
      if (known_.insert(unit.key).second) wanted.push_back(&unit);
    }
    // Whichever thread takes the last unit keeps the others waiting only briefly.
    std::ranges::sort(wanted, std::greater(), &JitUnit::size);
    counts.units = static_cast<int64_t>(wanted.size());
    counts.cache_problem = cache_.problem();
    std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects(wanted.size());
    if (std::optional<Diagnostic> error = MakeObjects(wanted, objects, counts)) {
      for (const JitUnit* unit : wanted) known_.erase(unit->key);
      return *error;
    }
    for (auto& object : objects) {
      if (llvm::Error error = jit_->addObjectFile(std::move(object))) {
        return Broken(std::move(error));
      }
    }
    for (const JitUnit* unit : wanted) {
      for (const std::string& symbol : unit->symbols) {
        auto address = jit_->lookup(symbol);
        if (!address) return Broken(address.takeError());
        functions_.emplace(symbol, address->toPtr<KernelFunction>());
      }
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    counts.seconds = passed.count();
    return counts;
  }

  [[nodiscard]] KernelFunction Find(std::string_view symbol) const override {
    const auto found = functions_.find(std::string(symbol));
    return found == functions_.end() ? nullptr : found->second;
  }

 private:
  std::optional<Diagnostic> MakeObjects(std::span<const JitUnit* const> units,
                                        std::span<std::unique_ptr<llvm::MemoryBuffer>> objects,
                                        JitCounts& counts) {
    const auto cores =
        static_cast<size_t>(options_.threads > 0 ? options_.threads : MachineCores());
    std::atomic<size_t> next = 0;
    std::atomic<int64_t> done = 0;
    std::mutex mutex;
    std::optional<Diagnostic> error;
    const auto work = [&] {
      ObjectCompiler compiler(options_.optimizes);
      for (size_t i = next++; i < units.size(); i = next++) {
        bool rejected = false;
        const std::string key = stamp_ + units[i]->key;
        std::optional<std::string> kept = cache_.Load(key, rejected);
        auto object = kept ? CopyOf(*kept) : compiler.Compile(*units[i]);
        if (object && !kept) cache_.Store(key, TextOf(**object));
        const std::scoped_lock lock(mutex);
        if (!object) {
          error = object.error();
          next = units.size();
          return;
        }
        objects[i] = std::move(*object);
        counts.compiled += kept ? 0 : 1;
        counts.rejected += rejected ? 1 : 0;
        if (options_.progress) options_.progress(++done, static_cast<int64_t>(units.size()));
      }
    };
    std::vector<std::thread> threads;
    for (size_t i = 1; i < std::min(cores, units.size()); ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (counts.compiled > 0) cache_.Trim();
    return error;
  }

  JitOptions options_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  ObjectCache cache_;
  std::string stamp_;
  std::unordered_set<std::string> known_;
  std::unordered_map<std::string, KernelFunction> functions_;
};

}  // namespace

Result<std::unique_ptr<Jit>> Jit::Create(JitOptions options) {
  InitializeTarget();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) return Broken(jit.takeError());
  if (llvm::Error error = AddSymbols(**jit)) return Broken(std::move(error));
  return std::unique_ptr<Jit>(std::make_unique<OrcJit>(std::move(options), std::move(*jit)));
}

}  // namespace halo
