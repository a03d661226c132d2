// Writes attributes that any instruction may have, and parses the small notations that a proto
// stores as messages. What cannot be parsed is reported and omitted.
#include <algorithm>
#include <charconv>

#include "halo/ir/sharding/scanner.h"
#include "halo/ir/sharding/sharding.h"
#include "halo/proto/parts/sharding_proto.h"
#include "halo/proto/wire/enum_names.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/proto_diagnostics.h"
#include "halo/proto/write/write_context.h"

namespace halo {
namespace {

using Pb = pb::HloInstructionProto;

size_t LeavesOf(const ShapeTable& shapes, ShapeId shape) {
  if (!shapes.is_tuple(shape)) return 1;
  size_t leaves = 0;
  for (const ShapeId part : shapes.elements(shape)) {
    const bool empty = shapes.is_tuple(part) && shapes.elements(part).empty();
    if (!empty) leaves += LeavesOf(shapes, part);
  }
  return std::max<size_t>(leaves, 1);
}

// A number in any form that text uses for doubles.
std::optional<double> TakeDouble(Scanner& scan, std::string_view text) {
  static_cast<void>(scan.Peek());
  const size_t begin = scan.position();
  double value = 0;
  const char* first = text.data() + begin;
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  scan.Rewind(begin + static_cast<size_t>(end - first));
  return value;
}

// ({"a" {0}}, {}): one element for each leaf.
bool WriteOriginNode(Scanner& scan, std::vector<int64_t>& index, WireWriter& out) {
  if (index.size() > kMaxNesting) return false;
  if (scan.Eat('(')) {
    if (scan.Eat(')')) return true;
    index.push_back(0);
    do {
      if (!WriteOriginNode(scan, index, out)) return false;
      index.back() += 1;
    } while (scan.Eat(','));
    index.pop_back();
    return scan.Eat(')');
  }
  if (!scan.Eat('{')) return false;
  const size_t mark = out.Begin(pb::OriginalValueProto::k_elements);
  out.PackedInts(pb::OriginalValueElementProto::k_shape_index, index);
  if (!scan.Eat('}')) {
    const auto name = scan.Quoted();
    std::vector<int64_t> inner;
    if (!name) return false;
    if (scan.Eat('{') && !scan.Eat('}')) {
      if (!scan.Ints(inner) || !scan.Eat('}')) return false;
    }
    const size_t array = out.Begin(pb::OriginalValueElementProto::k_original_array);
    out.BytesIf(pb::OriginalArrayProto::k_instruction_name, *name);
    out.PackedInts(pb::OriginalArrayProto::k_shape_index, inner);
    out.End(array);
    if (!scan.Eat('}')) return false;
  }
  out.End(mark);
  return true;
}

}  // namespace

void ProtoWriter::Omit(std::string_view what) {
  if (!omitted_.emplace(what).second) return;
  diagnostics_.Add(MakeBinaryDiagnostic(diag::kProtoUnspecified, 0,
                                        std::string(what) + " is omitted from the proto"));
}

void ProtoWriter::WriteShared(const Inst& inst, const Attr& attr, WireWriter& out) {
  switch (attr.key) {
    case AttrKey::k_sharding: {
      const bool tuple = module_.shapes.is_tuple(inst.shape);
      WriteShardingField(Pb::k_sharding, Text(attr),
                         tuple ? LeavesOf(module_.shapes, inst.shape) : 0, out);
      break;
    }
    case AttrKey::k_frontend_attributes: WriteDict(Pb::k_frontend_attributes, attr, out); break;
    case AttrKey::k_control_predecessors: {
      std::vector<int64_t> ids;
      for (const int64_t pred : module_.list(attr.value)) {
        ids.push_back(inst_ids_[static_cast<size_t>(pred)]);
      }
      out.PackedInts(Pb::k_control_predecessor_ids, ids);
      break;
    }
    case AttrKey::k_statistics: WriteStatistics(Text(attr), out); break;
    case AttrKey::k_result_accuracy: WriteAccuracy(Text(attr), out); break;
    case AttrKey::k_origin: WriteOrigin(Text(attr), out); break;
    case AttrKey::k_metadata: WriteMetadata(inst, attr, out); break;
    case AttrKey::k_backend_config: out.BytesIf(Pb::k_backend_config, Text(attr)); break;
    default: Omit("attribute '" + std::string(TextOf(attr.key)) + "'"); break;
  }
}

void ProtoWriter::WriteShardingField(uint32_t field, std::string_view text, size_t leaves,
                                     WireWriter& out) {
  auto sharding = ParseSharding(text);
  if (!sharding) return Omit("sharding " + std::string(text.substr(0, 80)));
  CanonicalizeSharding(*sharding);
  if (leaves != 0) *sharding = RepeatForLeaves(*sharding, leaves);
  const size_t mark = out.Begin(field);
  WriteOpSharding(*sharding, out);
  out.End(mark);
}

void ProtoWriter::WriteDict(uint32_t field, const Attr& attr, WireWriter& out) {
  const auto items = module_.list(attr.value);
  const size_t mark = out.Begin(field);
  for (size_t i = 0; i + 2 < items.size(); i += 3) {
    const size_t entry = out.Begin(pb::FrontendAttributes::k_map);
    out.Bytes(pb::StringEntry::k_key, module_.text(StrId(static_cast<uint32_t>(items[i]))));
    out.Bytes(pb::StringEntry::k_value, module_.text(StrId(static_cast<uint32_t>(items[i + 1]))));
    out.End(entry);
  }
  out.End(mark);
}

void ProtoWriter::WriteMetadata(const Inst& inst, const Attr& attr, WireWriter& out) {
  using pb::OpMetadata;
  const size_t mark = out.Begin(Pb::k_metadata);
  for (const Attr& field : module_.attrs_of(AttrListId(attr.value))) {
    const auto number = [&](uint32_t to) { out.IntIf(to, module_.IntValue(field)); };
    switch (field.key) {
      case AttrKey::k_op_type: out.BytesIf(OpMetadata::k_op_type, Text(field)); break;
      case AttrKey::k_op_name: out.BytesIf(OpMetadata::k_op_name, Text(field)); break;
      case AttrKey::k_source_file: out.BytesIf(OpMetadata::k_source_file, Text(field)); break;
      case AttrKey::k_source_line: number(OpMetadata::k_source_line); break;
      case AttrKey::k_source_end_line: number(OpMetadata::k_source_end_line); break;
      case AttrKey::k_source_column: number(OpMetadata::k_source_column); break;
      case AttrKey::k_source_end_column: number(OpMetadata::k_source_end_column); break;
      case AttrKey::k_profile_type:
        out.PackedInts(OpMetadata::k_profile_type, module_.list(field.value));
        break;
      case AttrKey::k_deduplicated_name:
        out.BytesIf(OpMetadata::k_deduplicated_name, Text(field));
        break;
      case AttrKey::k_scheduling_name:
        out.BytesIf(OpMetadata::k_scheduling_name,
                    field.form == AttrForm::kOwnName ? module_.name_of(inst) : Text(field));
        break;
      case AttrKey::k_stack_frame_id: number(OpMetadata::k_stack_frame_id); break;
      case AttrKey::k_metadata_payload: {
        const size_t payload = out.Begin(OpMetadata::k_metadata_payload);
        out.Bytes(pb::Payload::k_value, Text(field));
        out.End(payload);
        break;
      }
      default: Omit("a metadata field of a later version"); break;
    }
  }
  out.End(mark);
}

// {visualizing_index=0,name=1.5}
void ProtoWriter::WriteStatistics(std::string_view text, WireWriter& out) {
  Scanner scan(text);
  WireWriter message;
  bool good = scan.Eat('{') && scan.EatWord("visualizing_index") && scan.Eat('=');
  if (good) {
    const auto shown = scan.Int();
    good = shown.has_value();
    if (good) message.IntIf(pb::StatisticsViz::k_stat_index_to_visualize, *shown);
  }
  while (good && scan.Eat(',')) {
    const std::string_view name = scan.Word();
    const auto value = !name.empty() && scan.Eat('=') ? TakeDouble(scan, text) : std::nullopt;
    good = value.has_value();
    if (!good) break;
    const size_t mark = message.Begin(pb::StatisticsViz::k_statistics);
    message.Bytes(pb::Statistic::k_stat_name, name);
    message.Double(pb::Statistic::k_stat_val, *value);
    message.End(mark);
  }
  if (!good || !scan.Eat('}')) return Omit("statistics " + std::string(text.substr(0, 80)));
  out.Bytes(Pb::k_statistics_viz, message.view());
}

// {mode=highest} or {tolerance={atol=0,rtol=0,ulps=1}}
void ProtoWriter::WriteAccuracy(std::string_view text, WireWriter& out) {
  Scanner scan(text);
  WireWriter message;
  bool good = scan.Eat('{');
  if (good && scan.EatWord("mode")) {
    const auto mode = scan.Eat('=') ? EnumNumber(AccuracyModeNames(), scan.Word()) : std::nullopt;
    good = mode.has_value();
    if (good) message.Int(pb::ResultAccuracy::k_mode, *mode);
  } else if (good && scan.EatWord("tolerance")) {
    good = scan.Eat('=') && scan.Eat('{');
    const size_t mark = message.Begin(pb::ResultAccuracy::k_tolerance);
    while (good && !scan.Eat('}')) {
      const std::string_view name = scan.Word();
      good = scan.Eat('=');
      if (good && name == "ulps") {
        const auto ulps = scan.Int();
        good = ulps.has_value();
        if (good) message.Int(pb::Tolerance::k_ulps, *ulps);
      } else if (good) {
        const auto value = TakeDouble(scan, text);
        good = value && (name == "atol" || name == "rtol");
        if (good) {
          message.Double(name == "atol" ? pb::Tolerance::k_atol : pb::Tolerance::k_rtol, *value);
        }
      }
      scan.Eat(',');
    }
    message.End(mark);
  } else {
    good = false;
  }
  if (!good) return Omit("result_accuracy " + std::string(text.substr(0, 80)));
  out.Bytes(Pb::k_result_accuracy, message.view());
}

void ProtoWriter::WriteOrigin(std::string_view text, WireWriter& out) {
  Scanner scan(text);
  WireWriter message;
  std::vector<int64_t> index;
  bool good = scan.Eat('{');
  if (good && scan.Eat("[synthetic_call]")) {
    message.BoolIf(pb::OriginalValueProto::k_is_synthetic_call, true);
  } else {
    good = good && WriteOriginNode(scan, index, message);
  }
  if (!good || !scan.Eat('}')) return Omit("origin " + std::string(text.substr(0, 80)));
  out.Bytes(Pb::k_original_value, message.view());
}

// {kind="sharding", entry={...}, exit={...}}
void ProtoWriter::WriteDomain(std::string_view text, WireWriter& out) {
  const size_t entry = text.find("entry=");
  const size_t exit = text.rfind("exit=");
  const size_t comma = exit == std::string_view::npos ? exit : text.rfind(',', exit);
  if (entry == std::string_view::npos || comma == std::string_view::npos || comma < entry ||
      text.empty() || text.back() != '}') {
    return Omit("domain " + std::string(text.substr(0, 80)));
  }
  // The proto names the sides from the operand's view, the text from the domain's.
  const std::string_view inside = text.substr(entry + 6, comma - entry - 6);
  const std::string_view outside = text.substr(exit + 5, text.size() - exit - 6);
  WriteShardingField(Pb::k_domain_exit_sharding, inside, 0, out);
  WriteShardingField(Pb::k_domain_entry_sharding, outside, 0, out);
}

// {lhs={sparsity=2x4 dimension=1 stride=1 idx=0} rhs={...}}
void ProtoWriter::WriteSparsity(std::string_view text, WireWriter& out) {
  using pb::TensorSparsityConfig;
  Scanner scan(text);
  WireWriter message;
  bool good = scan.Eat('{');
  while (good && !scan.Eat('}')) {
    const std::string_view side = scan.Word();
    good = (side == "lhs" || side == "rhs") && scan.Eat('=') && scan.Eat('{');
    const size_t mark =
        message.Begin(side == "lhs" ? pb::SparsityConfig::k_lhs : pb::SparsityConfig::k_rhs);
    while (good && !scan.Eat('}')) {
      const std::string_view name = scan.Word();
      const auto value = scan.Eat('=') ? scan.Int() : std::nullopt;
      good = value.has_value();
      if (!good) break;
      if (name == "sparsity") {
        const auto block = scan.Eat('x') ? scan.Int() : std::nullopt;
        message.IntIf(TensorSparsityConfig::k_num_non_zero, *value);
        message.IntIf(TensorSparsityConfig::k_block_size, block.value_or(0));
      }
      if (name == "dimension") message.IntIf(TensorSparsityConfig::k_dimension, *value);
      if (name == "stride") message.IntIf(TensorSparsityConfig::k_stride, *value);
      if (name == "idx") message.IntIf(TensorSparsityConfig::k_idx, *value);
      scan.Eat(',');
    }
    message.End(mark);
    scan.Eat(',');
  }
  if (!good) return Omit("sparsity_config " + std::string(text.substr(0, 80)));
  out.Bytes(Pb::k_sparsity_config, message.view());
}

// b01f_01io->b01f: a letter or digit for each dimension of input, kernel and output.
void ProtoWriter::WriteDimLabels(std::string_view text, WireWriter& out) {
  using pb::ConvolutionDimensionNumbers;
  const size_t underscore = text.find('_');
  const size_t arrow = text.find("->");
  if (underscore == std::string_view::npos || arrow == std::string_view::npos ||
      arrow < underscore) {
    return Omit("dim_labels " + std::string(text.substr(0, 80)));
  }
  const auto side = [&](std::string_view labels, char first, uint32_t first_field, char second,
                        uint32_t second_field, uint32_t spatial_field) {
    std::vector<int64_t> spatial;
    for (size_t i = 0; i < labels.size(); ++i) {
      const auto dim = static_cast<int64_t>(i);
      if (labels[i] == first) out.IntIf(first_field, dim);
      if (labels[i] == second) out.IntIf(second_field, dim);
      if (labels[i] >= '0' && labels[i] <= '9') {
        const auto number = static_cast<size_t>(labels[i] - '0');
        if (number >= spatial.size()) spatial.resize(number + 1, 0);
        spatial[number] = dim;
      }
    }
    out.PackedInts(spatial_field, spatial);
  };
  const size_t mark = out.Begin(Pb::k_convolution_dimension_numbers);
  side(text.substr(0, underscore), 'b', ConvolutionDimensionNumbers::k_input_batch_dimension, 'f',
       ConvolutionDimensionNumbers::k_input_feature_dimension,
       ConvolutionDimensionNumbers::k_input_spatial_dimensions);
  side(text.substr(underscore + 1, arrow - underscore - 1), 'i',
       ConvolutionDimensionNumbers::k_kernel_input_feature_dimension, 'o',
       ConvolutionDimensionNumbers::k_kernel_output_feature_dimension,
       ConvolutionDimensionNumbers::k_kernel_spatial_dimensions);
  side(text.substr(arrow + 2), 'b', ConvolutionDimensionNumbers::k_output_batch_dimension, 'f',
       ConvolutionDimensionNumbers::k_output_feature_dimension,
       ConvolutionDimensionNumbers::k_output_spatial_dimensions);
  out.End(mark);
}

}  // namespace halo
