// The facts that the checks rely on, whatever their source: which values must be one piece of
// memory, when their contents are needed, and which value may overwrite one whose live range ends
// at that time. One source reads the module, the other only what the assignment prints.
#ifndef HALO_MEMORY_CHECK_CHECK_FACTS_H_
#define HALO_MEMORY_CHECK_CHECK_FACTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/check/check_assignment.h"
#include "halo/memory/model/assignment.h"

namespace halo::check {

enum class Permission : uint8_t { kNo, kYes, kUnproven };

// Whether contents are read later: not at all, only by the instruction that overwrites them, or
// yes.
enum class Later : uint8_t { kNever, kAtOnce, kYes };

// The contents that a group holds from `range.start` on are read at `range.end`.
struct Need {
  uint32_t group = 0;
  LiveRange range;
};

struct EarlyUse {
  uint32_t group = 0;
  int64_t used = 0;
  int64_t defined = 0;
};

// A piece of memory that the module needs and the assignment lacks.
struct Unplaced {
  std::string name;
  int64_t bytes = 0;
};

class Facts {
 public:
  Facts() = default;
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;
  virtual ~Facts() = default;

  // By value: values of one group must be at one position in memory.
  std::vector<uint32_t> groups;
  std::vector<Need> needs;  // by group
  std::vector<EarlyUse> early_uses;
  std::vector<Unplaced> unplaced;
  std::vector<uint32_t> live_out;  // values returned to the caller
  int64_t end = 0;                 // one past the last time
  bool knows_aliases = false;      // values of different groups are not aliases
  bool knows_needs = true;         // false: too many to derive

  // Whether `born` may take over the memory of `dying`, whose live range ends where that of `born`
  // starts and which begins `offset` bytes after the start of `born`.
  [[nodiscard]] virtual Permission MayReplace(ValueId dying, ValueId born,
                                              int64_t offset) const = 0;
  // Whether what `group` held before `born` is read once `born` exists, in a run that reaches
  // `born`. Printed live ranges last to the end of a conditional, but each of its branches may
  // overwrite what only other branches and its own earlier instructions read.
  [[nodiscard]] virtual Later IsReadAfter(uint32_t /*group*/, ValueId /*born*/,
                                          const LiveRange& /*live*/) const {
    return Later::kYes;
  }
  // When the value's own instruction writes it; -1 if unknown.
  [[nodiscard]] virtual int64_t DefinedAt(ValueId value) const = 0;
  // Whether the allocation is an entry parameter that is not donated; nullopt if unknown.
  [[nodiscard]] virtual std::optional<bool> IsKeptParameter(const Allocation& allocation) const = 0;
  // Whether the value belongs to a computation that runs in parallel; nullopt if unknown.
  [[nodiscard]] virtual std::optional<bool> IsThreadLocal(ValueId value) const = 0;
  // Whether the value's own instruction is part of an asynchronous call; nullopt if unknown.
  [[nodiscard]] virtual std::optional<bool> IsAsyncCall(ValueId value) const = 0;
  // The shape that the value's size is checked against, and the table it is in.
  [[nodiscard]] virtual std::optional<ShapeId> ShapeOf(ValueId value) const = 0;
  [[nodiscard]] virtual const ShapeTable* shapes() const = 0;
  [[nodiscard]] virtual bool IsKnown(ValueId value) const = 0;
};

std::unique_ptr<Facts> FactsOfModule(const Assignment& assignment, const Module& module,
                                     CheckRules rules);
std::unique_ptr<Facts> FactsOfText(const Assignment& assignment);

// Turns reads and writes of groups into needs: each read needs what the last write before it left.
enum class AccessKind : uint8_t { kGiven, kRead, kWrite };  // in order at one time
struct Access {
  uint32_t group = 0;
  int64_t time = 0;
  AccessKind kind = AccessKind::kRead;
};
void NeedsOf(std::vector<Access>& accesses, Facts& facts);

}  // namespace halo::check

#endif  // HALO_MEMORY_CHECK_CHECK_FACTS_H_
