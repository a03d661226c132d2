// A computation ready to run: its instructions in an order in which operands come first, and for
// each operand whether this is its last use, so that values are released or overwritten as soon as
// they are no longer needed.
#ifndef HALO_SEMANTICS_FACTS_EXECUTION_ORDER_H_
#define HALO_SEMANTICS_FACTS_EXECUTION_ORDER_H_

#include <cstdint>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

struct ExecutionOrder {
  struct Entry {
    InstId inst;
    uint32_t first_operand = 0;  // index into last_use
    bool unused = false;         // the value has no users
    int64_t result_bytes = 0;    // INT64_MAX on overflow
    int64_t result_elements = 0;
  };

  CompId comp;
  uint32_t first = 0;  // first of the computation's instructions
  uint32_t count = 0;
  std::vector<Entry> order;
  std::vector<uint8_t> last_use;  // one for each operand of each instruction
  InstId root;
};

ExecutionOrder OrderForExecution(const Module& module, CompId comp);

}  // namespace halo

#endif  // HALO_SEMANTICS_FACTS_EXECUTION_ORDER_H_
