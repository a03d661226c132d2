// Two passes over the operands: the first counts, the second fills.
#include "halo/analysis/graph/users.h"

namespace halo {
namespace {

// Calls visit(operand, user) once for each pair, users in text order.
template <class Visit>
void ForEachUse(const Module& module, const Visit& visit) {
  std::vector<InstId> last_user(module.insts.size());
  for (size_t i = 0; i < module.insts.size(); ++i) {
    const InstId user(i);
    for (const InstId operand : module.operands_of(module.inst(user))) {
      if (!operand.valid() || last_user[operand.index()] == user) continue;
      last_user[operand.index()] = user;
      visit(operand, user);
    }
  }
}

}  // namespace

Users::Users(const Module& module) {
  const size_t count = module.insts.size();
  begins_.assign(count + 1, 0);
  ForEachUse(module, [&](InstId operand, InstId) { ++begins_[operand.index() + 1]; });
  for (size_t i = 0; i < count; ++i) begins_[i + 1] += begins_[i];
  users_.resize(begins_[count]);
  std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
  ForEachUse(module, [&](InstId operand, InstId user) { users_[next[operand.index()]++] = user; });
}

}  // namespace halo
