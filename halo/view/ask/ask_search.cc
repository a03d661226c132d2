// `search`: instructions ranked by how well they match the words.
#include <algorithm>

#include "halo/view/model/view_request.h"

namespace halo::view {

void AskSearch(ViewRequest& request) {
  std::vector<SearchMatch> matches = request.module->search().Find(request.Text("query"));
  const size_t total = matches.size();
  const auto limit = static_cast<size_t>(request.Int("limit", 50, 0, 100'000));
  const auto better = [](const SearchMatch& a, const SearchMatch& b) {
    return a.score != b.score ? a.score > b.score : a.inst < b.inst;
  };
  const size_t kept = std::min(limit, total);
  std::partial_sort(matches.begin(), matches.begin() + static_cast<ptrdiff_t>(kept), matches.end(),
                    better);
  matches.resize(kept);
  const Module& module = request.module->module();
  std::vector<uint32_t> ids;
  std::vector<uint8_t> fields;
  StringColumn names(300), opcodes, shapes(300), op_names(300);
  for (const SearchMatch& match : matches) {
    const Inst& inst = module.inst(match.inst);
    ids.push_back(match.inst.value);
    fields.push_back(static_cast<uint8_t>(match.field));
    names.Add(module.name_of(inst));
    opcodes.Add(OpcodeName(module, inst));
    shapes.Add(module.shapes.Text(inst.shape, false));
    op_names.Add(module.MetadataText(inst, AttrKey::k_op_name));
  }
  JsonWriter& json = request.json();
  json.Field("total", total);
  json.Key("fields").BeginArray();
  for (size_t i = 0; i < kSearchFields; ++i) {
    json.String(SearchFieldText(static_cast<SearchField>(i)));
  }
  json.EndArray();
  request.response.Array("insts", ids);
  request.response.Array("field", fields);
  request.response.Strings("names", names);
  request.response.Strings("opcodes", opcodes);
  request.response.Strings("shapes", shapes);
  request.response.Strings("op_names", op_names);
}

}  // namespace halo::view
