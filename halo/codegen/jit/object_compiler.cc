// The pass list is short. Kernels arrive as clean loops, so only inlining, cleanup and
// vectorization pay off; measured, the whole -O2 pipeline takes longer and gains nothing.
#include "halo/codegen/jit/object_compiler.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <optional>
#include <utility>
#include <vector>

#include "halo/codegen/ir/ir_function.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

constexpr const char* kPasses =
    "always-inline,globaldce,"
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,loop-simplify,lcssa,loop-mssa(licm),"
    "loop-vectorize,"
    "early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";
constexpr const char* kNeededPasses = "always-inline,globaldce";
// For functions that are inlined only after vectorization.
constexpr const char* kLatePasses =
    "always-inline,globaldce,function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";
// For a loop of several kernels. Short loops are unrolled after vectorization, so that sums are
// added in the order of the kernels by themselves.
constexpr const char* kInliningPasses =
    "always-inline,globaldce,"
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa)";
constexpr const char* kWholePasses =
    "function(loop-simplify,lcssa,loop-mssa(licm),loop-vectorize,"
    "early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop(loop-unroll-full),sroa,"
    "early-cse<memssa>,gvn,instcombine<no-verify-fixpoint>,loop-mssa(licm),dse,simplifycfg)";

struct Host {
  std::string cpu;
  std::string features;
  std::string triple;
};

// The CPU of this machine, or the one that HALO_MAX_ISA limits it to.
const Host& TheHost() {
  static const Host kHost = [] {
    const std::string triple = llvm::sys::getProcessTriple();
    if (!MayUseNewestExtensions()) {
      const bool is_avx512 = BestCpuLevel() == CpuLevel::kAvx512;
      if (is_avx512) return Host{"x86-64-v4", "+avx512vnni", triple};
      if (BestCpuLevel() == CpuLevel::kAvx2) return Host{"x86-64-v3", "", triple};
    }
    llvm::SubtargetFeatures features;
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      features.AddFeature(feature.getKey(), feature.getValue());
    }
    return Host{llvm::sys::getHostCPUName().str(), features.getString(), triple};
  }();
  return kHost;
}

std::unique_ptr<llvm::TargetMachine> MakeMachine(bool optimizes) {
  const Host& host = TheHost();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  if (target == nullptr) return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      host.triple, host.cpu, host.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      llvm::CodeModel::Small,
      optimizes ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None, /*JIT=*/true));
}

Diagnostic BrokenUnit(const JitUnit& unit, std::string_view why) {
  return MakeBinaryDiagnostic(diag::kCannotEvaluate, 0,
                              "generated code for " +
                                  (unit.symbols.empty() ? unit.key : unit.symbols.front()) +
                                  " is refused: " + std::string(why));
}

void SetAttributes(llvm::Module& module) {
  const Host& host = TheHost();
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", host.cpu);
    function.addFnAttr("target-features", host.features);
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("no-trapping-math", "true");
    function.setDoesNotThrow();
  }
}

// Unrolls the loops that ask for it in their metadata, and no others.
void UnrollWhereStated(llvm::Module& module, llvm::ModuleAnalysisManager& modules) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/true)));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::createModuleToFunctionPassAdaptor(std::move(passes)).run(module, modules);
}

// Leaves out strength reduction, which rewrites the addresses in loops: it takes up to a fifth of
// the backend's time, and most vector loops are as fast with the CPU's addressing modes.
class PassGate : public llvm::OptPassGate {
 public:
  bool reduces_strength = true;
  bool shouldRunPass(llvm::StringRef name, llvm::StringRef /*description*/) override {
    return name != "Loop Strength Reduction";
  }
  [[nodiscard]] bool isEnabled() const override { return !reduces_strength; }
};

bool HasVectorLoop(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) {
      llvm::MDNode* hints = block.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop);
      if (llvm::findOptionMDForLoopID(hints, "llvm.loop.isvectorized") != nullptr) return true;
    }
  }
  return false;
}

}  // namespace

// What is made once and serves every unit. Units share a context, too: the backend's passes may
// keep what belongs to it.
struct ObjectCompiler::Session {
  explicit Session(bool is_optimizing)
      : optimizes(is_optimizing), machine(MakeMachine(is_optimizing)), stream(bytes) {
    context.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo* info, void* out) {
          if (info->getSeverity() != llvm::DS_Error) return;
          llvm::raw_string_ostream text(*static_cast<std::string*>(out));
          llvm::DiagnosticPrinterRawOStream printer(text);
          info->print(printer);
        },
        &complaint);
    context.setOptPassGate(gate);
    if (machine == nullptr) return;
    llvm::PipelineTuningOptions tuning;
    tuning.SLPVectorization = false;
    builder.emplace(machine.get(), tuning);
    builder->registerModuleAnalyses(modules);
    builder->registerCGSCCAnalyses(calls);
    builder->registerFunctionAnalyses(functions);
    builder->registerLoopAnalyses(loops);
    builder->crossRegisterProxies(loops, functions, calls, modules);
    writes_objects =
        !machine->addPassesToEmitFile(backend, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  }

  void Run(const char* pipeline, llvm::Module& module) {
    llvm::ModulePassManager passes;
    llvm::cantFail(builder->parsePassPipeline(passes, pipeline));
    passes.run(module, modules);
  }
  void Optimize(const JitUnit& unit, llvm::Module& module) {
    if (!optimizes) {
      Run(kNeededPasses, module);
    } else if (unit.annotate) {
      Run(kInliningPasses, module);
      unit.annotate(module, functions);
      UnrollWhereStated(module, modules);
      Run(kWholePasses, module);
    } else {
      Run(kPasses, module);
    }
    if (InlineWidened(module)) {
      modules.clear();
      Run(optimizes ? kLatePasses : kNeededPasses, module);
    }
    // What was found out about this module must not be taken for a later one's.
    modules.clear();
    calls.clear();
    functions.clear();
    loops.clear();
  }

  bool optimizes;
  std::string complaint;
  PassGate gate;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  std::optional<llvm::PassBuilder> builder;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream;
  llvm::legacy::PassManager backend;
  bool writes_objects = false;
};

ObjectCompiler::ObjectCompiler(bool optimizes) : session_(std::make_unique<Session>(optimizes)) {}
ObjectCompiler::~ObjectCompiler() = default;

Result<std::unique_ptr<llvm::MemoryBuffer>> ObjectCompiler::Compile(const JitUnit& unit) {
  Session& session = *session_;
  if (session.machine == nullptr) return BrokenUnit(unit, "LLVM has no backend for this CPU");
  if (!session.writes_objects) return BrokenUnit(unit, "LLVM cannot write objects for this CPU");
  session.complaint.clear();
  session.bytes.clear();
  llvm::Module module("halo", session.context);
  module.setTargetTriple(TheHost().triple);
  module.setDataLayout(session.machine->createDataLayout());
  unit.emit(module);
  SetAttributes(module);
  llvm::raw_string_ostream findings(session.complaint);
  if (llvm::verifyModule(module, &findings)) return BrokenUnit(unit, findings.str());
  session.Optimize(unit, module);
  session.gate.reduces_strength = !unit.is_brief || !HasVectorLoop(module);
  session.backend.run(module);
  if (!session.complaint.empty()) return BrokenUnit(unit, session.complaint);
  return llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(session.bytes.data(), session.bytes.size()));
}

std::string CompilerText(bool optimizes) {
  const Host& host = TheHost();
  return host.triple + '\n' + host.cpu + '\n' + host.features + "\nLLVM " + LLVM_VERSION_STRING +
         '\n' + (optimizes ? kPasses : kNeededPasses) + '\n' + kLatePasses + '\n' +
         kInliningPasses + '\n' + kWholePasses;
}

}  // namespace halo
