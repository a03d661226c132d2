// Reads the attributes that any instruction may have: sharding, control predecessors, statistics,
// accuracy, origin, metadata, backend_config.
#include <algorithm>

#include "halo/base/strings/escape.h"
#include "halo/ir/ir_diagnostics.h"
#include "halo/ir/sharding/device_order.h"
#include "halo/ir/types/numeric.h"
#include "halo/ir/unknown_attribute.h"
#include "halo/proto/parts/kept_sharding.h"
#include "halo/proto/parts/sharding_proto.h"
#include "halo/proto/read/read_attributes.h"
#include "halo/proto/wire/enum_names.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/json_sort.h"
#include "halo/proto/wire/proto_diagnostics.h"

namespace halo {
namespace {

// The number of shardings that a value of this shape needs: one per leaf, or one if it has no
// leaves.
size_t LeavesOf(const ShapeTable& shapes, ShapeId shape) {
  if (!shapes.is_tuple(shape)) return 1;
  size_t leaves = 0;
  for (const ShapeId part : shapes.elements(shape)) {
    const bool empty = shapes.is_tuple(part) && shapes.elements(part).empty();
    if (!empty) leaves += LeavesOf(shapes, part);
  }
  return std::max<size_t>(leaves, 1);
}

// ---- Origin

struct OriginLeaf {
  std::vector<int64_t> index;  // position in the value
  std::string text;            // "name" {index there}, or empty
};

// Prints leaves [begin, end), whose indices are equal up to `depth`, as nested tuples. False if
// their indices have gaps.
bool PrintOrigin(const std::vector<OriginLeaf>& leaves, size_t begin, size_t end, size_t depth,
                 TextBuffer& out) {
  if (depth > kMaxNesting) return false;
  if (end - begin == 1 && leaves[begin].index.size() == depth) {
    out << '{' << leaves[begin].text << '}';
    return true;
  }
  out << '(';
  int64_t expected = 0;
  while (begin < end) {
    if (leaves[begin].index.size() <= depth || leaves[begin].index[depth] != expected) return false;
    size_t same = begin + 1;
    while (same < end && leaves[same].index.size() > depth &&
           leaves[same].index[depth] == expected) {
      ++same;
    }
    if (expected != 0) out << ", ";
    if (!PrintOrigin(leaves, begin, same, depth + 1, out)) return false;
    begin = same;
    ++expected;
  }
  out << ')';
  return true;
}

}  // namespace

bool ProtoContext::ReadShardingText(std::string_view proto, size_t leaves, StrId& text) {
  std::string key(proto);
  key += '#';
  key += std::to_string(leaves);
  const auto known = shardings_.find(key);
  if (known != shardings_.end()) {
    text = known->second;
    return true;
  }
  TextBuffer out;
  if (HasUnknownParts(proto)) {
    Report(diag::kUnknownForm, proto, "this sharding has a field or value that is not understood");
    out << KeptShardingText(proto);
  } else if (!PrintOpSharding(proto, leaves, out)) {
    return Report(diag::kBadSharding, proto, "this sharding is malformed");
  }
  text = module.Str(out.view());
  shardings_.emplace(std::move(key), text);
  return true;
}

std::optional<Attr> AttributeReader::Sharding() {
  if (!IsPresent(f_->sharding)) return std::nullopt;
  const bool tuple = module_.shapes.is_tuple(inst_->shape);
  StrId text;
  if (!context_.ReadShardingText(f_->sharding, tuple ? LeavesOf(module_.shapes, inst_->shape) : 0,
                                 text)) {
    good_ = false;
    return std::nullopt;
  }
  if (!KeptShardingBytes(module_.text(text))) {
    return Attr{AttrKey::k_sharding, AttrForm::kPlain, 0, text.value};
  }
  return MakeUnknownAttribute(module_, module_.Str(TextOf(AttrKey::k_sharding)), text);
}

std::optional<Attr> ReadFrontendAttributes(ProtoContext& context, std::string_view proto) {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  pairs.reserve(CountFields(proto, pb::FrontendAttributes::k_map));
  WireReader reader(proto);
  while (reader.Next()) {
    std::string_view entry;
    if (reader.field() != pb::FrontendAttributes::k_map || !reader.Get(entry)) continue;
    auto& [key, value] = pairs.emplace_back();
    WireReader fields(entry);
    while (fields.Next()) {
      if (fields.field() == pb::StringEntry::k_key) fields.Get(key);
      if (fields.field() == pb::StringEntry::k_value) fields.Get(value);
    }
    if (!context.Check(fields, entry)) return std::nullopt;
  }
  if (!context.Check(reader, proto) || pairs.empty()) return std::nullopt;
  std::sort(pairs.begin(), pairs.end());
  std::vector<int64_t> items;
  for (const auto& [key, value] : pairs) {
    const AttrForm form = LooksLikeJsonDict(value) ? AttrForm::kBare : AttrForm::kQuoted;
    items.push_back(context.module.Str(key).value);
    items.push_back(context.module.Str(value).value);
    items.push_back(static_cast<int64_t>(form));
  }
  return context.module.MakeInts(AttrKey::k_frontend_attributes, items);
}

std::optional<Attr> AttributeReader::ControlPredecessors() {
  if (f_->control_ids.empty()) return std::nullopt;
  ints_.clear();
  for (const int64_t id : f_->control_ids) {
    if (const auto inst = scope_.instruction(id)) {
      ints_.push_back(inst->value);
    } else {
      Fail(diag::kProtoBadReference, f_->name,
           "control predecessor " + std::to_string(id) + " is not in this computation");
    }
  }
  return module_.MakeInts(AttrKey::k_control_predecessors, ints_);
}

std::optional<Attr> AttributeReader::Statistics() {
  int64_t shown = 0;
  TextBuffer values;
  WireReader reader(f_->statistics);
  while (reader.Next()) {
    std::string_view statistic;
    if (reader.field() == pb::StatisticsViz::k_stat_index_to_visualize) reader.Get(shown);
    if (reader.field() != pb::StatisticsViz::k_statistics || !reader.Get(statistic)) continue;
    std::string_view name;
    double value = 0;
    WireReader fields(statistic);
    while (fields.Next()) {
      if (fields.field() == pb::Statistic::k_stat_name) fields.Get(name);
      if (fields.field() == pb::Statistic::k_stat_val) fields.GetDouble(value);
    }
    values << ',' << name << '=';
    AppendShortFloat(value, values);
  }
  if (!context_.Check(reader, f_->statistics)) good_ = false;
  if (values.size() == 0) return std::nullopt;
  TextBuffer text;
  text << "{visualizing_index=" << shown << values.view() << '}';
  return module_.MakeText(AttrKey::k_statistics, text.view());
}

std::optional<Attr> AttributeReader::Accuracy() {
  if (!IsPresent(f_->result_accuracy)) return std::nullopt;
  int64_t mode = 0;
  std::string_view tolerance;
  WireReader reader(f_->result_accuracy);
  while (reader.Next()) {
    if (reader.field() == pb::ResultAccuracy::k_mode) reader.Get(mode);
    if (reader.field() == pb::ResultAccuracy::k_tolerance) reader.Get(tolerance);
  }
  if (!context_.Check(reader, f_->result_accuracy)) good_ = false;
  TextBuffer text;
  if (mode != 0) {
    text << "{mode=" << EnumWord(AccuracyModeNames(), mode) << '}';
  } else if (IsPresent(tolerance)) {
    double atol = 0, rtol = 0;
    int64_t ulps = 0;
    WireReader fields(tolerance);
    while (fields.Next()) {
      if (fields.field() == pb::Tolerance::k_atol) fields.GetDouble(atol);
      if (fields.field() == pb::Tolerance::k_rtol) fields.GetDouble(rtol);
      if (fields.field() == pb::Tolerance::k_ulps) fields.Get(ulps);
    }
    text << "{tolerance={atol=";
    AppendShortFloat(atol, text);
    text << ",rtol=";
    AppendShortFloat(rtol, text);
    text << ",ulps=" << ulps << "}}";
  } else {
    return std::nullopt;
  }
  return module_.MakeText(AttrKey::k_result_accuracy, text.view());
}

std::optional<Attr> AttributeReader::Origin() {
  if (!IsPresent(f_->original_value)) return std::nullopt;
  std::vector<OriginLeaf> leaves;
  leaves.reserve(CountFields(f_->original_value, pb::OriginalValueProto::k_elements));
  bool synthetic = false;
  WireReader reader(f_->original_value);
  while (reader.Next()) {
    if (reader.field() == pb::OriginalValueProto::k_is_synthetic_call) reader.Get(synthetic);
    std::string_view element;
    if (reader.field() != pb::OriginalValueProto::k_elements || !reader.Get(element)) continue;
    OriginLeaf& leaf = leaves.emplace_back();
    std::string_view array;
    WireReader fields(element);
    while (fields.Next()) {
      if (fields.field() == pb::OriginalValueElementProto::k_shape_index) fields.Append(leaf.index);
      if (fields.field() == pb::OriginalValueElementProto::k_original_array) fields.Get(array);
    }
    if (!IsPresent(array)) continue;
    std::string_view name;
    ints_.clear();
    WireReader inner(array);
    while (inner.Next()) {
      if (inner.field() == pb::OriginalArrayProto::k_instruction_name) inner.Get(name);
      if (inner.field() == pb::OriginalArrayProto::k_shape_index) inner.Append(ints_);
    }
    TextBuffer text;
    text << '"' << name << '"';
    if (!ints_.empty()) {
      text << " {";
      PrintIntList(ints_, text);
      text << '}';
    }
    leaf.text = text.view();
  }
  if (!context_.Check(reader, f_->original_value)) good_ = false;
  TextBuffer text;
  text << '{';
  if (synthetic) {
    text << "[synthetic_call]";
  } else {
    std::sort(leaves.begin(), leaves.end(),
              [](const OriginLeaf& a, const OriginLeaf& b) { return a.index < b.index; });
    if (!PrintOrigin(leaves, 0, leaves.size(), 0, text)) {
      Fail(diag::kProtoBadValue, f_->original_value,
           "the indices of the origin are not contiguous");
      return std::nullopt;
    }
  }
  text << '}';
  return module_.MakeText(AttrKey::k_origin, text.view());
}

std::string_view AttributeReader::PayloadText(std::string_view payload, bool& present) {
  std::string_view value;
  int64_t id = -1;
  WireReader reader(payload);
  while (reader.Next()) {
    if (reader.field() == pb::Payload::k_value && reader.Get(value)) id = -1;
    if (reader.field() == pb::Payload::k_id && reader.Get(id)) value = {};
  }
  if (!context_.Check(reader, payload)) good_ = false;
  present = IsPresent(value);
  if (present || id < 0) return value;
  if (static_cast<uint64_t>(id) >= context_.payloads.size()) {
    Fail(diag::kProtoBadReference, payload,
         "payload " + std::to_string(id) + " of " + std::to_string(context_.payloads.size()));
    return {};
  }
  present = true;
  return context_.payloads[static_cast<size_t>(id)];
}

std::optional<Attr> AttributeReader::Metadata() {
  using pb::OpMetadata;
  if (f_->metadata.empty()) return std::nullopt;
  std::string_view op_type, op_name, source_file, deduplicated, scheduling, payload;
  int64_t line = 0, end_line = 0, column = 0, end_column = 0, frame = 0;
  ints_.clear();
  WireReader reader(f_->metadata);
  while (reader.Next()) {
    switch (reader.field()) {
      case OpMetadata::k_op_type: reader.Get(op_type); break;
      case OpMetadata::k_op_name: reader.Get(op_name); break;
      case OpMetadata::k_source_file: reader.Get(source_file); break;
      case OpMetadata::k_source_line: reader.Get(line); break;
      case OpMetadata::k_source_end_line: reader.Get(end_line); break;
      case OpMetadata::k_source_column: reader.Get(column); break;
      case OpMetadata::k_source_end_column: reader.Get(end_column); break;
      case OpMetadata::k_profile_type: reader.Append(ints_); break;
      case OpMetadata::k_deduplicated_name: reader.Get(deduplicated); break;
      case OpMetadata::k_scheduling_name: reader.Get(scheduling); break;
      case OpMetadata::k_stack_frame_id: reader.Get(frame); break;
      case OpMetadata::k_metadata_payload: reader.Get(payload); break;
      default: break;
    }
  }
  if (!context_.Check(reader, f_->metadata)) good_ = false;
  if (!context_.stack_frames) frame = 0;
  if (op_type.empty() && op_name.empty() && source_file.empty() && scheduling.empty() &&
      frame == 0 && !IsPresent(payload)) {
    return std::nullopt;
  }
  std::vector<Attr> fields;
  const auto text = [&](AttrKey key, std::string_view value) {
    if (!value.empty()) fields.push_back(module_.MakeText(key, value));
  };
  const auto number = [&](AttrKey key, int64_t value) {
    if (value != 0) fields.push_back(module_.MakeInt(key, value));
  };
  text(AttrKey::k_op_type, op_type);
  text(AttrKey::k_op_name, op_name);
  text(AttrKey::k_source_file, source_file);
  number(AttrKey::k_source_line, line);
  number(AttrKey::k_source_end_line, end_line);
  number(AttrKey::k_source_column, column);
  number(AttrKey::k_source_end_column, end_column);
  if (!ints_.empty()) fields.push_back(module_.MakeInts(AttrKey::k_profile_type, ints_));
  text(AttrKey::k_deduplicated_name, deduplicated);
  if (scheduling == module_.name_of(*inst_) && !scheduling.empty()) {
    fields.push_back(Attr{AttrKey::k_scheduling_name, AttrForm::kOwnName, 0, 0});
  } else {
    text(AttrKey::k_scheduling_name, scheduling);
  }
  number(AttrKey::k_stack_frame_id, frame);
  if (IsPresent(payload)) {
    bool present = false;
    const std::string_view value = PayloadText(payload, present);
    if (present) fields.push_back(module_.MakeText(AttrKey::k_metadata_payload, value));
  }
  return Attr{AttrKey::k_metadata, AttrForm::kPlain, 0, module_.Attrs(fields).value};
}

std::optional<Attr> AttributeReader::BackendConfig() {
  std::string_view config = f_->backend_config;
  if (IsPresent(f_->backend_payload)) {
    bool present = false;
    config = PayloadText(f_->backend_payload, present);
  }
  if (config.empty()) return std::nullopt;
  std::optional<std::string> sorted;
  if (context_.sort_configs && (sorted = SortedJson(config))) config = *sorted;
  return module_.MakeText(AttrKey::k_backend_config, config,
                          LooksLikeJsonDict(config) ? AttrForm::kBare : AttrForm::kQuoted);
}

}  // namespace halo
