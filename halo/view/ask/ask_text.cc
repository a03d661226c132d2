// `text` and `text.index`: the module's text by lines, linked to its instructions.
#include <algorithm>

#include "halo/view/model/view_request.h"

namespace halo::view {

void AskText(ViewRequest& request) {
  const TextIndex& text = request.module->text();
  const auto from = static_cast<uint32_t>(request.Int("from", 0, 0, int64_t{text.line_count()}));
  const auto count = static_cast<uint32_t>(
      request.Int("lines", 200, 0, std::min<int64_t>(10'000, text.line_count() - from)));
  StringColumn lines(static_cast<size_t>(request.Int("width", 4000, 1, 1 << 24)));
  std::vector<uint32_t> insts;
  for (uint32_t i = from; i < from + count; ++i) {
    lines.Add(text.line(i));
    insts.push_back(text.inst_at(i).value);
  }
  request.json().Field("total", text.line_count()).Field("from", from);
  request.response.Strings("lines", lines);
  request.response.Array("insts", insts);
}

void AskTextIndex(ViewRequest& request) {
  const TextIndex& text = request.module->text();
  request.json().Field("total", text.line_count()).Field("is_source", text.is_source());
  request.response.Array("inst_lines", text.inst_lines());
  std::vector<uint32_t> first, last, comps;
  for (const TextIndex::Fold& fold : text.folds()) {
    first.push_back(fold.first);
    last.push_back(fold.last);
    comps.push_back(fold.comp.value);
  }
  request.json().Key("folds").BeginObject();
  request.response.Array("first", first);
  request.response.Array("last", last);
  request.response.Array("comp", comps);
  request.json().EndObject();
}

}  // namespace halo::view
