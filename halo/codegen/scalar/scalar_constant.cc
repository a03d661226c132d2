// Converts bits to LLVM constants.
#include "halo/codegen/scalar/scalar_constant.h"

#include <cstring>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {

llvm::Constant* StoredConstant(llvm::LLVMContext& context, ElementType type,
                               std::span<const uint8_t> bits) {
  llvm::Type* stored = StoredType(context, type);
  const auto number = [&](llvm::Type* as, size_t offset, size_t size) -> llvm::Constant* {
    uint64_t word = 0;
    std::memcpy(&word, bits.data() + offset, size);
    llvm::Constant* integer = llvm::ConstantInt::get(
        llvm::Type::getIntNTy(context, static_cast<unsigned>(size * 8)), word);
    return as->isIntegerTy() ? integer : llvm::ConstantExpr::getBitCast(integer, as);
  };
  const size_t size = StoredBytes(type);
  if (auto* pair = llvm::dyn_cast<llvm::StructType>(stored)) {
    llvm::Type* part = pair->getElementType(0);
    return llvm::ConstantStruct::get(pair,
                                     {number(part, 0, size / 2), number(part, size / 2, size / 2)});
  }
  return number(stored, 0, size);
}

llvm::Value* ScalarConstant(llvm::IRBuilderBase& b, const Module& module, LiteralId literal) {
  if (module.literals.is_elided(literal)) return nullptr;
  const ElementType type = module.shapes.type(module.literals.shape(literal));
  const std::span<const uint8_t> bits = module.literals.bits(literal);
  if (bits.size() < StoredBytes(type)) return nullptr;
  return Widen(b, type, StoredConstant(b.getContext(), type, bits));
}

llvm::Value* ConstantMemory(llvm::IRBuilderBase& b, const Module& module, LiteralId literal) {
  if (module.literals.is_elided(literal)) return nullptr;
  const std::span<const uint8_t> bits = module.literals.bits(literal);
  llvm::Constant* bytes = llvm::ConstantDataArray::get(
      b.getContext(), llvm::ArrayRef<uint8_t>(bits.data(), bits.size()));
  auto* global = new llvm::GlobalVariable(*b.GetInsertBlock()->getModule(), bytes->getType(),
                                          /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                          bytes, "literal");
  global->setAlignment(llvm::Align(64));
  return global;
}

}  // namespace halo
