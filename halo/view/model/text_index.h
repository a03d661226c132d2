// The text of a module by lines: what each line contains, where each instruction is, what can be
// folded. Uses the file's own text if its lines correspond to the instructions, otherwise the
// module as printed.
#ifndef HALO_VIEW_MODEL_TEXT_INDEX_H_
#define HALO_VIEW_MODEL_TEXT_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"

namespace halo::view {

class TextIndex {
 public:
  struct Fold {
    uint32_t first = 0, last = 0;  // lines, from 0, both inclusive
    CompId comp;
  };

  // `source` may be empty; otherwise it is the module's text and must outlive this object.
  TextIndex(const Module& module, std::string_view source);

  [[nodiscard]] uint32_t line_count() const {
    return static_cast<uint32_t>(line_begins_.size() - 1);
  }
  // Without the newline.
  [[nodiscard]] std::string_view line(uint32_t line) const;
  // The instruction that a line defines; none if it defines none.
  [[nodiscard]] InstId inst_at(uint32_t line) const { return line_insts_[line]; }
  // The id value for "none" if the instruction does not have a separate line.
  [[nodiscard]] uint32_t line_of(InstId inst) const { return inst_lines_[inst.index()]; }
  [[nodiscard]] const std::vector<uint32_t>& inst_lines() const { return inst_lines_; }
  [[nodiscard]] const std::vector<Fold>& folds() const { return folds_; }  // computations
  [[nodiscard]] bool is_source() const { return printed_.empty(); }

 private:
  // Returns false if an instruction was not found.
  bool Read(const Module& module);

  std::string printed_;
  std::string_view text_;
  std::vector<size_t> line_begins_;  // and one past the end
  std::vector<InstId> line_insts_;
  std::vector<uint32_t> inst_lines_;
  std::vector<Fold> folds_;
};

}  // namespace halo::view

#endif  // HALO_VIEW_MODEL_TEXT_INDEX_H_
