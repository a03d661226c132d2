// Arguments are compared one by one. Everything else is compared by digests that leave out one kind
// of difference each.
#include "halo/api/recompiles/compile_summary.h"

#include <algorithm>
#include <array>

#include "halo/base/hash.h"
#include "halo/diff/fingerprint/fingerprint.h"
#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

uint64_t TextDigest(std::string_view text) { return HashBytes(text.data(), text.size()); }

// Shardings are an attribute and, since Shardy, frontend attributes too.
bool IsShardingKey(std::string_view key) {
  return key.find("sdy") != std::string_view::npos ||
         key.find("sharding") != std::string_view::npos;
}

uint64_t ShardingDigest(const Module& module, const Inst& inst) {
  uint64_t hash = TextDigest(module.TextOr(inst.attrs, AttrKey::k_sharding));
  const Attr* attributes = module.Find(inst, AttrKey::k_frontend_attributes);
  if (attributes == nullptr) return hash;
  const std::span<const int64_t> triples = module.list(attributes->value);
  for (size_t i = 0; i + 2 < triples.size(); i += 3) {
    const std::string_view key = module.text(StrId(static_cast<uint32_t>(triples[i])));
    if (!IsShardingKey(key)) continue;
    const std::string_view value = module.text(StrId(static_cast<uint32_t>(triples[i + 1])));
    hash = HashWords({hash, TextDigest(key), TextDigest(value)});
  }
  return hash;
}

std::string LayoutOf(const Module& module, ShapeId shape) {
  if (!shape.valid() || !module.shapes.is_array(shape)) return "";
  const Layout* layout = module.shapes.layout(shape);
  if (layout == nullptr) return "";
  return "{" + std::string(module.shapes.layout_text(module.shapes.layout_id(shape))) + "}";
}

std::string DimsText(const Module& module, ShapeId shape) {
  if (!module.shapes.is_array(shape)) return module.shapes.Text(shape, false);
  std::string text = module.shapes.Text(shape, false);
  return text.substr(std::min(text.find('['), text.size()));
}

std::string TypeText(const Module& module, ShapeId shape) {
  if (!module.shapes.is_array(shape)) return "";
  const std::string text = module.shapes.Text(shape, false);
  return text.substr(0, text.find('['));
}

void AddArguments(const Module& module, CompileSummary& summary) {
  const Attr* layout = module.Find(module.attrs, AttrKey::k_entry_computation_layout);
  const std::span<const int64_t> shapes =
      layout != nullptr ? module.list(layout->value) : std::span<const int64_t>();
  const auto declared = [&](size_t index, ShapeId fallback) {
    if (index >= shapes.size()) return fallback;
    const auto id = static_cast<uint32_t>(shapes[index]);
    return id < module.shapes.size() ? ShapeId(id) : fallback;
  };
  const Computation& entry = module.comp(module.entry);
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Inst& inst = module.insts[entry.first + i];
    if (FlowOf(inst.opcode) != OpFlow::kParameter || inst.extra >= entry.count) continue;
    if (inst.extra >= summary.arguments.size()) summary.arguments.resize(inst.extra + size_t{1});
    CompiledArgument& argument = summary.arguments[inst.extra];
    argument.name = module.MetadataText(inst, AttrKey::k_op_name);
    argument.type = TypeText(module, inst.shape);
    argument.dims = DimsText(module, inst.shape);
    argument.layout = LayoutOf(module, declared(inst.extra + size_t{1}, inst.shape));
    argument.sharding = module.TextOr(inst.attrs, AttrKey::k_sharding);
  }
  const ShapeId result =
      declared(0, entry.root.valid() ? module.inst(entry.root).shape : ShapeId());
  if (result.valid()) summary.result_layouts = module.shapes.Text(result, true);
}

void AddDonationTexts(const Module& module, CompileSummary& summary) {
  const auto add = [&](int64_t number) {
    summary.donations.push_back("argument " + std::to_string(number));
  };
  for (const AliasEntry& entry :
       DecodeAliases(module.IntsOf(module.attrs, AttrKey::k_input_output_alias))) {
    add(entry.number);
  }
  for (const DonorEntry& entry :
       DecodeDonors(module.IntsOf(module.attrs, AttrKey::k_buffer_donor))) {
    add(entry.number);
  }
  std::sort(summary.donations.begin(), summary.donations.end());
}

void AddOptions(const Module& module, CompileSummary& summary) {
  for (const AttrKey key : {AttrKey::k_replica_count, AttrKey::k_num_partitions}) {
    const int64_t value = module.IntOr(module.attrs, key, 1);
    if (value != 1) summary.options[std::string(TextOf(key))] = std::to_string(value);
  }
  for (const AttrKey key : {AttrKey::k_allow_spmd_sharding_propagation_to_parameters,
                            AttrKey::k_allow_spmd_sharding_propagation_to_output}) {
    std::string text;
    bool is_set = false;
    for (const int64_t value : module.IntsOf(module.attrs, key)) {
      text += (text.empty() ? "{" : ",") + std::string(value != 0 ? "true" : "false");
      is_set = is_set || value != 0;
    }
    // One value holds for all.
    if (is_set) summary.options[std::string(TextOf(key))] = text + "}";
  }
}

std::string ArgumentText(const CompileSummary& summary, size_t i) {
  const std::string& name = summary.arguments[i].name;
  return "argument " + std::to_string(i) + (name.empty() ? "" : " (" + name + ")");
}

std::string OrNone(const std::string& text) { return text.empty() ? "none" : text; }

// Lists what differs in the arguments, at most a few of each kind.
class ChangeList {
 public:
  void Add(RecompileCause cause, const std::string& what) {
    const size_t count = ++counts_[static_cast<size_t>(cause)];
    if (count > 1) {
      const auto at = std::find_if(changes_.begin(), changes_.end(),
                                   [&](const RecompileChange& c) { return c.cause == cause; });
      if (count <= 3) at->what += "; " + what;
      if (count == 4) at->what += "; and more";
      return;
    }
    changes_.push_back({cause, what});
  }
  [[nodiscard]] bool Has(RecompileCause cause) const {
    return counts_[static_cast<size_t>(cause)] != 0;
  }
  [[nodiscard]] std::vector<RecompileChange> Take() {
    std::sort(changes_.begin(), changes_.end(),
              [](const RecompileChange& x, const RecompileChange& y) { return x.cause < y.cause; });
    return std::move(changes_);
  }
  [[nodiscard]] bool empty() const { return changes_.empty(); }

 private:
  std::vector<RecompileChange> changes_;
  std::array<size_t, kRecompileCauses> counts_{};
};

void CompareArguments(const CompileSummary& before, const CompileSummary& after, ChangeList& out) {
  if (before.arguments.size() != after.arguments.size()) {
    out.Add(RecompileCause::kArguments, std::to_string(before.arguments.size()) +
                                            " arguments became " +
                                            std::to_string(after.arguments.size()));
    return;
  }
  for (size_t i = 0; i < after.arguments.size(); ++i) {
    const CompiledArgument& old_one = before.arguments[i];
    const CompiledArgument& new_one = after.arguments[i];
    const std::string change = ArgumentText(after, i) + ": " + old_one.type + old_one.dims +
                               " became " + new_one.type + new_one.dims;
    const bool same_dims = old_one.dims == new_one.dims;
    if (!same_dims) out.Add(RecompileCause::kShape, change);
    if (old_one.type != new_one.type) out.Add(RecompileCause::kDtype, change);
    if (old_one.sharding != new_one.sharding) {
      out.Add(RecompileCause::kSharding, ArgumentText(after, i) + ": " + OrNone(old_one.sharding) +
                                             " became " + OrNone(new_one.sharding));
    }
    if (same_dims && old_one.layout != new_one.layout) {
      out.Add(RecompileCause::kLayout, ArgumentText(after, i) + ": " + OrNone(old_one.layout) +
                                           " became " + OrNone(new_one.layout));
    }
  }
}

void CompareValues(const CompileSummary& before, const CompileSummary& after, ChangeList& out) {
  if (before.values == after.values) return;
  const bool constants = before.without_constants == after.without_constants;
  const bool precision = before.without_precision == after.without_precision;
  const bool both = before.without_both == after.without_both;
  if (constants || (both && !precision)) {
    out.Add(RecompileCause::kConstant, "other elements of a constant");
  }
  if (precision || (both && !constants)) {
    out.Add(RecompileCause::kOption, "other operand_precision of products");
  }
  if (!both) out.Add(RecompileCause::kCode, "other ops");
}

void CompareTexts(RecompileCause cause, const std::map<std::string, std::string>& before,
                  const std::map<std::string, std::string>& after, ChangeList& out) {
  for (const auto& [key, value] : after) {
    const auto found = before.find(key);
    if (found == before.end()) {
      out.Add(cause, key + "=" + value + ", not set before");
    } else if (found->second != value) {
      out.Add(cause, key + ": " + found->second + " became " + value);
    }
  }
  for (const auto& [key, value] : before) {
    if (!after.contains(key)) out.Add(cause, key + "=" + value + ", no longer set");
  }
}

void CompareDonations(const CompileSummary& before, const CompileSummary& after, ChangeList& out) {
  const auto contains = [](const std::vector<std::string>& all, const std::string& each) {
    return std::binary_search(all.begin(), all.end(), each);
  };
  for (const std::string& each : after.donations) {
    if (!contains(before.donations, each)) {
      out.Add(RecompileCause::kDonation, each + " newly donated");
    }
  }
  for (const std::string& each : before.donations) {
    if (!contains(after.donations, each)) {
      out.Add(RecompileCause::kDonation, each + " no longer donated");
    }
  }
}

}  // namespace

CompileSummary SummarizeCompile(const Module& module, std::string_view bytes) {
  CompileSummary summary;
  summary.text = TextDigest(bytes);
  if (!module.entry.valid() || module.entry.index() >= module.comps.size()) return summary;
  AddArguments(module, summary);
  AddDonationTexts(module, summary);
  AddOptions(module, summary);
  summary.values = FingerprintValues(module);
  summary.without_constants = FingerprintValues(module, {.ignore_constants = true});
  summary.without_precision = FingerprintValues(module, {.ignore_precision = true});
  summary.without_both =
      FingerprintValues(module, {.ignore_constants = true, .ignore_precision = true});
  summary.module = FingerprintModule(module);
  for (const Inst& inst : module.insts) {
    if (FlowOf(inst.opcode) == OpFlow::kConstant && inst.extra < module.literals.size() &&
        module.literals.is_elided(LiteralId(inst.extra))) {
      summary.elides = true;
    }
    if (FlowOf(inst.opcode) == OpFlow::kParameter && inst.parent == module.entry) continue;
    summary.shardings += HashWords({ShardingDigest(module, inst)});
  }
  return summary;
}

std::map<std::string, std::string> ReadFlags(std::string_view text) {
  std::map<std::string, std::string> flags;
  std::string nested;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t colon = line.find(": ");
    if (line.empty() || line.front() == ' ' || line.front() == '}' ||
        colon == std::string_view::npos) {
      nested += line;  // messages and what else has no value on its line
      continue;
    }
    const std::string_view key = line.substr(0, colon);
    // How much is dumped or logged makes no other program.
    if (key.starts_with("xla_dump_") || key == "xla_detailed_logging") continue;
    std::string& value = flags[std::string(key)];
    value += (value.empty() ? "" : ",") + std::string(line.substr(colon + 2));
  }
  if (!nested.empty()) flags["nested messages"] = nested;
  return flags;
}

std::string_view TextOf(RecompileCause cause) {
  return EnumTexts(cause)[static_cast<size_t>(cause)];
}

std::vector<RecompileChange> CompareCompiles(const CompileSummary& before,
                                             const CompileSummary& after) {
  ChangeList out;
  CompareArguments(before, after, out);
  CompareDonations(before, after, out);
  // Other arguments make other values; then nothing else can be told from these.
  const bool same_types = !out.Has(RecompileCause::kArguments) &&
                          !out.Has(RecompileCause::kShape) && !out.Has(RecompileCause::kDtype);
  if (same_types) {
    if (before.shardings != after.shardings && before.values == after.values &&
        !out.Has(RecompileCause::kSharding)) {
      out.Add(RecompileCause::kSharding, "other shardings inside the program or of its results");
    }
    CompareValues(before, after, out);
    if (before.values == after.values && before.result_layouts != after.result_layouts) {
      out.Add(RecompileCause::kLayout,
              "results: " + before.result_layouts + " became " + after.result_layouts);
    }
  }
  // How many values a header's list has follows from the arguments.
  if (!out.Has(RecompileCause::kArguments)) {
    CompareTexts(RecompileCause::kOption, before.options, after.options, out);
  }
  if (before.has_flags && after.has_flags) {
    CompareTexts(RecompileCause::kFlag, before.flags, after.flags, out);
  }
  if (out.empty()) {
    if (before.module != after.module) {
      out.Add(RecompileCause::kCode, "other attributes of instructions");
    } else if (before.elides && after.elides) {
      out.Add(RecompileCause::kUnknown,
              "the dump elides constants, which may differ; --xla_dump_hlo_as_proto keeps them");
    } else if (before.text != after.text) {
      out.Add(RecompileCause::kMetadata, "names, scopes or source lines");
    } else {
      out.Add(RecompileCause::kIdentical, "nothing in the program differs");
    }
  }
  return out.Take();
}

}  // namespace halo
