// The kernels are emitted as functions that are inlined into the loop. Which of their buffers are
// the same memory and which are disjoint is known when the program is compiled, and is stated as
// metadata once the addresses are known.
#include "halo/codegen/whole_loop.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "halo/codegen/kernel/kernel_key.h"

namespace halo {
namespace {

// Beyond these, the dispatch of steps costs little beside the steps.
constexpr size_t kMostParts = 24;
constexpr int64_t kMostEmitted = 4000;
// Of one iteration, in shares of what is worth another thread.
constexpr double kMostWork = 1.0;
constexpr int64_t kMostCopied = 4096;
// A kernel that is called more than once is inlined up to this size.
constexpr int64_t kMostInlined = 150;

bool IsSame(const BufferRef& a, const BufferRef& b) {
  return a.allocation == b.allocation && a.offset == b.offset;
}

bool IsDisjoint(const BufferRef& a, const BufferRef& b) {
  return a.allocation != b.allocation || a.offset + a.bytes <= b.offset ||
         b.offset + b.bytes <= a.offset;
}

bool IsOmitted(const LoopPart& part, const KernelCall& call) {
  return call.copied_from >= 0 && IsSame(part.buffers[static_cast<size_t>(call.copied_from)],
                                         part.buffers[static_cast<size_t>(call.copied_to)]);
}

// A part with its buffers as numbers of the loop's list.
struct PlacedPart {
  LoopPart part;
  std::vector<size_t> buffers;
};

struct LoopText {
  std::string symbol;
  std::vector<PlacedPart> condition, body;
  std::vector<BufferRef> buffers;   // distinct addresses; the first is the predicate
  std::map<std::string, int> uses;  // of each kernel's key
};

class BufferNumbers {
 public:
  explicit BufferNumbers(std::vector<BufferRef>& list) : list_(list) {}

  size_t Of(const BufferRef& buffer) {
    const auto [at, added] = numbers_.try_emplace({buffer.allocation, buffer.offset}, list_.size());
    if (added) {
      list_.push_back(buffer);
    } else {
      // Values of different sizes may take turns at one address.
      BufferRef& known = list_[at->second];
      known.bytes = std::max(known.bytes, buffer.bytes);
    }
    return at->second;
  }

 private:
  std::vector<BufferRef>& list_;
  std::map<std::pair<uint32_t, int64_t>, size_t> numbers_;
};

class LoopFunction {
 public:
  LoopFunction(llvm::Module& module, const LoopText& text)
      : module_(module), text_(text), b_(module.getContext()) {}

  void Emit() {
    for (const auto* parts : {&text_.condition, &text_.body}) {
      for (const PlacedPart& each : *parts) EmitKernel(each.part);
    }
    llvm::LLVMContext& context = module_.getContext();
    auto* type = llvm::FunctionType::get(b_.getVoidTy(),
                                         {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
    function_ =
        llvm::Function::Create(type, llvm::Function::ExternalLinkage, text_.symbol, module_);
    function_->addParamAttr(0, llvm::Attribute::NoAlias);
    function_->addParamAttr(0, llvm::Attribute::ReadOnly);
    b_.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function_));
    for (size_t i = 0; i < text_.buffers.size(); ++i) bases_.push_back(LoadAddress(i));
    llvm::Value* progress = LoadAddress(text_.buffers.size());
    llvm::BasicBlock* entry = b_.GetInsertBlock();
    llvm::BasicBlock* condition = llvm::BasicBlock::Create(context, "condition", function_);
    llvm::BasicBlock* body = llvm::BasicBlock::Create(context, "body", function_);
    llvm::BasicBlock* paused = llvm::BasicBlock::Create(context, "paused", function_);
    llvm::BasicBlock* done = llvm::BasicBlock::Create(context, "done", function_);
    b_.CreateBr(condition);
    b_.SetInsertPoint(condition);
    llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(function_->getArg(1), entry);
    for (const PlacedPart& each : text_.condition) EmitPart(each);
    llvm::Value* goes_on = b_.CreateLoad(b_.getInt8Ty(), bases_[0]);
    b_.CreateCondBr(b_.CreateICmpNE(goes_on, b_.getInt8(0)), body, done);
    b_.SetInsertPoint(body);
    for (const PlacedPart& each : text_.body) EmitPart(each);
    llvm::Value* next = b_.CreateNSWAdd(i, b_.getInt64(1));
    i->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, function_->getArg(2)), condition, paused);
    b_.SetInsertPoint(paused);
    EmitProgress(progress, next, false);
    b_.SetInsertPoint(done);
    EmitProgress(progress, i, true);
  }

 private:
  // The functions of a kernel, to be inlined.
  void EmitKernel(const LoopPart& part) {
    if (part.key.empty() || !emitted_.insert(part.key).second) return;
    part.emit(module_);
    const bool inlines = text_.uses.at(part.key) == 1 || part.emitted <= kMostInlined;
    for (const KernelCall& call : part.calls) {
      llvm::Function* function = module_.getFunction(call.symbol);
      function->setLinkage(llvm::Function::InternalLinkage);
      function->addFnAttr(inlines ? llvm::Attribute::AlwaysInline : llvm::Attribute::NoInline);
      // Here the list of addresses is a local variable, which is written once.
      for (llvm::Instruction& each : llvm::instructions(*function)) {
        each.setMetadata(llvm::LLVMContext::MD_invariant_load, nullptr);
      }
    }
  }

  llvm::Value* LoadAddress(size_t number) {
    llvm::Value* slot = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(0), number);
    llvm::LoadInst* base = b_.CreateLoad(b_.getPtrTy(), slot);
    base->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
    return base;
  }

  void EmitPart(const PlacedPart& each) {
    if (each.part.key.empty()) {
      return EmitCopy(bases_[each.buffers[0]], bases_[each.buffers[1]], each.part.buffers[1].bytes);
    }
    llvm::BasicBlock& entry = function_->getEntryBlock();
    llvm::IRBuilder<> first(entry.getTerminator());
    llvm::Value* list =
        first.CreateAlloca(llvm::ArrayType::get(first.getPtrTy(), each.buffers.size()));
    for (size_t k = 0; k < each.buffers.size(); ++k) {
      first.CreateStore(bases_[each.buffers[k]],
                        first.CreateConstInBoundsGEP1_64(first.getPtrTy(), list, k));
    }
    for (const KernelCall& call : each.part.calls) {
      if (IsOmitted(each.part, call)) continue;
      b_.CreateCall(module_.getFunction(call.symbol),
                    {list, b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(call.iterations))});
    }
  }

  // Few values are copied one by one, so that they can stay in registers.
  void EmitCopy(llvm::Value* from, llvm::Value* to, int64_t bytes) {
    constexpr int64_t kWord = 4;
    constexpr int64_t kMostWords = 16;
    if (from == to) return;
    if (bytes % kWord != 0 || bytes > kMostWords * kWord) {
      b_.CreateMemCpy(to, llvm::Align(1), from, llvm::Align(1), static_cast<uint64_t>(bytes));
      return;
    }
    for (int64_t at = 0; at < bytes; at += kWord) {
      const auto offset = static_cast<uint64_t>(at);
      llvm::Value* word = b_.CreateAlignedLoad(
          b_.getInt32Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), from, offset),
          llvm::Align(1));
      b_.CreateAlignedStore(word, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), to, offset),
                            llvm::Align(1));
    }
  }

  void EmitProgress(llvm::Value* progress, llvm::Value* iterations, bool is_done) {
    b_.CreateStore(iterations, progress);
    b_.CreateStore(b_.getInt64(is_done ? 1 : 0),
                   b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), progress, 1));
    b_.CreateRetVoid();
  }

  llvm::Module& module_;
  const LoopText& text_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_ = nullptr;
  std::vector<llvm::Value*> bases_;
  std::set<std::string> emitted_;
};

// States for each access which buffers it cannot touch.
class Disjointness {
 public:
  Disjointness(llvm::Function& function, const std::vector<BufferRef>& buffers)
      : function_(function) {
    llvm::LLVMContext& context = function.getContext();
    llvm::MDBuilder make(context);
    llvm::MDNode* domain = make.createAnonymousAliasScopeDomain();
    for (size_t i = 0; i <= buffers.size(); ++i) {
      scopes_.push_back(make.createAnonymousAliasScope(domain));
    }
    for (size_t i = 0; i <= buffers.size(); ++i) {
      std::vector<llvm::Metadata*> others;
      for (size_t k = 0; k <= buffers.size(); ++k) {
        // The last one is the progress.
        const bool either_is_progress = i == buffers.size() || k == buffers.size();
        if (i != k && (either_is_progress || IsDisjoint(buffers[i], buffers[k]))) {
          others.push_back(scopes_[k]);
        }
      }
      own_.push_back(llvm::MDNode::get(context, {scopes_[i]}));
      others_.push_back(llvm::MDNode::get(context, others));
    }
  }

  void State(llvm::Instruction& access) const {
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
    if (pointer == nullptr) return;
    const std::optional<size_t> number = NumberOf(llvm::getUnderlyingObject(pointer, 0));
    if (!number) return;
    // What was known before holds as well, but an access has one list of each kind.
    access.setMetadata(llvm::LLVMContext::MD_alias_scope, own_[*number]);
    access.setMetadata(llvm::LLVMContext::MD_noalias, others_[*number]);
  }

 private:
  // Of a buffer whose address was loaded from the function's list.
  [[nodiscard]] std::optional<size_t> NumberOf(const llvm::Value* base) const {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(base);
    if (load == nullptr) return std::nullopt;
    const llvm::DataLayout& layout = function_.getParent()->getDataLayout();
    llvm::APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
    const llvm::Value* list =
        load->getPointerOperand()->stripAndAccumulateInBoundsConstantOffsets(layout, offset);
    if (list != function_.getArg(0)) return std::nullopt;
    const uint64_t number = offset.getZExtValue() / sizeof(void*);
    return number < own_.size() ? std::optional<size_t>(number) : std::nullopt;
  }

  std::vector<llvm::Metadata*> scopes_;
  std::vector<llvm::MDNode*> own_, others_;
  llvm::Function& function_;
};

// Loops over a few elements, such as the axes of a point, become straight code. Sums keep their
// loops: how the vectorizer adds their terms must not depend on where the kernel is.
void AskForUnrolling(llvm::Function& function, LlvmAnalyses& analyses) {
  constexpr unsigned kMostTrips = 4;
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& trips = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const unsigned count = trips.getSmallConstantTripCount(loop);
    const auto phis = loop->getHeader()->phis();
    if (count == 0 || count > kMostTrips || std::next(phis.begin()) != phis.end()) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
  }
}

bool IsWorthIt(const LoopParts& parts) {
  if (parts.condition.size() + parts.body.size() > kMostParts || parts.body.empty()) return false;
  int64_t emitted = 0;
  double work = 0;
  for (const auto* list : {&parts.condition, &parts.body}) {
    for (const LoopPart& part : *list) {
      emitted += part.emitted;
      if (part.key.empty() && part.buffers[1].bytes > kMostCopied) return false;
      for (const KernelCall& call : part.calls) {
        if (IsOmitted(part, call)) continue;
        work += static_cast<double>(call.iterations) /
                static_cast<double>(std::max<int64_t>(call.grain, 1));
      }
    }
  }
  return emitted <= kMostEmitted && work <= kMostWork;
}

}  // namespace

std::optional<WholeLoop> MakeWholeLoop(const LoopParts& parts) {
  if (!IsWorthIt(parts)) return std::nullopt;
  auto text = std::make_shared<LoopText>();
  BufferNumbers numbers(text->buffers);
  numbers.Of(parts.predicate);
  std::string key = "loop 1\n";
  WholeLoop loop;
  const auto place = [&](const std::vector<LoopPart>& from, std::vector<PlacedPart>& to) {
    key += "steps\n";
    for (const LoopPart& part : from) {
      PlacedPart& placed = to.emplace_back(part);
      ++text->uses[part.key];
      loop.unit.size += part.emitted;
      key += part.key.empty() ? "copy " + std::to_string(part.buffers[1].bytes) : part.key;
      key += "\nat";
      for (const BufferRef& buffer : part.buffers) {
        placed.buffers.push_back(numbers.Of(buffer));
        key += ' ' + std::to_string(placed.buffers.back());
      }
      key += '\n';
    }
  };
  place(parts.condition, text->condition);
  place(parts.body, text->body);
  // Which buffers overlap decides about the code.
  for (const BufferRef& buffer : text->buffers) {
    key += std::to_string(buffer.allocation) + '+' + std::to_string(buffer.offset) + ':' +
           std::to_string(buffer.bytes) + '\n';
  }
  text->symbol = KeySymbol(key);
  loop.buffers = text->buffers;
  loop.buffers.push_back(parts.progress);
  loop.call.symbol = text->symbol;
  loop.unit.key = std::move(key);
  loop.unit.symbols = {text->symbol};
  loop.unit.emit = [text](llvm::Module& module) { LoopFunction(module, *text).Emit(); };
  loop.unit.annotate = [text](llvm::Module& module, LlvmAnalyses& analyses) {
    llvm::Function* function = module.getFunction(text->symbol);
    const Disjointness disjointness(*function, text->buffers);
    for (llvm::Instruction& each : llvm::instructions(*function)) disjointness.State(each);
    AskForUnrolling(*function, analyses);
  };
  return loop;
}

}  // namespace halo
