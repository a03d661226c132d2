// Before partitioning, shapes are those of whole arrays, and a result may alias a parameter that is
// as large on each device only. On one device they are of different sizes, so the alias is dropped.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/ir/attributes/aliasing.h"
#include "halo/passes/host/host_passes.h"
#include "halo/semantics/facts/parameters.h"
#include "halo/semantics/facts/shape_index.h"

namespace halo {
namespace {

// Of a part of a value; none if there is no such part.
std::optional<int64_t> BytesOf(const Module& module, InstId id, std::span<const int64_t> index) {
  const auto part = Subshape(module.shapes, module.inst(id).shape, index);
  return part ? module.shapes.ByteSize(*part) : std::nullopt;
}

}  // namespace

bool WholeAliases(Module& module, PassLog& log) {
  std::vector<Attr> attrs(module.attrs_of(module.attrs).begin(),
                          module.attrs_of(module.attrs).end());
  const auto at = std::ranges::find(attrs, AttrKey::k_input_output_alias, &Attr::key);
  if (at == attrs.end() || !module.entry.valid()) return false;
  std::vector<AliasEntry> aliases = DecodeAliases(module.list(at->value));
  const InstId root = module.comp(module.entry).root;
  const std::vector<InstId> parameters = ParametersOf(module, module.entry);
  const size_t dropped = std::erase_if(aliases, [&](const AliasEntry& alias) {
    if (alias.number < 0 || alias.number >= std::ssize(parameters) || !root.valid()) return false;
    const InstId parameter = parameters[static_cast<size_t>(alias.number)];
    return parameter.valid() && BytesOf(module, root, alias.output_index) !=
                                    BytesOf(module, parameter, alias.input_index);
  });
  if (dropped == 0) return false;
  if (aliases.empty()) {
    attrs.erase(at);
  } else {
    *at = module.MakeInts(AttrKey::k_input_output_alias, EncodeAliases(aliases));
  }
  module.attrs = module.Attrs(attrs);
  log.Note(std::to_string(dropped), " aliases hold on each device only");
  return true;
}

}  // namespace halo
