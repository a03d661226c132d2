// Buffers that a module's results share with its parameters: those that input_output_alias and
// buffer_donor name must exist, be arrays, and be named once.
#include <set>
#include <utility>
#include <vector>

#include "halo/ir/attributes/aliasing.h"
#include "halo/semantics/facts/shape_index.h"
#include "halo/semantics/verify/module_rules.h"

namespace halo {
namespace {

using Position = std::pair<int64_t, std::vector<int64_t>>;

class ModuleAliasing {
 public:
  explicit ModuleAliasing(ModuleContext& context)
      : context_(context),
        module_(context.module()),
        parameters_(context.facts().comp(module_.entry).parameters),
        layout_(module_.IntsOf(module_.attrs, AttrKey::k_entry_computation_layout)) {}

  void AddAlias(const AliasEntry& entry) {
    const auto output = Subshape(module_.shapes, ResultShape(), entry.output_index);
    const auto input = Input(entry.number, entry.input_index, "input_output_alias");
    if (!output) {
      context_.ReportHeader(Rule::kAliasOutput, "input_output_alias names output ",
                            ListText(entry.output_index), " of ",
                            module_.shapes.Text(ResultShape(), false));
    }
    if (!input || !output) return;
    if (!outputs_.insert(entry.output_index).second) {
      context_.ReportHeader(Rule::kAliasTwice, "output ", ListText(entry.output_index),
                            " shares two parameters' buffers");
    }
    if (!inputs_.insert({entry.number, entry.input_index}).second) {
      context_.ReportHeader(Rule::kAliasTwice, "parameter ", entry.number, " ",
                            ListText(entry.input_index), " is shared by two outputs");
    }
    if (!module_.shapes.is_array(*output)) {
      context_.ReportHeader(Rule::kAliasArray, "output ", ListText(entry.output_index), " is ",
                            module_.shapes.Text(*output, false), ", not an array");
      return;
    }
    const auto output_bytes = module_.shapes.ByteSize(*output);
    const auto input_bytes = module_.shapes.ByteSize(*input);
    const bool may_match =
        output_bytes && input_bytes &&
        context_.SizeOnDevices(*output_bytes) == context_.SizeOnDevices(*input_bytes);
    if (output_bytes != input_bytes && !may_match) {
      context_.ReportHeader(Rule::kAliasSize, "output ", ListText(entry.output_index), " is ",
                            module_.shapes.Text(*output, false), ", parameter ", entry.number, " ",
                            ListText(entry.input_index), " ", module_.shapes.Text(*input, false));
    } else if (entry.kind == AliasKind::kMust && output_bytes == input_bytes &&
               !SameWithLayout(module_.shapes, *output, *input)) {
      context_.ReportHeader(Rule::kAliasShape, "output ", ListText(entry.output_index), " is ",
                            module_.shapes.Text(*output), ", parameter ", entry.number, " ",
                            ListText(entry.input_index), " ", module_.shapes.Text(*input));
    }
  }

  void AddDonor(const DonorEntry& entry) {
    if (!Input(entry.number, entry.index, "buffer_donor")) return;
    if (!inputs_.contains({entry.number, entry.index})) return;
    context_.ReportHeader(Rule::kDonorAliased, "parameter ", entry.number, " ",
                          ListText(entry.index), " is donated and also aliased");
  }

 private:
  // The header's shapes take precedence if it has them.
  [[nodiscard]] ShapeId ResultShape() const {
    if (!layout_.empty()) return ShapeId(static_cast<uint32_t>(layout_[0]));
    return module_.inst(module_.comp(module_.entry).root).shape;
  }
  [[nodiscard]] ShapeId ParameterShape(size_t number) const {
    if (number + 1 < layout_.size()) return ShapeId(static_cast<uint32_t>(layout_[number + 1]));
    return module_.inst(parameters_[number]).shape;
  }

  std::optional<ShapeId> Input(int64_t number, std::span<const int64_t> index,
                               std::string_view where) {
    if (number < 0 || number >= static_cast<int64_t>(parameters_.size())) {
      context_.ReportHeader(Rule::kAliasParameter, where, " names parameter ", number, " of ",
                            parameters_.size());
      return std::nullopt;
    }
    const ShapeId shape = ParameterShape(static_cast<size_t>(number));
    const auto part = Subshape(module_.shapes, shape, index);
    if (!part) {
      context_.ReportHeader(Rule::kAliasParameter, where, " names ", ListText(index),
                            " of parameter ", number, ", which is ",
                            module_.shapes.Text(shape, false));
      return std::nullopt;
    }
    if (module_.shapes.is_array(*part)) return part;
    context_.ReportHeader(Rule::kAliasArray, where, " names ", ListText(index), " of parameter ",
                          number, ", which is ", module_.shapes.Text(*part, false),
                          ", not an array");
    return std::nullopt;
  }

  ModuleContext& context_;
  const Module& module_;
  std::span<const InstId> parameters_;
  std::span<const int64_t> layout_;
  std::set<Position> inputs_;
  std::set<std::vector<int64_t>> outputs_;
};

}  // namespace

void VerifyAliasing(ModuleContext& context) {
  const Module& module = context.module();
  if (!context.facts().usable(module.entry)) return;
  ModuleAliasing aliasing(context);
  const auto aliases = module.IntsOf(module.attrs, AttrKey::k_input_output_alias);
  for (const AliasEntry& entry : DecodeAliases(aliases)) aliasing.AddAlias(entry);
  const auto donors = module.IntsOf(module.attrs, AttrKey::k_buffer_donor);
  for (const DonorEntry& entry : DecodeDonors(donors)) aliasing.AddDonor(entry);
}

}  // namespace halo
