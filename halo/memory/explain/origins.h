// Where instructions come from in the user's own words: op_name, source line, opcode. Known from
// the module where there is one, else from the lines that an assignment quotes.
#ifndef HALO_MEMORY_EXPLAIN_ORIGINS_H_
#define HALO_MEMORY_EXPLAIN_ORIGINS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "halo/ir/module.h"
#include "halo/memory/model/assignment.h"

namespace halo {

struct Origin {
  std::string_view op_name;
  std::string_view file;
  int64_t line = 0;
  std::string_view opcode;
  InstId inst;  // none without a module
};

// The line of the user's program that metadata names, itself or by its stack frame.
struct SourceLine {
  StrId file;  // none if it names no file
  int64_t line = 0;
};
SourceLine SourceOf(const Module& module, AttrListId metadata);

// The same of an instruction that is at hand.
Origin OriginOf(const Module& module, InstId inst);

class Origins {
 public:
  // Both must outlive this; `module` may be null.
  Origins(const Assignment& assignment, const Module* module);

  [[nodiscard]] Origin Of(std::string_view instruction) const;
  // What an instruction reads as its operand of that number; empty if unknown.
  [[nodiscard]] std::string_view OperandName(InstId user, int64_t operand) const;
  // True if any op_name belongs to a backward pass.
  [[nodiscard]] bool has_gradients() const { return has_gradients_; }

 private:
  const Module* module_;
  std::unordered_map<std::string_view, InstId> by_name_;
  std::unordered_map<std::string_view, std::string_view> lines_;  // quoted, by instruction
  bool has_gradients_ = false;
};

// The part of the program an op_name tells of: the user's scopes without the compiler's wrappers
// and the primitive at the end; numbers within names become *, so that equal layers are one scope.
std::string ScopeOf(std::string_view op_name);

// "layers/moe.py:1000": the last two folders are enough to know a file by.
std::string SourceText(const Origin& origin);

bool IsBackward(std::string_view op_name);
bool IsRecomputed(std::string_view op_name);
bool IsForward(std::string_view op_name);

}  // namespace halo

#endif  // HALO_MEMORY_EXPLAIN_ORIGINS_H_
