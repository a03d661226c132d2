// Values are digested through the graph that `halo diff` matches. The module as compiled is
// digested instruction by instruction, callees first, in linear time.
#include "halo/diff/fingerprint/fingerprint.h"

#include <algorithm>

#include "halo/analysis/graph/call_graph.h"
#include "halo/base/hash.h"
#include "halo/base/strings/hex.h"
#include "halo/diff/graph/cone_hash.h"
#include "halo/diff/graph/value_graph.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

uint64_t DigestText(std::string_view text) { return HashBytes(text.data(), text.size()); }

uint64_t DigestInts(std::span<const int64_t> values) {
  return HashBytes(values.data(), values.size() * sizeof(int64_t));
}

class ModuleDigester {
 public:
  explicit ModuleDigester(const Module& module)
      : module_(module),
        labels_(module),
        shapes_(module.shapes.size(), 0),
        attrs_(module.attr_lists.size(), 0),
        comps_(module.comps.size(), 0) {}

  uint64_t Digest() {
    const CallGraph calls(module_);
    if (!module_.entry.valid() || module_.entry.index() >= module_.comps.size() ||
        calls.cyclic().valid()) {
      return 0;
    }
    for (const CompId id : calls.post_order()) comps_[id.index()] = OfComputation(id);
    uint64_t header = 0;
    for (const Attr& attr : module_.attrs_of(module_.attrs)) {
      // Those of the header say how it was compiled, not what.
      if (attr.key != AttrKey::k_frontend_attributes) header += OfKeyAndValue(attr);
    }
    return HashWords({comps_[module_.entry.index()], header});
  }

 private:
  uint64_t OfComputation(CompId id) {
    const Computation& comp = module_.comp(id);
    const bool ordered = module_.is_scheduled();
    values_.assign(comp.count, 0);
    uint64_t all = 0;
    for (uint32_t i = 0; i < comp.count; ++i) {
      const Inst& inst = module_.insts[comp.first + i];
      uint64_t hash = HashWords({static_cast<uint64_t>(inst.opcode), OfShapeWithLayout(inst.shape),
                                 OfAttributes(inst.attrs), OfExtra(inst)});
      for (const InstId operand : module_.operands_of(inst)) {
        const size_t at = operand.valid() ? operand.index() - comp.first : comp.count;
        hash = HashWords({hash, at < i ? values_[at] : 0});
      }
      for (const int64_t each : module_.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
        const size_t at = static_cast<size_t>(each) - comp.first;
        hash += HashWords({3, at < i ? values_[at] : 0});
      }
      values_[i] = hash;
      all = ordered ? HashWords({all, hash}) : all + HashWords({hash});
    }
    const size_t root = comp.root.valid() ? comp.root.index() - comp.first : comp.count;
    return HashWords({all, root < comp.count ? values_[root] : 0});
  }

  [[nodiscard]] uint64_t OfExtra(const Inst& inst) const {
    if (inst.opcode == Opcode::kUnknown) return DigestText(module_.opcode_text(inst));
    const OpFlow flow = FlowOf(inst.opcode);
    if (flow == OpFlow::kParameter) return inst.extra;
    if (flow != OpFlow::kConstant || inst.extra >= module_.literals.size()) return 0;
    const LiteralId literal(inst.extra);
    if (module_.literals.is_verbatim(literal)) {
      return DigestText(module_.literals.verbatim_text(literal));
    }
    if (module_.literals.is_elided(literal)) return 1;
    const std::span<const uint8_t> bits = module_.literals.bits(literal);
    return HashBytes(bits.data(), bits.size());
  }

  uint64_t OfShapeWithLayout(ShapeId shape) {
    if (!shape.valid() || shape.index() >= shapes_.size()) return 1;
    uint64_t& known = shapes_[shape.index()];
    if (known == 0) known = DigestText(module_.shapes.Text(shape, true)) | 1;
    return known;
  }

  uint64_t OfAttributes(AttrListId list) {
    if (list.index() >= attrs_.size()) return 1;
    uint64_t& known = attrs_[list.index()];
    if (known == 0) {
      uint64_t sum = 0;
      for (const Attr& attr : module_.attrs_of(list)) sum += OfKeyAndValue(attr);
      known = sum | 1;
    }
    return known;
  }

  // 0 for what does not count.
  uint64_t OfKeyAndValue(const Attr& attr) {
    const uint64_t value = OfAttribute(attr);
    return value == 0 ? 0 : HashWords({static_cast<uint64_t>(attr.key), value});
  }

  // 0 for what does not count.
  uint64_t OfAttribute(const Attr& attr) {
    switch (attr.key) {
      case AttrKey::k_metadata:
      case AttrKey::k_channel_id:
      case AttrKey::k_origin:
      case AttrKey::k_original_value:
      case AttrKey::k_statistics:
      case AttrKey::k_control_predecessors: return 0;  // counted with their values
      default: break;
    }
    switch (InfoOf(attr.key).kind) {
      case AttrKind::kComp: return attr.value < comps_.size() ? HashWords({comps_[attr.value]}) : 1;
      case AttrKind::kCompList: {
        uint64_t hash = 1;
        for (const int64_t comp : module_.list(attr.value)) {
          const auto at = static_cast<size_t>(comp);
          hash = HashWords({hash, at < comps_.size() ? comps_[at] : 0});
        }
        return hash;
      }
      case AttrKind::kDict: {
        uint64_t hash = 1;
        const std::span<const int64_t> triples = module_.list(attr.value);
        for (size_t i = 0; i + 2 < triples.size(); i += 3) {
          hash =
              HashWords({hash, DigestText(module_.text(StrId(static_cast<uint32_t>(triples[i])))),
                         DigestText(module_.text(StrId(static_cast<uint32_t>(triples[i + 1]))))});
        }
        return hash;
      }
      case AttrKind::kShape: return OfShapeWithLayout(ShapeId(attr.value));
      case AttrKind::kShapes:
      case AttrKind::kProgramLayout: {
        uint64_t hash = 1;
        for (const int64_t shape : module_.list(attr.value)) {
          hash = HashWords({hash, OfShapeWithLayout(ShapeId(static_cast<uint32_t>(shape)))});
        }
        return hash;
      }
      case AttrKind::kAliasing:
      case AttrKind::kDonors: return DigestInts(module_.list(attr.value)) | 1;
      case AttrKind::kBool: return attr.value;
      default: return HashWords({labels_.OfAttr(attr)});
    }
  }

  const Module& module_;
  ValueLabels labels_;
  std::vector<uint64_t> shapes_, attrs_, comps_;  // by id; 0: not yet known
  std::vector<uint64_t> values_;                  // of one computation
};

bool IsSequencedCollective(const Inst& inst) {
  const OpProperties& properties = PropertiesOf(inst.opcode);
  const bool is_done =
      properties.partner != Opcode::kUnknown && properties.sync == Opcode::kUnknown;
  return properties.group != CollectiveFamily::kNone && !is_done;
}

// What devices must agree on. Of a reducer, its last op counts.
uint64_t DigestCollective(const Module& module, const Inst& inst, ValueLabels& labels) {
  uint64_t sum = 0;
  for (const Attr& attr : module.attrs_of(inst)) {
    if (!DecidesResult(attr.key)) continue;
    uint64_t value = 0;
    if (InfoOf(attr.key).kind != AttrKind::kComp) {
      value = labels.OfAttr(attr);
    } else if (attr.value < module.comps.size() && module.comps[attr.value].root.valid()) {
      value = static_cast<uint64_t>(module.inst(module.comps[attr.value].root).opcode);
    }
    sum += HashWords({static_cast<uint64_t>(attr.key), value});
  }
  return HashWords(
      {static_cast<uint64_t>(SynchronousOf(inst.opcode)), labels.OfShape(inst.shape), sum});
}

}  // namespace

std::vector<CollectiveStep> CollectiveSequence(const Module& module) {
  std::vector<CollectiveStep> steps;
  if (!module.entry.valid() || module.entry.index() >= module.comps.size()) return steps;
  ValueLabels labels(module);
  std::vector<bool> is_seen(module.comps.size(), false);
  struct Cursor {
    CompId comp;
    uint32_t next = 0;
  };
  std::vector<Cursor> stack = {{module.entry}};
  std::vector<CompId> called;
  is_seen[module.entry.index()] = true;
  while (!stack.empty()) {
    const Computation& comp = module.comp(stack.back().comp);
    if (stack.back().next == comp.count) {
      stack.pop_back();
      continue;
    }
    const InstId id(comp.first + stack.back().next++);
    const Inst& inst = module.inst(id);
    if (IsSequencedCollective(inst)) steps.push_back({DigestCollective(module, inst, labels), id});
    const OpCalls calls = PropertiesOf(inst.opcode).calls;
    if (calls != OpCalls::kRuns && calls != OpCalls::kFuses) continue;
    called.clear();
    CalledComputations(module, inst, called);
    // The first to run is visited first.
    for (auto each = called.rbegin(); each != called.rend(); ++each) {
      if (!each->valid() || each->index() >= is_seen.size() || is_seen[each->index()]) continue;
      is_seen[each->index()] = true;
      stack.push_back({*each});
    }
  }
  return steps;
}

uint64_t FingerprintModule(const Module& module) { return ModuleDigester(module).Digest(); }

uint64_t FingerprintCollectives(const std::vector<CollectiveStep>& steps) {
  uint64_t hash = 1;
  for (const CollectiveStep& step : steps) hash = HashWords({hash, step.digest});
  return hash;
}

uint64_t FingerprintValues(const Module& module, const LabelOptions& options) {
  const ValueGraph graph = BuildValueGraph(module, options);
  if (!graph.is_complete()) return FingerprintModule(module);
  std::vector<uint64_t> cones = HashCones(graph);
  uint64_t outputs = 1;
  for (const ValueEdge& edge : graph.outputs) {
    outputs = HashWords({outputs, cones[edge.node], edge.out, edge.view});
  }
  // Equal values count once, however often they are computed.
  std::sort(cones.begin(), cones.end());
  cones.erase(std::unique(cones.begin(), cones.end()), cones.end());
  return HashWords({outputs, HashBytes(cones.data(), cones.size() * sizeof(uint64_t))});
}

std::string FingerprintText(uint64_t fingerprint) { return HexText(fingerprint); }

}  // namespace halo
