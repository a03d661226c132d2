// Natural sort order: rank_2 before rank_10.
#ifndef HALO_DUMP_NATURAL_ORDER_H_
#define HALO_DUMP_NATURAL_ORDER_H_

#include <algorithm>
#include <string_view>

namespace halo {

struct NaturalOrder {
  bool operator()(std::string_view a, std::string_view b) const {
    const std::string_view whole_a = a;
    const std::string_view whole_b = b;
    while (!a.empty() && !b.empty()) {
      const std::string_view da = Digits(a);
      const std::string_view db = Digits(b);
      if (!da.empty() && !db.empty()) {
        const std::string_view na = WithoutZeros(da);
        const std::string_view nb = WithoutZeros(db);
        if (na.size() != nb.size()) return na.size() < nb.size();
        if (na != nb) return na < nb;
        a.remove_prefix(da.size());
        b.remove_prefix(db.size());
        continue;
      }
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
    if (a.empty() != b.empty()) return a.empty();
    return whole_a < whole_b;
  }

 private:
  static std::string_view Digits(std::string_view text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  }
  static std::string_view WithoutZeros(std::string_view digits) {
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  }
};

}  // namespace halo

#endif  // HALO_DUMP_NATURAL_ORDER_H_
