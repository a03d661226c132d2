// `text` and `text.index`: the module's text by lines, linked to its instructions.
#include <algorithm>

#include "halo/view/model/question.h"

namespace halo::view {

void AskText(Question& question) {
  const TextIndex& text = question.module->text();
  const auto from = static_cast<uint32_t>(question.Int("from", 0, 0, int64_t{text.line_count()}));
  const auto count = static_cast<uint32_t>(
      question.Int("lines", 200, 0, std::min<int64_t>(10'000, text.line_count() - from)));
  StringColumn lines(static_cast<size_t>(question.Int("width", 4000, 1, 1 << 24)));
  std::vector<uint32_t> insts;
  for (uint32_t i = from; i < from + count; ++i) {
    lines.Add(text.line(i));
    insts.push_back(text.inst_at(i).value);
  }
  question.json().Field("total", text.line_count()).Field("from", from);
  question.answer.Strings("lines", lines);
  question.answer.Array("insts", insts);
}

void AskTextIndex(Question& question) {
  const TextIndex& text = question.module->text();
  question.json().Field("total", text.line_count()).Field("is_source", text.is_source());
  question.answer.Array("inst_lines", text.inst_lines());
  std::vector<uint32_t> first, last, comps;
  for (const TextIndex::Fold& fold : text.folds()) {
    first.push_back(fold.first);
    last.push_back(fold.last);
    comps.push_back(fold.comp.value);
  }
  question.json().Key("folds").BeginObject();
  question.answer.Array("first", first);
  question.answer.Array("last", last);
  question.answer.Array("comp", comps);
  question.json().EndObject();
}

}  // namespace halo::view
