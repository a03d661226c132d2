// Names of parameters (op_name, or their own) tell the most: the weights of an embedding, the scale
// of a norm, the matrices of an expert. Attention calls state their sizes explicitly. The first
// name with a meaning wins.
#include "halo/shrink/meaning.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace halo {
namespace {

class Guesser {
 public:
  Guesser(const Module& module, const DimSpace& space, const DimTable& dims)
      : module_(module), space_(space), dims_(dims) {}

  std::unordered_map<uint32_t, std::string> Guess(const Relations& relations) {
    Calls(relations);
    const Computation& entry = module_.comp(module_.entry);
    std::vector<std::pair<InstId, std::string>> parameters;
    for (uint32_t i = 0; i < entry.count; ++i) {
      const InstId id(entry.first + i);
      if (module_.inst(id).opcode != Opcode::kParameter) continue;
      std::string name(module_.MetadataText(module_.inst(id), AttrKey::k_op_name));
      if (name.empty()) name = module_.name_of(module_.inst(id));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(tolower(c)); });
      parameters.emplace_back(id, std::move(name));
    }
    // The scale of a norm has the width. Once that is known, other weights reveal their other
    // dimension.
    for (const auto& [id, name] : parameters) {
      if (Has(name, {"norm", "'scale'"}) && !dims_.of(id).empty()) Name(Last(id), "width");
    }
    for (const auto& [id, name] : parameters) Parameter(id, name);
    return std::move(names_);
  }

 private:
  static bool Has(const std::string& name, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return name.find(word) != std::string::npos; });
  }
  [[nodiscard]] DimId Last(InstId id) const { return dims_.of(id).back(); }
  void Name(DimId dim, const std::string& name) {
    std::vector<DimId> leaves;
    space_.Leaves(dim, leaves);
    for (const DimId leaf : leaves) names_.emplace(leaf.value, name);
  }
  [[nodiscard]] bool Named(DimId dim) const {
    std::vector<DimId> leaves;
    space_.Leaves(dim, leaves);
    return std::any_of(leaves.begin(), leaves.end(),
                       [&](DimId leaf) { return names_.contains(leaf.value); });
  }
  void NameRest(InstId id, const std::string& name) {
    DimId largest;
    for (const DimId dim : dims_.of(id)) {
      if (!Named(dim) && (!largest.valid() || space_.size(dim) > space_.size(largest))) {
        largest = dim;
      }
    }
    if (largest.valid() && space_.size(largest) > 1) Name(largest, name);
  }
  void Calls(const Relations& relations) {
    static constexpr std::pair<std::string_view, const char*> kKeys[] = {
        {"input_batch", "batch"},          {"q_max_seqlen", "sequence"},
        {"kv_max_seqlen", "sequence"},     {"num_gqa_groups", "key-value heads"},
        {"attn_heads", "heads per group"}, {"qk_head_dim", "head size"},
        {"v_head_dim", "head size"}};
    for (const auto& [key, name] : kKeys) {
      for (const ConfigSize& config : relations.config_sizes()) {
        if (config.key != key) continue;
        for (const DimId factor : config.factors) Name(factor, name);
      }
    }
  }
  void Parameter(InstId id, const std::string& name) {
    const auto dims = dims_.of(id);
    if (dims.empty() || module_.shapes.is_tuple(module_.inst(id).shape)) return;
    const bool integers = IsIntegerType(module_.shapes.type(module_.inst(id).shape));
    if (integers && dims.size() == 2 && Has(name, {"input", "target", "token", "data", "batch"})) {
      Name(dims[1], "sequence");
      Name(dims[0], "batch");
    } else if (Has(name, {"gate", "router"})) {
      Name(Last(id), "experts");
    } else if (Has(name, {"embed", "logits", "lm_head", "vocab"})) {
      NameRest(id, "vocabulary");
    } else if (Has(name, {"query", "'key'", "value", "self_attention", "attn"})) {
      NameRest(id, "heads");
    } else if (Has(name, {"mlp", "moe", "expert", "ffn", "'wi", "'wo'", "dense"})) {
      NameRest(id, "feed-forward");
    }
  }

  const Module& module_;
  const DimSpace& space_;
  const DimTable& dims_;
  std::unordered_map<uint32_t, std::string> names_;
};

}  // namespace

std::vector<FoundDim> DescribeDims(const Module& module, const DimSpace& space,
                                   const DimTable& dims, const Relations& relations,
                                   const Chooser& chooser, const NewSizes& sizes) {
  std::unordered_map<uint32_t, std::string> names;
  if (module.entry.valid()) names = Guesser(module, space, dims).Guess(relations);
  std::vector<FoundDim> found(chooser.leaves().size());
  std::unordered_map<uint32_t, size_t> index;
  for (size_t i = 0; i < found.size(); ++i) {
    const DimId leaf = chooser.leaves()[i];
    index[leaf.value] = i;
    FoundDim& dim = found[i];
    dim.size = space.size(leaf);
    dim.new_size = sizes.of(leaf);
    dim.device = chooser.is_device(leaf);
    dim.meaning = dim.device ? "devices" : names[leaf.value];
    if (const PinReason* reason = space.ReasonOf(leaf)) {
      dim.pinned = reason->text;
      if (reason->inst.valid()) dim.pinned_by = module.name_of(module.inst(reason->inst));
    }
  }
  std::vector<std::vector<DimId>> memo(space.count());
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    const auto mine = dims.of(InstId(i));
    for (size_t d = 0; d < mine.size(); ++d) {
      const DimId node = space.Find(mine[d]);
      std::vector<DimId>& leaves = memo[node.index()];
      if (leaves.empty() && node != space.one()) space.Leaves(node, leaves);
      for (const DimId leaf : leaves) {
        FoundDim& dim = found[index[leaf.value]];
        ++dim.uses;
        if (dim.example.empty()) {
          dim.example =
              std::string(module.name_of(module.insts[i])) + "[" + std::to_string(d) + "]";
        }
      }
    }
  }
  return found;
}

}  // namespace halo
