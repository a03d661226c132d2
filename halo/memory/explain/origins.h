// Where instructions come from in the user's terms: op_name, source line, opcode. Taken from the
// module that an assignment is bound to, otherwise from the lines that the assignment quotes.
#ifndef HALO_MEMORY_EXPLAIN_ORIGINS_H_
#define HALO_MEMORY_EXPLAIN_ORIGINS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "halo/ir/module.h"
#include "halo/memory/bind/bound_assignment.h"
#include "halo/memory/model/assignment.h"

namespace halo {

struct Origin {
  std::string_view op_name;
  std::string_view file;
  int64_t line = 0;
  std::string_view opcode;
  InstId inst;  // invalid without a module
};

// The line of the user's program that metadata names, directly or by its stack frame.
struct SourceLine {
  StrId file;  // invalid if it names no file
  int64_t line = 0;
};
SourceLine SourceOf(const Module& module, AttrListId metadata);

// The origin of a given instruction.
Origin OriginOf(const Module& module, InstId inst);

class Origins {
 public:
  // `bound` must outlive this.
  explicit Origins(const BoundAssignment& bound);

  // The origin of the instruction that defines a value, that uses one, or that runs at a time.
  [[nodiscard]] Origin Of(ValueId value) const;
  [[nodiscard]] Origin Of(const ValueUse& use) const;
  [[nodiscard]] Origin At(int64_t time) const;
  // True if any op_name belongs to a backward pass.
  [[nodiscard]] bool has_gradients() const { return has_gradients_; }

 private:
  [[nodiscard]] Origin Of(InstId inst, TextId instruction) const;

  const BoundAssignment& bound_;
  std::unordered_map<uint32_t, std::string_view> lines_;  // quoted, by the instruction's text
  bool has_gradients_ = false;
};

// The part of the program that an op_name refers to: the user's scopes without the compiler's
// wrappers and the primitive at the end. Numbers within names become *, so that equal layers form
// one scope.
std::string ScopeOf(std::string_view op_name);

// The innermost scope of an op_name as it is written there, without the path to it: "MoeBlock_0".
// Outside all scopes, the primitive; empty for arguments.
std::string InnermostScope(std::string_view op_name);

// "backward", "forward", or nothing if the op_name does not say.
std::string_view PhaseOf(std::string_view op_name);

// "layers/moe.py:1000": the last two path components are enough to identify a file.
std::string SourceText(const Origin& origin);

bool IsBackward(std::string_view op_name);
bool IsRecomputed(std::string_view op_name);
bool IsForward(std::string_view op_name);

}  // namespace halo

#endif  // HALO_MEMORY_EXPLAIN_ORIGINS_H_
