// The users of each instruction within its computation, each once, in the order in which the text
// first names them.
#ifndef HALO_ANALYSIS_GRAPH_USERS_H_
#define HALO_ANALYSIS_GRAPH_USERS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

class Users {
 public:
  explicit Users(const Module& module);

  [[nodiscard]] std::span<const InstId> of(InstId inst) const {
    return {users_.data() + begins_[inst.index()], users_.data() + begins_[inst.index() + 1]};
  }

 private:
  std::vector<uint32_t> begins_;
  std::vector<InstId> users_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_GRAPH_USERS_H_
