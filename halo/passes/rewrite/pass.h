// A pass: a rewrite of a whole module that keeps what the module computes. What it decided, and
// why, goes to a PassLog if somebody wants to read it.
#ifndef HALO_PASSES_REWRITE_PASS_H_
#define HALO_PASSES_REWRITE_PASS_H_

#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

struct PassNote {
  std::string_view pass;  // a name that lives as long as the program
  std::string text;       // "fuse %exp into %divide: elementwise, one user"
};

// Without `wanted` nothing is worded or kept.
class PassLog {
 public:
  explicit PassLog(bool wanted = false) : wanted_(wanted) {}

  void Begin(std::string_view pass) { pass_ = pass; }
  [[nodiscard]] bool wanted() const { return wanted_; }
  // Parts are strings.
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
  // True if it changed the module. The module has passed the verifier, and does so afterwards.
  bool (*run)(Module& module, PassLog& log);
};

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_PASS_H_
