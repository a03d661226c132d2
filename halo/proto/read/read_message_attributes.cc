// Reads attributes that are separate messages: windows, labels, slices, padding, precision, groups,
// aliasing and the rest.
#include <algorithm>

#include "halo/ir/attributes/aliasing.h"
#include "halo/ir/attributes/window.h"
#include "halo/ir/ir_diagnostics.h"
#include "halo/proto/parts/groups_proto.h"
#include "halo/proto/read/read_attributes.h"
#include "halo/proto/wire/enum_names.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/proto_diagnostics.h"

namespace halo {
namespace {

constexpr size_t kMaxWindowRank = 256;

// The number of operands of an op that have a precision.
size_t PrecisionCount(const Inst& inst, size_t operands) {
  return inst.opcode == Opcode::kRaggedDot || inst.opcode == Opcode::kScaledDot ? 2 : operands;
}

}  // namespace

std::optional<Attr> AttributeReader::ReadWindow() {
  using pb::WindowDimension;
  if (!IsPresent(f_->window)) return std::nullopt;
  Window window;
  WireReader reader(f_->window);
  while (reader.Next()) {
    std::string_view dimension;
    if (reader.field() != pb::Window::k_dimensions || !reader.Get(dimension)) continue;
    WindowDim dim{0, 0, 0, 0, 0, 0, false};
    WireReader fields(dimension);
    while (fields.Next()) {
      switch (fields.field()) {
        case WindowDimension::k_size: fields.Get(dim.size); break;
        case WindowDimension::k_stride: fields.Get(dim.stride); break;
        case WindowDimension::k_padding_low: fields.Get(dim.pad_low); break;
        case WindowDimension::k_padding_high: fields.Get(dim.pad_high); break;
        case WindowDimension::k_window_dilation: fields.Get(dim.rhs_dilate); break;
        case WindowDimension::k_base_dilation: fields.Get(dim.lhs_dilate); break;
        case WindowDimension::k_window_reversal: fields.Get(dim.reversal); break;
        default: break;
      }
    }
    if (!context_.Check(fields, dimension)) good_ = false;
    window.dims.push_back(dim);
    if (window.dims.size() > kMaxWindowRank) {
      Fail(diag::kBadWindow, f_->window, "this window has too many dimensions");
      return std::nullopt;
    }
  }
  if (!context_.Check(reader, f_->window)) good_ = false;
  // Only a custom call may have a window without dimensions.
  if (window.dims.empty() && inst_->opcode != Opcode::kCustomCall) return std::nullopt;
  window.fields = NeededFields(window);
  return module_.MakeInts(AttrKey::k_window, EncodeWindow(window));
}

std::optional<Attr> AttributeReader::DimLabels() {
  using Pb = pb::ConvolutionDimensionNumbers;
  if (!IsPresent(f_->convolution)) return std::nullopt;
  struct Side {
    int64_t first = 0, second = 0;
    std::vector<int64_t> spatial;
  };
  Side input, kernel, output;
  WireReader reader(f_->convolution);
  while (reader.Next()) {
    switch (reader.field()) {
      case Pb::k_input_batch_dimension: reader.Get(input.first); break;
      case Pb::k_input_feature_dimension: reader.Get(input.second); break;
      case Pb::k_input_spatial_dimensions: reader.Append(input.spatial); break;
      case Pb::k_kernel_input_feature_dimension: reader.Get(kernel.first); break;
      case Pb::k_kernel_output_feature_dimension: reader.Get(kernel.second); break;
      case Pb::k_kernel_spatial_dimensions: reader.Append(kernel.spatial); break;
      case Pb::k_output_batch_dimension: reader.Get(output.first); break;
      case Pb::k_output_feature_dimension: reader.Get(output.second); break;
      case Pb::k_output_spatial_dimensions: reader.Append(output.spatial); break;
      default: break;
    }
  }
  if (!context_.Check(reader, f_->convolution)) good_ = false;
  std::string text;
  const auto append = [&](const Side& side, char first, char second) {
    std::vector<std::string> labels;
    const auto set = [&](int64_t dim, std::string label) {
      if (dim < 0 || dim >= static_cast<int64_t>(kMaxWindowRank)) return false;
      if (static_cast<size_t>(dim) >= labels.size())
        labels.resize(static_cast<size_t>(dim) + 1, "?");
      labels[static_cast<size_t>(dim)] = std::move(label);
      return true;
    };
    bool fine = set(side.first, {first}) && set(side.second, {second});
    for (size_t i = 0; i < side.spatial.size() && fine; ++i) {
      fine = set(side.spatial[i], std::to_string(i));
    }
    for (const std::string& label : labels) text += label;
    return fine;
  };
  bool fine = append(input, 'b', 'f');
  text += '_';
  fine = append(kernel, 'i', 'o') && fine;
  text += "->";
  fine = append(output, 'b', 'f') && fine;
  if (!fine) {
    Fail(diag::kBadDimLabels, f_->convolution, "a dimension number is out of range");
    return std::nullopt;
  }
  return module_.MakeText(AttrKey::k_dim_labels, text);
}

std::optional<Attr> AttributeReader::Slices() {
  using pb::SliceDimensions;
  ints_.clear();
  bool all_one = true;
  for (const std::string_view slice : f_->slices) {
    int64_t start = 0, limit = 0, stride = 0;
    WireReader reader(slice);
    while (reader.Next()) {
      if (reader.field() == SliceDimensions::k_start) reader.Get(start);
      if (reader.field() == SliceDimensions::k_limit) reader.Get(limit);
      if (reader.field() == SliceDimensions::k_stride) reader.Get(stride);
    }
    if (!context_.Check(reader, slice)) good_ = false;
    all_one &= stride == 1;
    ints_.insert(ints_.end(), {start, limit, stride});
  }
  // Strides are written only if any differs from 1.
  for (size_t i = 2; all_one && i < ints_.size(); i += 3) ints_[i] = 0;
  return module_.MakeInts(AttrKey::k_slice, ints_);
}

std::optional<Attr> AttributeReader::Padding() {
  using pb::PaddingConfigDimension;
  ints_.clear();
  bool interior_written = false;
  WireReader reader(f_->padding);
  while (reader.Next()) {
    std::string_view dimension;
    if (reader.field() != pb::PaddingConfig::k_dimensions || !reader.Get(dimension)) continue;
    int64_t low = 0, high = 0, interior = 0;
    WireReader fields(dimension);
    while (fields.Next()) {
      if (fields.field() == PaddingConfigDimension::k_edge_padding_low) fields.Get(low);
      if (fields.field() == PaddingConfigDimension::k_edge_padding_high) fields.Get(high);
      if (fields.field() == PaddingConfigDimension::k_interior_padding) fields.Get(interior);
    }
    if (!context_.Check(fields, dimension)) good_ = false;
    interior_written |= interior != 0;
    ints_.insert(ints_.end(), {low, high, interior});
  }
  if (!context_.Check(reader, f_->padding)) good_ = false;
  return module_.MakeInts(AttrKey::k_padding, ints_,
                          interior_written ? AttrForm::kNested : AttrForm::kPlain);
}

std::optional<Attr> AttributeReader::Precision() {
  std::vector<int64_t> precisions;
  WireReader reader(f_->precision);
  while (reader.Next()) {
    if (reader.field() == pb::PrecisionConfig::k_operand_precision) reader.Append(precisions);
  }
  if (!context_.Check(reader, f_->precision)) good_ = false;
  precisions.resize(PrecisionCount(*inst_, f_->operand_ids.size()));
  if (std::all_of(precisions.begin(), precisions.end(), [](int64_t p) { return p == 0; })) {
    return std::nullopt;
  }
  for (int64_t& precision : precisions) {
    precision = module_.Str(EnumWord(PrecisionNames(), precision)).value;
  }
  return module_.MakeInts(AttrKey::k_operand_precision, precisions);
}

std::optional<Attr> AttributeReader::Algorithm() {
  if (inst_->opcode == Opcode::kRngBitGenerator) {
    return module_.MakeText(AttrKey::k_algorithm, EnumWord(RngAlgorithmNames(), f_->rng_algorithm));
  }
  int64_t algorithm = 0;
  WireReader reader(f_->precision);
  while (reader.Next()) {
    if (reader.field() == pb::PrecisionConfig::k_algorithm) reader.Get(algorithm);
  }
  if (algorithm == 0) return std::nullopt;
  return module_.MakeText(AttrKey::k_algorithm, EnumWord(DotAlgorithmNames(), algorithm));
}

std::optional<Attr> AttributeReader::Groups() {
  std::optional<ReplicaGroups> groups;
  std::vector<std::string_view> lists = f_->old_groups;
  if (IsPresent(f_->iota_groups)) {
    groups = ReadIotaGroups(f_->iota_groups);
  } else if (IsPresent(f_->mesh_groups)) {
    groups = ReadMeshGroups(f_->mesh_groups);
  } else {
    // Older protos have the list in the instruction itself, or an iota form inside the list.
    std::string_view iota;
    lists.reserve(lists.size() +
                  CountFields(f_->listed_groups, pb::CollectiveDeviceListProto::k_replica_groups));
    WireReader reader(f_->listed_groups);
    while (reader.Next()) {
      if (reader.field() == pb::CollectiveDeviceListProto::k_iota_replica_group_list) {
        reader.Get(iota);
      }
      if (reader.field() == pb::CollectiveDeviceListProto::k_replica_groups &&
          f_->old_groups.empty()) {
        reader.Append(lists);
      }
    }
    if (!context_.Check(reader, f_->listed_groups)) good_ = false;
    groups = IsPresent(iota) ? ReadIotaGroups(iota) : ReadListedGroups(lists);
  }
  if (!groups) {
    Fail(diag::kBadReplicaGroups, f_->name, "the replica groups are malformed");
    return std::nullopt;
  }
  SimplifyOrder(groups->order);
  SimplifyOrder(groups->mesh.order);
  TextBuffer text;
  PrintReplicaGroups(*groups, text);
  return module_.MakeText(AttrKey::k_replica_groups, text.view());
}

std::optional<Attr> AttributeReader::SourceTargets() {
  ints_.assign(1, 0);
  for (const std::string_view pair : f_->source_targets) {
    int64_t source = 0, target = 0;
    WireReader reader(pair);
    while (reader.Next()) {
      if (reader.field() == pb::SourceTarget::k_source) reader.Get(source);
      if (reader.field() == pb::SourceTarget::k_target) reader.Get(target);
    }
    if (!context_.Check(reader, pair)) good_ = false;
    ints_[0] += 1;
    ints_.insert(ints_.end(), {2, source, target});
  }
  if (f_->source_targets.empty()) return module_.MakeInts(AttrKey::k_source_target_pairs, {});
  return module_.MakeInts(AttrKey::k_source_target_pairs, ints_, AttrForm::kNested);
}

// All sizes are in one list; the ranks of the moved values determine where each slice ends.
std::optional<Attr> AttributeReader::PermutedSliceSizes() {
  if (f_->dynamic_slice_sizes.empty()) return std::nullopt;
  const auto input = scope_.shape_of(f_->operand_ids.empty() ? -1 : f_->operand_ids[0]);
  std::vector<size_t> ranks;
  if (input && module_.shapes.is_tuple(*input)) {
    for (const ShapeId part : module_.shapes.elements(*input)) {
      ranks.push_back(module_.shapes.dims(part).size());
    }
  } else if (input) {
    ranks.push_back(module_.shapes.dims(*input).size());
  }
  size_t whole = 0;
  for (const size_t rank : ranks) whole += rank;
  const auto& sizes = f_->dynamic_slice_sizes;
  if (whole == 0 || sizes.size() % whole != 0) {
    Fail(diag::kProtoBadValue, f_->name, "the slice sizes do not match the operand");
    return std::nullopt;
  }
  // All slices of one operand come before those of the next.
  const size_t slices = sizes.size() / whole;
  ints_.assign(1, 0);
  size_t at = 0;
  for (const size_t rank : ranks) {
    for (size_t i = 0; i < slices; ++i) {
      ints_[0] += 1;
      ints_.push_back(static_cast<int64_t>(rank));
      for (size_t k = 0; k < rank; ++k) ints_.push_back(sizes[at++]);
    }
  }
  return module_.MakeInts(AttrKey::k_slice_sizes, ints_, AttrForm::kNested);
}

std::optional<Attr> AttributeReader::OperandShapes() {
  if (!f_->constrain_layout) return std::nullopt;
  ints_.clear();
  for (const std::string_view proto : f_->operand_shapes) {
    ShapeId shape;
    if (context_.ReadShape(proto, shape)) {
      ints_.push_back(shape.value);
    } else {
      good_ = false;
    }
  }
  return module_.MakeInts(AttrKey::k_operand_layout_constraints, ints_);
}

std::optional<Attr> AttributeReader::Aliasing() {
  using pb::OutputOperandAliasing;
  if (f_->aliasing.empty()) return std::nullopt;
  std::vector<AliasEntry> entries;
  std::string_view previous;
  for (const std::string_view proto : f_->aliasing) {
    if (proto == previous && !entries.empty()) continue;
    previous = proto;
    AliasEntry& entry = entries.emplace_back();
    WireReader reader(proto);
    while (reader.Next()) {
      switch (reader.field()) {
        case OutputOperandAliasing::k_output_shape_index: reader.Append(entry.output_index); break;
        case OutputOperandAliasing::k_operand_index: reader.Get(entry.number); break;
        case OutputOperandAliasing::k_operand_shape_index: reader.Append(entry.input_index); break;
        default: break;
      }
    }
    if (!context_.Check(reader, proto)) good_ = false;
  }
  return module_.MakeInts(AttrKey::k_output_to_operand_aliasing, EncodeAliases(entries));
}

std::optional<Attr> AttributeReader::Sparsity() {
  using pb::TensorSparsityConfig;
  std::string_view sides[2];
  WireReader reader(f_->sparsity);
  while (reader.Next()) {
    if (reader.field() == pb::SparsityConfig::k_lhs) reader.Get(sides[0]);
    if (reader.field() == pb::SparsityConfig::k_rhs) reader.Get(sides[1]);
  }
  if (!IsPresent(sides[0]) && !IsPresent(sides[1])) return std::nullopt;
  TextBuffer text;
  text << '{';
  for (int side = 0; side < 2; ++side) {
    if (!IsPresent(sides[side])) continue;
    int64_t kept = 0, block = 0, dimension = 0, stride = 0, index = 0;
    WireReader fields(sides[side]);
    while (fields.Next()) {
      switch (fields.field()) {
        case TensorSparsityConfig::k_num_non_zero: fields.Get(kept); break;
        case TensorSparsityConfig::k_block_size: fields.Get(block); break;
        case TensorSparsityConfig::k_dimension: fields.Get(dimension); break;
        case TensorSparsityConfig::k_stride: fields.Get(stride); break;
        case TensorSparsityConfig::k_idx: fields.Get(index); break;
        default: break;
      }
    }
    if (side == 1 && IsPresent(sides[0])) text << ' ';
    text << (side == 0 ? "lhs" : "rhs") << "={sparsity=" << kept << 'x' << block
         << " dimension=" << dimension << " stride=" << stride << " idx=" << index << '}';
  }
  text << '}';
  return module_.MakeText(AttrKey::k_sparsity_config, text.view());
}

std::optional<Attr> AttributeReader::Domain() {
  // The proto names the sides from the operand's view, the text from the domain's.
  const auto side = [this](std::string_view proto, std::string& text) {
    StrId id;
    text = "{}";
    if (!IsPresent(proto)) return;
    if (context_.ReadShardingText(proto, 0, id)) {
      text = module_.text(id);
    } else {
      good_ = false;
    }
  };
  std::string entry, exit;
  side(f_->domain_exit, entry);
  side(f_->domain_entry, exit);
  return module_.MakeText(AttrKey::k_domain,
                          "{kind=\"sharding\", entry=" + entry + ", exit=" + exit + "}");
}

std::optional<Attr> AttributeReader::Replication() {
  ints_.clear();
  WireReader reader(f_->parameter_replication);
  while (reader.Next()) {
    if (reader.field() == pb::ParameterReplication::k_replicated_at_leaf_buffers) {
      reader.Append(ints_);
    }
  }
  if (!context_.Check(reader, f_->parameter_replication)) good_ = false;
  if (ints_.empty()) return std::nullopt;
  for (int64_t& flag : ints_) flag = flag != 0 ? 1 : 0;
  return module_.MakeInts(AttrKey::k_parameter_replication, ints_);
}

}  // namespace halo
