// Functions with vector definitions: the vectorizer uses those, the loop remainder uses the scalar
// definition, and no call remains.
#include "halo/codegen/ir/ir_function.h"

#include <array>
#include <llvm/IR/Module.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/ir/loop_ir.h"
#include "halo/codegen/jit/jit.h"

namespace halo {
namespace {

// Adds one, or two in the vector definition.
llvm::Value* Raised(llvm::IRBuilderBase& b, llvm::Value* x) {
  const auto add = [](double by) {
    return [by](llvm::IRBuilderBase& in, llvm::ArrayRef<llvm::Value*> arguments) {
      return in.CreateFAdd(arguments[0], llvm::ConstantFP::get(arguments[0]->getType(), by));
    };
  };
  return CallWidened(b, "raised", x->getType(), {x}, add(1), {8, 16}, add(2));
}

JitUnit RaiseAll(const std::string& name, int width) {
  return {name, {name}, [name, width](llvm::Module& module) {
            llvm::IRBuilder<> b(module.getContext());
            auto* type = llvm::FunctionType::get(
                b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}, false);
            llvm::Function* function =
                llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
            b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", function));
            llvm::Value* base = b.CreateLoad(b.getPtrTy(), function->getArg(0));
            LoopMemory memory;
            EmitLoop(b, function->getArg(1), function->getArg(2), 1, {width, 1, true}, memory, {},
                     [&](llvm::Value* i, const Values&) {
                       llvm::Value* at = b.CreateInBoundsGEP(b.getFloatTy(), base, i);
                       llvm::LoadInst* x = b.CreateLoad(b.getFloatTy(), at);
                       memory.Mark(x);
                       memory.Mark(b.CreateStore(Raised(b, x), at));
                       return Values();
                     });
            b.CreateRetVoid();
          }};
}

TEST(IrFunctionTest, VectorsHaveTheirOwnDefinition) {
  auto jit = Jit::Create({});
  ASSERT_TRUE(jit.ok());
  const std::vector<JitUnit> units = {RaiseAll("by_sixteen", 16), RaiseAll("by_eight", 8),
                                      RaiseAll("by_one", 0)};
  const auto counts = (*jit)->Compile(units);
  ASSERT_TRUE(counts.ok()) << counts.error().message;
  const auto raised = [&](const std::string& name) {
    std::array<float, 37> values{};
    const std::array<void*, 1> buffers = {values.data()};
    (*jit)->Find(name)(buffers.data(), 0, values.size());
    return std::vector<float>(values.begin(), values.end());
  };
  for (const auto& [name, vectors] : std::vector<std::pair<std::string, size_t>>{
           {"by_sixteen", 32}, {"by_eight", 32}, {"by_one", 0}}) {
    const std::vector<float> values = raised(name);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i], i < vectors ? 2 : 1) << name << " " << i;
    }
  }
}

}  // namespace
}  // namespace halo
