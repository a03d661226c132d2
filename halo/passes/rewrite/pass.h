// A pass: a rewrite of a whole module that preserves what the module computes. It records its
// decisions and their causes in a PassLog, if one is wanted.
#ifndef HALO_PASSES_REWRITE_PASS_H_
#define HALO_PASSES_REWRITE_PASS_H_

#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

struct PassNote {
  std::string_view pass;  // a name with static lifetime
  std::string text;       // "fuse %exp into %divide: elementwise, one user"
};

// Unless `wanted`, no text is built or kept.
class PassLog {
 public:
  explicit PassLog(bool wanted = false) : wanted_(wanted) {}

  void Begin(std::string_view pass) { pass_ = pass; }
  [[nodiscard]] bool wanted() const { return wanted_; }
  // Each part is a string.
  template <class... Parts>
  void Note(const Parts&... parts) {
    if (!wanted_) return;
    std::string text;
    (text.append(std::string_view(parts)), ...);
    notes_.push_back({pass_, std::move(text)});
  }
  [[nodiscard]] const std::vector<PassNote>& notes() const { return notes_; }

 private:
  bool wanted_;
  std::string_view pass_;
  std::vector<PassNote> notes_;
};

struct Pass {
  std::string_view name;
  std::string_view purpose;
  // Returns true if it changed the module. The module passes the verifier before and after.
  bool (*run)(Module& module, PassLog& log);
};

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_PASS_H_
