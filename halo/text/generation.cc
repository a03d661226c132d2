// Narrows down the generation. The style of names and operands gives candidates; each feature that
// appeared or disappeared in a known generation bounds them from below or above.
#include "halo/text/generation.h"

#include <algorithm>
#include <array>
#include <vector>

#include "halo/base/strings/escape.h"

namespace halo {
namespace {

constexpr Generation kFirst = Generation::kG1;
constexpr Generation kLast = Generation::kG6;

struct OpcodeLife {
  Opcode opcode;
  Generation from, to;
};
constexpr std::array kOpcodeLives = {
    OpcodeLife{Opcode::kAllReduceScatter, kFirst, Generation::kG1},
    OpcodeLife{Opcode::kTrace, kFirst, Generation::kG2},
    OpcodeLife{Opcode::kTupleSelect, kFirst, Generation::kG2},
    OpcodeLife{Opcode::kStochasticConvert, Generation::kG2, kLast},
    OpcodeLife{Opcode::kTan, Generation::kG2, kLast},
    OpcodeLife{Opcode::kTopK, Generation::kG2, kLast},
    OpcodeLife{Opcode::kErf, Generation::kG2, kLast},
    OpcodeLife{Opcode::kCollectiveBroadcast, Generation::kG2, kLast},
    OpcodeLife{Opcode::kRaggedAllToAll, Generation::kG2, kLast},
    OpcodeLife{Opcode::kRaggedDot, Generation::kG2, kLast},
    OpcodeLife{Opcode::kScaledDot, Generation::kG3, kLast},
    OpcodeLife{Opcode::kAcosh, Generation::kG3, kLast},
    OpcodeLife{Opcode::kAsinh, Generation::kG3, kLast},
    OpcodeLife{Opcode::kScan, Generation::kG4, kLast},
    OpcodeLife{Opcode::kMulhi, Generation::kG5, kLast},
    OpcodeLife{Opcode::kCollectiveReduce, Generation::kG6, kLast},
};

struct AttrLife {
  AttrKey key;
  Generation from, to;
};
constexpr std::array kAttrLives = {
    AttrLife{AttrKey::k_outer_dimension_partitions, kFirst, Generation::kG2},
    AttrLife{AttrKey::k_is_cross_program_prefetch, kFirst, Generation::kG2},
    AttrLife{AttrKey::k_async_group_id, Generation::kG2, Generation::kG2},
    AttrLife{AttrKey::k_async_thread_name, Generation::kG2, Generation::kG2},
    AttrLife{AttrKey::k_thread_name, Generation::kG2, Generation::kG2},
    AttrLife{AttrKey::k_operation_queue_id, Generation::kG2, Generation::kG2},
    AttrLife{AttrKey::k_wait_on_operation_queues, Generation::kG2, Generation::kG2},
    AttrLife{AttrKey::k_preserve_layout, Generation::kG2, Generation::kG2},
    AttrLife{AttrKey::k_original_value, Generation::kG2, Generation::kG2},
    AttrLife{AttrKey::k_sparsity, Generation::kG2, Generation::kG3},
    AttrLife{AttrKey::k_conv_kind, Generation::kG4, Generation::kG5},
    AttrLife{AttrKey::k_stack_frame_id, Generation::kG4, kLast},
};

class Detective {
 public:
  explicit Detective(const Module& module) : module_(module) {}

  GenerationGuess Guess() {
    LookAtOpcodes();
    LookAtAttributes();
    if (!module_.stack.empty()) Bound("FileNames ... StackFrames tables", Generation::kG4, kLast);
    if (module_.style.compact_gte) Bound("%x#0 tuple elements", Generation::kG6, kLast);
    return Conclude();
  }

 private:
  // Text with feature `what` was printed between two generations. A bound that contradicts earlier
  // evidence is ignored: hand-edited text mixes generations.
  void Bound(std::string_view what, Generation from, Generation to) {
    if (from > to_ || to < from_) return;
    if (from > from_) {
      from_ = from;
      from_why_ = what;
    }
    if (to < to_) {
      to_ = to;
      to_why_ = what;
    }
  }

  void LookAtOpcodes() {
    std::array<bool, 256> used{};
    for (const Inst& inst : module_.insts) used[static_cast<uint8_t>(inst.opcode)] = true;
    for (const OpcodeLife& life : kOpcodeLives) {
      if (used[static_cast<uint8_t>(life.opcode)]) Bound(TextOf(life.opcode), life.from, life.to);
    }
  }

  void LookAtAttributes() {
    // Lists are interned, so each is inspected once however many instructions share it.
    for (uint32_t list = 0; list < module_.attr_lists.size(); ++list) {
      for (const Attr& attr : module_.attrs_of(AttrListId(list))) LookAt(attr);
    }
  }

  void LookAt(const Attr& attr) {
    for (const AttrLife& life : kAttrLives) {
      if (life.key == attr.key) Bound(TextOf(attr.key), life.from, life.to);
    }
    const AttrKind kind = InfoOf(attr.key).kind;
    if (kind == AttrKind::kSharding || kind == AttrKind::kGroups) {
      const std::string_view text = module_.text(StrId(attr.value));
      const bool is_sharding = kind == AttrKind::kSharding;
      if (text.find("mesh[") != std::string_view::npos) {
        Bound(is_sharding ? "named sharding over a mesh" : "replica_groups over a mesh",
              Generation::kG5, kLast);
      } else if (text.find("<=[") != std::string_view::npos) {
        Bound(is_sharding ? "sharding as devices=[..]<=[..]" : "replica_groups as [..]<=[..]",
              Generation::kG2, kLast);
      }
    }
    if (attr.key == AttrKey::k_backend_config) {
      if (attr.form == AttrForm::kBare) {
        Bound("raw backend_config", Generation::kG2, kLast);
      } else if (LooksLikeJsonDict(module_.text(StrId(attr.value)))) {
        Bound("escaped backend_config", kFirst, Generation::kG2);
      }
    }
  }

  // The generations whose printer used this style of names and operands, and a description of it.
  std::vector<Generation> Candidates(std::string& style_text) const {
    const Style& style = module_.style;
    if (style.operand_shapes) {
      style_text = "operand shapes";
      return {Generation::kG1, Generation::kG3};
    }
    if (!style.percent && !style.program_shapes) {
      style_text = "names without %, no signatures";
      return {Generation::kG2};
    }
    style_text = style.percent ? "%names, no operand shapes" : "signatures, names without %";
    return {Generation::kG3, Generation::kG4, Generation::kG5, Generation::kG6};
  }

  GenerationGuess Conclude() {
    GenerationGuess guess;
    if (module_.insts.empty()) {
      guess.why = "no instructions to detect it from";
      return guess;
    }
    std::string style_text;
    std::vector<Generation> fitting = Candidates(style_text);
    std::erase_if(fitting, [this](Generation g) { return g < from_ || g > to_; });
    guess.why = style_text;
    if (fitting.empty()) {
      // The style is a printing option; the other features are not.
      guess.generation = from_;
      guess.latest = to_;
      guess.why = from_why_.empty() ? to_why_ : from_why_;
      guess.why += ", printed with " + style_text;
      return guess;
    }
    guess.generation = fitting.front();
    guess.latest = fitting.back();
    if (!from_why_.empty() && from_ > kFirst) guess.why += "; " + from_why_;
    if (!to_why_.empty() && to_why_ != from_why_) guess.why += "; " + to_why_;
    if (guess.latest != guess.generation) guess.why += "; no feature of a later generation";
    return guess;
  }

  const Module& module_;
  Generation from_ = kFirst;
  Generation to_ = kLast;
  std::string from_why_;
  std::string to_why_;
};

// Replaces stack_frame_id=n with source_file and source_line, which metadata had before there were
// tables.
AttrListId WithoutStackFrame(Module& module, AttrListId metadata) {
  std::vector<Attr> fields;
  const auto add = [&fields](const Attr& field) {
    fields.insert(std::upper_bound(fields.begin(), fields.end(), field,
                                   [](const Attr& a, const Attr& b) { return a.key < b.key; }),
                  field);
  };
  const std::span<const Attr> list = module.attrs_of(metadata);
  const std::vector<Attr> before(list.begin(), list.end());
  for (const Attr& field : before) {
    if (field.key != AttrKey::k_stack_frame_id) {
      add(field);
      continue;
    }
    const int64_t frame = module.IntValue(field);
    const auto row = [](int64_t id, const auto& table) {
      return id >= 1 && static_cast<size_t>(id) <= table.size()
                 ? &table[static_cast<size_t>(id) - 1]
                 : nullptr;
    };
    const StackFrame* at = row(frame, module.stack.stack_frames);
    const FileLocation* location =
        at == nullptr ? nullptr : row(at->file_location_id, module.stack.file_locations);
    const StrId* file =
        location == nullptr ? nullptr : row(location->file_name_id, module.stack.file_names);
    if (file == nullptr) continue;
    add(Attr{AttrKey::k_source_file, AttrForm::kPlain, 0, file->value});
    add(module.MakeInt(AttrKey::k_source_line, location->line));
  }
  return module.Attrs(fields);
}

// The attributes of one instruction in the spelling of `generation`.
AttrListId Respelled(Module& module, Generation generation, AttrListId list) {
  const std::span<const Attr> before = module.attrs_of(list);
  std::vector<Attr> attrs(before.begin(), before.end());
  for (Attr& attr : attrs) {
    if (attr.key == AttrKey::k_metadata && generation < Generation::kG4) {
      attr.value = WithoutStackFrame(module, AttrListId(attr.value)).value;
    }
    if (attr.key == AttrKey::k_backend_config && generation == Generation::kG1) {
      attr.form = AttrForm::kQuoted;
    }
  }
  return module.Attrs(attrs);
}

}  // namespace

GenerationGuess DetectGeneration(const Module& module) { return Detective(module).Guess(); }

std::string_view GenerationText(Generation generation) {
  switch (generation) {
    case Generation::kUnknown: return "unknown";
    case Generation::kG1: return "G1";
    case Generation::kG2: return "G2";
    case Generation::kG3: return "G3";
    case Generation::kG4: return "G4";
    case Generation::kG5: return "G5";
    case Generation::kG6: return "G6";
  }
  return "unknown";
}

void RestyleAs(Generation generation, Module& module) {
  Style& style = module.style;
  const bool is_short = generation == Generation::kG2;
  style.percent = !is_short;
  style.operand_shapes = generation == Generation::kG1;
  style.program_shapes = !is_short;
  style.operand_comments = !is_short;
  style.closing_names = false;
  style.compact_gte = generation == Generation::kG6;
  style.header = true;
  style.stack_tables = generation >= Generation::kG4;
  style.final_newlines = 2;
  // A text without a header has no module name either.
  if (module.text(module.name).empty() && module.entry.valid()) {
    module.name = module.comp(module.entry).name;
  }
  if (module.text(module.name).empty()) module.name = module.Str("module");
  // Equal lists stay equal: each is respelled once.
  std::vector<AttrListId> respelled(module.attr_lists.size());
  for (Inst& inst : module.insts) {
    AttrListId& mine = respelled[inst.attrs.index()];
    if (!mine.valid()) mine = Respelled(module, generation, inst.attrs);
    inst.attrs = mine;
  }
}

}  // namespace halo
