// Translates ids from one chunk's tables to another's.
#include "halo/text/read/merge.h"

namespace halo {

class ChunkMerger::Impl {
 public:
  explicit Impl(TextChunk& head) : head_(head), to_(*head.module), reader_(*head.reader) {}

  bool Merge(const TextChunk& next) {
    if (!CanMerge(next)) return false;
    next_ = &next;
    from_ = next.module.get();
    part_ = next.reader.get();
    MapStrings();
    shapes_ = to_.shapes.ImportAll(from_->shapes);
    MapLiterals();
    if (!MapComputations()) return false;
    ints_.assign(from_->ints.size(), kUnmapped);
    MapAttrLists();
    inst_base_ = static_cast<uint32_t>(to_.insts.size());
    operand_base_ = static_cast<uint32_t>(to_.operands.size());
    appended_ = 0;
    AppendOperands();
    const bool inside = next.starts == Reader::State::kInside;
    if ((inside && !MergeContinued()) || !MergeRest()) return false;
    head_.ends = next.ends;
    return !to_.strings.full() && !to_.attr_lists.full() && !to_.ints.full();
  }

 private:
  static constexpr uint32_t kUnmapped = 0xFFFFFFFFu;
  static constexpr uint32_t kIsName = 1;

  [[nodiscard]] bool CanMerge(const TextChunk& next) const {
    return head_.diagnostics.empty() && next.diagnostics.empty() && !reader_.needs_one_thread &&
           !next.reader->needs_one_thread && !reader_.snippet && !next.reader->snippet &&
           head_.ends == next.starts && reader_.cursor.at() == next.first &&
           to_.insts.size() + next.module->insts.size() < InstId::kNoneValue - 1 &&
           to_.operands.size() + next.module->operands.size() < UINT32_MAX;
  }

  void MapStrings() {
    from_->strings.HashesById(hashes_);
    strings_.assign(from_->strings.size(), 0);
    for (const Inst& inst : from_->insts) strings_[inst.name.index()] = kIsName;
    strings_[0] = 0;  // the empty string is also the name of unnamed items
    for (uint32_t i = 0; i < strings_.size(); ++i) {
      strings_[i] = strings_[i] == kIsName ? to_.strings.Append(from_->strings[i])
                                           : to_.strings.Intern(from_->strings[i], hashes_[i]);
    }
  }

  void MapLiterals() {
    literals_.clear();
    for (uint32_t i = 0; i < from_->literals.size(); ++i) {
      const LiteralId id(i);
      const ShapeId shape = shapes_[from_->literals.shape(id).index()];
      literals_.push_back(to_.literals.Import(from_->literals, id, shape));
    }
  }

  bool MapComputations() {
    comps_.assign(from_->comps.size(), CompId{});
    if (next_->starts == Reader::State::kInside) comps_[0] = reader_.comp;
    // In order of first mention, so that numbers match those of a sequential read.
    for (const Reader::CompRef& ref : part_->comp_refs) {
      const Computation& comp = from_->comp(ref.comp);
      comps_[ref.comp.index()] = reader_.CompNamed(StrId(strings_[comp.name.index()]), ref.offset);
      if (comp.defined && to_.comp(comps_[ref.comp.index()]).defined) return false;
    }
    return true;
  }

  uint32_t MapInts(uint32_t id) {
    if (ints_[id] == kUnmapped) ints_[id] = to_.ints.Intern(from_->ints[id]);
    return ints_[id];
  }

  // A list whose items are ids.
  template <class Map>
  uint32_t MapList(uint32_t id, const Map& map) {
    list_.assign(from_->ints[id].begin(), from_->ints[id].end());
    for (size_t i = 0; i < list_.size(); ++i) list_[i] = map(i, static_cast<uint32_t>(list_[i]));
    return to_.ints.Intern(list_);
  }

  void MapAttrLists() {
    attr_lists_.clear();
    attr_lists_.reserve(from_->attr_lists.size());
    std::vector<Attr> attrs;
    for (uint32_t i = 0; i < from_->attr_lists.size(); ++i) {
      attrs.clear();
      for (const Attr& attr : from_->attr_lists[i]) MapAttr(attrs.emplace_back(attr));
      attr_lists_.push_back(to_.Attrs(attrs));
    }
  }

  void MapAttr(Attr& attr) {
    const auto string = [this](size_t, uint32_t id) -> int64_t { return strings_[id]; };
    const auto shape = [this](size_t, uint32_t id) -> int64_t { return shapes_[id].value; };
    const auto comp = [this](size_t, uint32_t id) -> int64_t { return comps_[id].value; };
    if (attr.key == AttrKey::k_unknown) {
      attr.value = MapList(attr.value, string);
      return;
    }
    switch (InfoOf(attr.key).kind) {
      case AttrKind::kInt:
        if (attr.form == AttrForm::kListed) attr.value = MapInts(attr.value);
        break;
      case AttrKind::kBool: break;
      case AttrKind::kNumber:
      case AttrKind::kWord:
      case AttrKind::kString:
      case AttrKind::kConfig:
      case AttrKind::kDimLabels:
      case AttrKind::kSharding:
      case AttrKind::kGroups:
      case AttrKind::kVerbatim:
        if (attr.form != AttrForm::kOwnName) attr.value = strings_[attr.value];
        break;
      case AttrKind::kInts:
      case AttrKind::kBools:
      case AttrKind::kWindow:
      case AttrKind::kSlices:
      case AttrKind::kPadding:
      case AttrKind::kAliasing:
      case AttrKind::kDonors: attr.value = MapInts(attr.value); break;
      case AttrKind::kWords: attr.value = MapList(attr.value, string); break;
      case AttrKind::kInsts:  // still the index of a ControlRef
        attr.value += static_cast<uint32_t>(reader_.control_refs.size());
        break;
      case AttrKind::kComp: attr.value = comps_[attr.value].value; break;
      case AttrKind::kCompList: attr.value = MapList(attr.value, comp); break;
      case AttrKind::kMetadata: attr.value = attr_lists_[attr.value].value; break;
      case AttrKind::kShape: attr.value = shapes_[attr.value].value; break;
      case AttrKind::kShapes:
      case AttrKind::kProgramLayout: attr.value = MapList(attr.value, shape); break;
      case AttrKind::kLiteral: attr.value = literals_[attr.value].value; break;
      case AttrKind::kDict:
        attr.value = MapList(attr.value, [&](size_t i, uint32_t id) -> int64_t {
          return i % 3 == 2 ? static_cast<int64_t>(id) : string(i, id);
        });
        break;
    }
  }

  void AppendOperands() {
    InstId* out = to_.operands.extend(from_->operands.size());
    for (const InstId operand : from_->operands) {
      *out++ = operand.valid() ? InstId(operand.value + inst_base_) : operand;
    }
  }

  void AppendInsts(uint32_t begin, uint32_t end) {
    Inst* out = to_.insts.extend(end - begin);
    for (uint32_t i = begin; i < end; ++i, ++out) {
      Inst inst = from_->insts[i];
      inst.name = StrId(strings_[inst.name.index()]);
      inst.shape = shapes_[inst.shape.index()];
      inst.operands_begin += operand_base_;
      inst.attrs = attr_lists_[inst.attrs.index()];
      inst.parent = comps_[inst.parent.index()];
      if (inst.opcode == Opcode::kConstant) inst.extra = literals_[inst.extra].value;
      if (inst.opcode == Opcode::kUnknown) inst.extra = strings_[inst.extra];
      *out = inst;
    }
  }

  void TakePending(const std::vector<Reader::Pending>& waiting) {
    for (Reader::Pending one : waiting) {
      one.operand += operand_base_;
      if (one.written.valid()) one.written = shapes_[one.written.index()];
      reader_.pending.push_back(one);
    }
  }

  // Appends the rest of a computation that began in an earlier chunk.
  bool MergeContinued() {
    const bool closed = part_->continued_closed;
    const uint32_t count =
        closed ? part_->continued_count : static_cast<uint32_t>(from_->insts.size());
    AppendInsts(0, count);
    NameMap names = closed ? part_->continued_names : part_->names;
    names.MoveTo(to_, inst_base_);
    if (!reader_.AddEarlierNames(std::move(names))) return false;
    const InstId root = from_->comps[0].root;
    if (root.valid()) {
      if (reader_.root_marked) return false;
      reader_.root_marked = true;
      to_.comps[reader_.comp.index()].root = InstId(root.value + inst_base_);
    }
    TakePending(closed ? part_->continued_pending : part_->pending);
    if (!closed) return true;
    const StrId thread = from_->comps[0].execution_thread;
    if (thread.valid()) {
      to_.comps[reader_.comp.index()].execution_thread = StrId(strings_[thread.index()]);
    }
    reader_.CloseComputation(next_->first);
    appended_ = count;
    return reader_.diagnostics.empty();
  }

  bool MergeRest() {
    if (next_->starts == Reader::State::kInside && !part_->continued_closed) {
      Finish();
      return true;
    }
    AppendInsts(appended_, static_cast<uint32_t>(from_->insts.size()));
    for (const CompId local : from_->order) {
      const Computation& comp = from_->comp(local);
      const CompId id = comps_[local.index()];
      Computation& target = to_.comps[id.index()];
      target.defined = true;
      target.is_entry = comp.is_entry;
      target.first = comp.first + inst_base_;
      target.count = comp.count;
      if (comp.root.valid()) target.root = InstId(comp.root.value + inst_base_);
      if (comp.execution_thread.valid()) {
        target.execution_thread = StrId(strings_[comp.execution_thread.index()]);
      }
      to_.order.push_back(id);
    }
    if (from_->entry.valid()) {
      if (to_.entry.valid()) return false;
      to_.entry = comps_[from_->entry.index()];
    }
    if (next_->ends == Reader::State::kInside) {
      // The last computation stays open for the next chunk.
      reader_.comp = comps_[part_->comp.index()];
      reader_.comp_first = to_.comp(reader_.comp).first;
      reader_.root_marked = part_->root_marked;
      reader_.signature = part_->signature;
      TakePending(part_->pending);
      reader_.names = part_->names;
      reader_.names.MoveTo(to_, inst_base_);
      reader_.earlier_names.clear();
      reader_.earlier_bloom_filter.clear();
    }
    Finish();
    return true;
  }

  void Finish() {
    for (const Reader::ControlRef& ref : part_->control_refs) {
      reader_.control_refs.push_back({InstId(ref.inst.value + inst_base_), ref.names});
    }
    Style& style = to_.style;
    style.closing_names = style.closing_names || from_->style.closing_names;
    style.compact_gte = style.compact_gte || from_->style.compact_gte;
    if (!reader_.style_known && part_->style_known) {
      style.percent = from_->style.percent;
      reader_.style_known = true;
    }
    if (!reader_.program_style_known && part_->program_style_known) {
      style.program_shapes = from_->style.program_shapes;
      reader_.program_style_known = true;
    }
    if (!reader_.operand_style_known && part_->operand_style_known) {
      style.operand_shapes = from_->style.operand_shapes;
      reader_.operand_style_known = true;
    }
    if (!reader_.comment_style_known && part_->comment_style_known) {
      style.operand_comments = from_->style.operand_comments;
      reader_.comment_style_known = true;
    }
    reader_.cursor.MoveTo(part_->cursor.at());
  }

  TextChunk& head_;
  Module& to_;
  Reader& reader_;
  const TextChunk* next_ = nullptr;
  const Module* from_ = nullptr;
  const Reader* part_ = nullptr;
  FlatVector<uint32_t> hashes_;
  FlatVector<uint32_t> strings_;
  std::vector<ShapeId> shapes_;
  std::vector<LiteralId> literals_;
  std::vector<CompId> comps_;
  std::vector<uint32_t> ints_;
  std::vector<AttrListId> attr_lists_;
  std::vector<int64_t> list_;
  uint32_t inst_base_ = 0;
  uint32_t operand_base_ = 0;
  uint32_t appended_ = 0;
};

ChunkMerger::ChunkMerger(TextChunk& head) : impl_(std::make_unique<Impl>(head)) {}
ChunkMerger::~ChunkMerger() = default;
bool ChunkMerger::Merge(const TextChunk& next) { return impl_->Merge(next); }

void TextChunk::Read(bool is_first) {
  reader = std::make_unique<Reader>(text, *module, diagnostics);
  reader->cursor.MoveTo(begin);
  if (is_first) {
    reader->ReadHeader();
  } else if (starts == Reader::State::kInside) {
    reader->BeginContinued();
  }
  reader->cursor.SkipBlanks();
  first = reader->cursor.at();
  ends = reader->ReadBody(end, starts);
}

}  // namespace halo
