// Makes names unique the way XLA does: x, x.1, x.2, skipping numbers already taken.
#ifndef HALO_IR_NAME_UNIQUER_H_
#define HALO_IR_NAME_UNIQUER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace halo {

class NameUniquer {
 public:
  // Returns `name` if it is legal and unused, otherwise a similar name. Marks the result as used.
  std::string Unique(std::string_view name);

 private:
  struct Numbers {
    int64_t next = 0;
    std::unordered_set<int64_t> used;
  };
  std::unordered_map<std::string, Numbers> numbers_;
};

}  // namespace halo

#endif  // HALO_IR_NAME_UNIQUER_H_
