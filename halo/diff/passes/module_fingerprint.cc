// Hashes instructions with their operands, computations after those they call.
#include "halo/diff/passes/module_fingerprint.h"

#include <vector>

#include "halo/analysis/graph/call_graph.h"
#include "halo/base/capped.h"
#include "halo/diff/graph/value_label.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

uint64_t HashOfText(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return HashWords({hash, text.size()});
}

class Fingerprinter {
 public:
  explicit Fingerprinter(const Module& module)
      : module_(module),
        calls_(module),
        labels_(module),
        shapes_(module.shapes.size(), 0),
        comps_(module.comps.size(), 0),
        insts_(module.insts.size(), 0) {}

  uint64_t Of() {
    if (!module_.entry.valid() || calls_.cyclic().valid()) return 0;
    const bool ordered = module_.is_scheduled();
    for (const CompId id : calls_.post_order()) {
      const Computation& comp = module_.comp(id);
      uint64_t all = comp.count;
      for (uint32_t i = 0; i < comp.count; ++i) {
        const uint64_t hash = insts_[comp.first + i] = OfInst(InstId(comp.first + i));
        all = ordered ? HashWords({all, hash}) : all + HashWords({hash, 7});
      }
      const uint64_t root = comp.root.valid() ? insts_[comp.root.index()] : 0;
      comps_[id.index()] = HashWords({all, root});
    }
    return HashWords({comps_[module_.entry.index()], OfAttrs(module_.attrs, true)});
  }

 private:
  uint64_t OfShape(ShapeId shape) {
    if (!shape.valid() || shape.index() >= shapes_.size()) return 0;
    uint64_t& known = shapes_[shape.index()];
    if (known == 0) known = HashOfText(module_.shapes.Text(shape, true)) | 1;
    return known;
  }

  uint64_t OfAttr(const Attr& attr) {
    switch (InfoOf(attr.key).kind) {
      case AttrKind::kComp: return comps_[attr.value];
      case AttrKind::kCompList: {
        uint64_t hash = 0;
        for (const int64_t comp : module_.list(attr.value)) {
          hash = HashWords({hash, comps_[static_cast<size_t>(comp)]});
        }
        return hash;
      }
      case AttrKind::kShape: return OfShape(ShapeId(attr.value));
      case AttrKind::kShapes:
      case AttrKind::kProgramLayout: {
        uint64_t hash = 0;
        for (const int64_t shape : module_.list(attr.value)) {
          hash = HashWords({hash, OfShape(ShapeId(static_cast<uint32_t>(shape)))});
        }
        return hash;
      }
      case AttrKind::kAliasing:
      case AttrKind::kDonors: {
        uint64_t hash = 0;
        for (const int64_t each : module_.list(attr.value)) {
          hash = HashWords({hash, static_cast<uint64_t>(each)});
        }
        return hash;
      }
      default: return labels_.OfAttr(attr);
    }
  }

  uint64_t OfAttrs(AttrListId list, bool is_header) {
    uint64_t sum = 0;
    for (const Attr& attr : module_.attrs_of(list)) {
      const AttrKind kind = InfoOf(attr.key).kind;
      const bool is_number = attr.key == AttrKey::k_channel_id;
      const bool is_about = kind == AttrKind::kMetadata || attr.key == AttrKey::k_origin;
      if (is_number || is_about || kind == AttrKind::kInsts) continue;
      if (is_header && attr.key == AttrKey::k_frontend_attributes) continue;
      const uint64_t value = OfAttr(attr);
      if (kind == AttrKind::kBool && value == 0) continue;
      sum += HashWords({static_cast<uint64_t>(attr.key), value});
    }
    return sum;
  }

  uint64_t OfInst(InstId id) {
    const Inst& inst = module_.inst(id);
    uint64_t hash = HashWords({labels_.Of(id), static_cast<uint64_t>(inst.opcode),
                               OfShape(inst.shape), OfAttrs(inst.attrs, false)});
    for (const InstId operand : module_.operands_of(inst)) {
      hash = HashWords({hash, operand.valid() && operand < id ? insts_[operand.index()] : 1});
    }
    for (const int64_t each : module_.IntsOf(inst.attrs, AttrKey::k_control_predecessors)) {
      const auto index = static_cast<size_t>(each);
      hash += HashWords({3, index < id.index() ? insts_[index] : 1});
    }
    return hash;
  }

  const Module& module_;
  CallGraph calls_;
  ValueLabels labels_;
  std::vector<uint64_t> shapes_, comps_, insts_;
};

}  // namespace

uint64_t FingerprintOf(const Module& module) { return Fingerprinter(module).Of(); }

ModuleCounts CountsOf(const Module& module) {
  ModuleCounts counts;
  counts.instructions = static_cast<int64_t>(module.insts.size());
  counts.computations = static_cast<int64_t>(module.comps.size());
  const CallGraph calls(module);
  for (const Inst& inst : module.insts) {
    ++counts.opcodes[std::string(module.opcode_text(inst))];
    if (PropertiesOf(inst.opcode).calls == OpCalls::kFuses) ++counts.fusions;
    const OpCategory category = PropertiesOf(inst.opcode).category;
    const bool is_stored = category != OpCategory::kTuple && category != OpCategory::kControl &&
                           category != OpCategory::kParameter && category != OpCategory::kConstant;
    if (!is_stored || calls.context(inst.parent) != CallGraph::Context::kControlFlow) continue;
    counts.bytes = AddCapped(counts.bytes, module.shapes.ByteSize(inst.shape).value_or(0));
  }
  return counts;
}

}  // namespace halo
