// Finds instructions in one pass: they appear in the text in the module's own order, so each line
// is compared only with the next name.
#include "halo/view/model/text_index.h"

#include <algorithm>

#include "halo/base/strings/characters.h"
#include "halo/text/write/write_text.h"

namespace halo::view {
namespace {

bool Skip(std::string_view what, std::string_view& text) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

// Returns true if the line begins with this name and a blank.
bool BeginsWithName(std::string_view line, std::string_view name) {
  Skip("%", line);
  return line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ';
}

}  // namespace

TextIndex::TextIndex(const Module& module, std::string_view source) : text_(source) {
  if (!source.empty() && Read(module)) return;
  printed_ = HloText(module);
  text_ = printed_;
  Read(module);
}

bool TextIndex::Read(const Module& module) {
  line_begins_.assign(1, 0);
  line_insts_.clear();
  folds_.clear();
  inst_lines_.assign(module.insts.size(), InstId::kNoneValue);
  size_t next_comp = 0;
  bool inside = false;
  uint32_t next = 0, end = 0;
  bool complete = true;
  const auto skip_implicit = [&] {
    while (next < end && (module.insts[next].flags & kInstImplicit) != 0) ++next;
  };
  for (size_t at = 0; at < text_.size();) {
    size_t stop = text_.find('\n', at);
    if (stop == std::string_view::npos) stop = text_.size();
    std::string_view rest = Trimmed(text_.substr(at, stop - at));
    const auto line = static_cast<uint32_t>(line_insts_.size());
    InstId found;
    if (!inside) {
      Skip("ENTRY ", rest);
      if (next_comp < module.order.size() && rest.ends_with('{')) {
        const Computation& comp = module.comp(module.order[next_comp]);
        if (BeginsWithName(rest, module.text(comp.name))) {
          folds_.push_back({line, line, module.order[next_comp]});
          ++next_comp;
          inside = true;
          next = comp.first;
          end = comp.first + comp.count;
          skip_implicit();
        }
      }
    } else if (rest.starts_with('}')) {
      folds_.back().last = line;
      inside = false;
      complete = complete && next == end;
    } else if (next < end) {
      Skip("ROOT ", rest);
      if (BeginsWithName(rest, module.name_of(module.insts[next]))) {
        found = InstId(next);
        inst_lines_[next++] = line;
        skip_implicit();
      }
    }
    line_insts_.push_back(found);
    at = stop + 1;
    line_begins_.push_back(at);
  }
  return complete && !inside && next_comp == module.order.size();
}

std::string_view TextIndex::line(uint32_t line) const {
  const size_t begin = line_begins_[line];
  std::string_view text = text_.substr(begin, line_begins_[line + 1] - 1 - begin);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace halo::view
