// Parses and prints shardings.
#include "halo/ir/sharding/sharding.h"

#include <algorithm>
#include <functional>

#include "halo/base/strings/escape.h"
#include "halo/ir/attributes/attr.h"

namespace halo {
namespace {

// Called for each sharding of a text, in order.
using Visit = std::function<void(Sharding&&)>;

class Parser {
 public:
  Parser(std::string_view text, std::string* why) : scan_(text), why_(why) {}

  // Visits the sharding, or each element of a tuple and sets `is_tuple`.
  bool Run(bool& is_tuple, const Visit& visit) {
    if (!ParseAny(is_tuple, visit)) return false;
    return scan_.AtEnd() || Fail("unexpected text after the sharding");
  }
  [[nodiscard]] bool contradicts() const { return scan_.contradicts(); }

 private:
  bool Fail(const char* text) {
    if (why_ != nullptr) *why_ = text;
    return false;
  }
  bool Contradiction(const char* text) {
    scan_.MarkContradiction();
    return Fail(text);
  }

  bool ParseAny(bool& is_tuple, const Visit& visit) {
    const size_t before = scan_.position();
    if (!scan_.Eat('{')) return Fail("expected { at the start of a sharding");
    is_tuple = scan_.Peek() == '{' || scan_.Peek() == '}';
    if (!is_tuple) {
      scan_.Rewind(before);
      return VisitOne(visit);
    }
    if (scan_.Eat('}')) return true;
    do {
      if (!VisitOne(visit)) return false;
    } while (scan_.Eat(','));
    return scan_.Eat('}') || Fail("expected } at the end of a tuple of shardings");
  }

  bool VisitOne(const Visit& visit) {
    Sharding sharding;
    if (!ParseOne(sharding)) return false;
    visit(std::move(sharding));
    return true;
  }

  bool ParseOne(Sharding& sharding) {
    if (!scan_.Eat('{')) return Fail("expected { at the start of a sharding");
    if (AtMesh(scan_)) return ParseNamed(sharding);
    std::optional<ShardingKind> kind;
    std::optional<int64_t> device;
    while (!scan_.Eat('}')) {
      const std::string_view word = scan_.Word();
      if (const auto whole = WholeKind(word)) {
        if (!kind || *whole < *kind) kind = whole;
        // A named sharding of a whole value, as XLA printed it without its mesh in August 2026.
        if (*whole == ShardingKind::kUnreduced && scan_.Eat('=') && !ParseReduction(sharding)) {
          return false;
        }
        scan_.Eat(',');
      } else if (word == "maximal") {
        if (!kind || *kind != ShardingKind::kReplicated) kind = ShardingKind::kMaximal;
      } else if (word == "device") {
        if (!scan_.Eat('=') || !(device = scan_.Int())) return Fail("expected device=N");
      } else if (word == "devices") {
        if (!ParseTiles(sharding)) return false;
      } else if (word == "last_tile_dim_replicate") {
        sharding.subgroups.push_back(SubgroupKind::kReplicated);
      } else if (word == "last_tile_dims") {
        if (!ParseSubgroups(sharding)) return false;
      } else if (word == "shard_as" || word == "shard_like") {
        const auto id = scan_.Int();
        if (!id) return Fail("expected a number after shard_as or shard_like");
        sharding.group = word == "shard_as" ? ShardGroupKind::kAs : ShardGroupKind::kLike;
        sharding.group_id = *id;
      } else if (word == "metadata") {
        if (!ParseMetadata(sharding)) return false;
      } else {
        return Fail("unknown word in a sharding");
      }
    }
    sharding.kind = kind.value_or(ShardingKind::kTiled);
    return CheckOne(sharding, device);
  }

  bool CheckOne(Sharding& sharding, std::optional<int64_t> device) {
    const bool tiled = !sharding.tile_dims.empty();
    if (sharding.kind == ShardingKind::kMaximal) {
      if (!device || tiled) return Contradiction("a maximal sharding names exactly one device");
      sharding.device = *device;
      return true;
    }
    if (device) return Contradiction("device= belongs to a maximal sharding");
    if (sharding.kind != ShardingKind::kTiled) {
      return !tiled || Contradiction("devices= belongs to a tiled sharding");
    }
    if (!tiled) return Contradiction("a tiled sharding needs devices=[...]");
    return sharding.subgroups.size() <= sharding.tile_dims.size() ||
           Contradiction("more subgroups than tile dimensions");
  }

  static std::optional<ShardingKind> WholeKind(std::string_view word) {
    if (word == "replicated") return ShardingKind::kReplicated;
    if (word == "manual") return ShardingKind::kManual;
    if (word == "unknown") return ShardingKind::kUnknown;
    if (word == "unreduced") return ShardingKind::kUnreduced;
    return std::nullopt;
  }

  // =[2,2]0,1,2,3 or =[2,2]<=[4]
  bool ParseTiles(Sharding& sharding) {
    sharding.tile_dims.clear();
    sharding.order = {};
    if (!scan_.Eat('=') || !scan_.Eat('[') || !scan_.Ints(sharding.tile_dims) || !scan_.Eat(']')) {
      return Fail("expected the tile grid after devices=, as in [2,2]");
    }
    const auto tiles = CheckedProduct(sharding.tile_dims);
    if (!tiles) return Contradiction("the tile grid is too large");
    if (scan_.Eat("<=")) {
      if (!ParseIotaOrder(scan_, sharding.order, why_)) return false;
      return CheckedProduct(sharding.order.reshape) == tiles ||
             Contradiction("the tile grid and the device grid have different sizes");
    }
    if (!scan_.Ints(sharding.order.devices)) return Fail("expected device numbers");
    return static_cast<int64_t>(sharding.order.devices.size()) == *tiles ||
           Contradiction("the tile grid and the device list have different sizes");
  }

  bool ParseSubgroups(Sharding& sharding) {
    if (!scan_.Eat('=') || !scan_.Eat('{')) return Fail("expected ={ after last_tile_dims");
    if (scan_.Eat('}')) return true;
    do {
      const std::string_view word = scan_.Word();
      if (word == "replicated") {
        sharding.subgroups.push_back(SubgroupKind::kReplicated);
      } else if (word == "manual") {
        sharding.subgroups.push_back(SubgroupKind::kManual);
      } else if (word == "maximal") {
        sharding.subgroups.push_back(SubgroupKind::kMaximal);
      } else if (word == "unreduced") {
        sharding.subgroups.push_back(SubgroupKind::kUnreduced);
      } else {
        return Fail("unknown word in last_tile_dims");
      }
    } while (scan_.Eat(','));
    return scan_.Eat('}') || Fail("expected } after last_tile_dims");
  }

  // ={a=1 b="x"} or ={{...},{...}}
  bool ParseMetadata(Sharding& sharding) {
    if (!scan_.Eat('=')) return Fail("expected = after metadata");
    const size_t before = scan_.position();
    if (!scan_.Eat('{')) return Fail("expected { after metadata=");
    if (scan_.Peek() != '{') {
      scan_.Rewind(before);
      return ParseMetadataPiece(sharding.metadata.emplace_back());
    }
    do {
      if (!ParseMetadataPiece(sharding.metadata.emplace_back())) return false;
    } while (scan_.Eat(','));
    return scan_.Eat('}') || Fail("expected } after a list of metadata");
  }

  bool ParseMetadataPiece(ShardingMetadata& piece) {
    if (!scan_.Eat('{')) return Fail("expected { before metadata");
    while (!scan_.Eat('}')) {
      const std::string_view name = scan_.Word();
      if (name.empty() || !scan_.Eat('=')) return Fail("expected name=value in metadata");
      static_cast<void>(scan_.Peek());
      const size_t begin = scan_.position();
      if (!SkipValue()) return Fail("expected a value in metadata");
      piece.emplace_back(name, scan_.Since(begin));
    }
    return true;
  }

  bool SkipValue() {
    const char next = scan_.Peek();
    if (next == '"' || next == '\'') return scan_.Quoted().has_value();
    if (next != '{') return !scan_.Word().empty();
    scan_.Eat('{');
    while (!scan_.Eat('}')) {
      if (scan_.Word().empty() && !scan_.Eat(',')) return false;
    }
    return true;
  }

  bool ParseNamed(Sharding& sharding) {
    sharding.kind = ShardingKind::kNamed;
    if (!ParseMesh(scan_, sharding.mesh, why_)) return false;
    scan_.Eat(',');
    if (scan_.Peek() == '[') {
      if (sharding.mesh.only_device) return Contradiction("a mesh of one device has no dimensions");
      if (!ParseDimensions(sharding)) return false;
      scan_.Eat(',');
    }
    while (!scan_.Eat('}')) {
      if (!ParseNamedPart(sharding)) return false;
      scan_.Eat(',');
    }
    return true;
  }

  bool ParseDimensions(Sharding& sharding) {
    scan_.Eat('[');
    if (scan_.Eat(']')) return true;
    do {
      DimensionAxes& dimension = sharding.dimensions.emplace_back();
      if (!scan_.Eat('{')) return Fail("expected { before the axes of a dimension");
      if (scan_.Eat('}')) continue;
      do {
        if (dimension.open) return Contradiction("nothing may follow ? in a dimension");
        if (scan_.Eat('?')) {
          dimension.open = true;
        } else if (!ParseAxisRef(scan_, sharding.mesh, dimension.axes.emplace_back(), why_)) {
          return false;
        }
      } while (scan_.Eat(','));
      if (!scan_.Eat('}')) return Fail("expected } after the axes of a dimension");
    } while (scan_.Eat(','));
    return scan_.Eat(']') || Fail("expected ] after the dimensions of a named sharding");
  }

  bool ParseReduction(Sharding& sharding) {
    const std::string_view word = scan_.Word();
    if (word == "max") {
      sharding.reduction = Reduction::kMax;
    } else if (word == "min") {
      sharding.reduction = Reduction::kMin;
    } else if (word != "sum") {
      return Fail("expected sum, max or min");
    }
    return true;
  }

  bool ParseNamedPart(Sharding& sharding) {
    const std::string_view word = scan_.Word();
    if (word == "metadata") return ParseMetadata(sharding);
    std::vector<AxisRef>* axes = nullptr;
    NamedForm form = NamedForm::kDimensions;
    if (word == "replicated") {
      axes = &sharding.replicated_axes;
      form = NamedForm::kReplicated;
    } else if (word == "manual") {
      axes = &sharding.manual_axes;
      form = NamedForm::kManual;
    } else if (word == "unreduced") {
      axes = &sharding.unreduced_axes;
      form = NamedForm::kUnreduced;
    } else {
      return Fail("unknown part of a named sharding");
    }
    const bool assigned = scan_.Eat('=');
    if (assigned && form == NamedForm::kUnreduced && scan_.Peek() != '{' &&
        !ParseReduction(sharding)) {
      return false;
    }
    if (scan_.Peek() == '{') return ParseAxisRefs(scan_, sharding.mesh, *axes, why_);
    if (assigned && form != NamedForm::kUnreduced) return Fail("expected a list of mesh axes");
    sharding.form = form;
    return true;
  }

  Scanner scan_;
  std::string* why_;
};

std::string_view TextOf(SubgroupKind kind) {
  switch (kind) {
    case SubgroupKind::kReplicated: return "replicated";
    case SubgroupKind::kManual: return "manual";
    case SubgroupKind::kMaximal: return "maximal";
    case SubgroupKind::kUnreduced: return "unreduced";
  }
  return {};
}

std::string_view TextOf(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum: return "";
    case Reduction::kMax: return "max";
    case Reduction::kMin: return "min";
  }
  return {};
}

// Prints fields in XLA's order, regardless of the order in the input.
void PrintMetadataPiece(const ShardingMetadata& piece, TextBuffer& out) {
  std::vector<std::pair<size_t, size_t>> ranked;  // index in attrs.def, index in `piece`
  for (size_t i = 0; i < piece.size(); ++i) {
    const auto key = AttrKeyFromText(piece[i].first);
    ranked.emplace_back(key ? static_cast<size_t>(*key) : AttrKeyCount(), i);
  }
  std::sort(ranked.begin(), ranked.end());
  for (size_t i = 0; i < ranked.size(); ++i) {
    if (i != 0) out << ' ';
    const auto& [name, value] = piece[ranked[i].second];
    out << name << '=';
    const bool quoted = !value.empty() && (value.front() == '"' || value.front() == '\'');
    const auto plain =
        quoted ? CUnescaped(std::string_view(value).substr(1, value.size() - 2)) : std::nullopt;
    if (plain) {
      out << '"';
      AppendCEscaped(*plain, out);
      out << '"';
    } else {
      out << value;
    }
  }
}

void PrintMetadata(const Sharding& sharding, bool always_list, TextBuffer& out) {
  if (sharding.metadata.empty()) return;
  out << "metadata={";
  if (sharding.metadata.size() == 1 && !always_list) {
    PrintMetadataPiece(sharding.metadata.front(), out);
  } else {
    for (size_t i = 0; i < sharding.metadata.size(); ++i) {
      if (i != 0) out << ", ";
      out << '{';
      PrintMetadataPiece(sharding.metadata[i], out);
      out << '}';
    }
  }
  out << '}';
}

void PrintNamed(const Sharding& sharding, TextBuffer& out) {
  out << '{';
  PrintMesh(sharding.mesh, out);
  const auto axes = [&](std::string_view name, const std::vector<AxisRef>& refs,
                        std::string_view prefix) {
    if (refs.empty()) return;
    out << ", " << name << '=' << prefix;
    PrintAxisRefs(sharding.mesh, refs, ", ", out);
  };
  switch (sharding.form) {
    case NamedForm::kReplicated: out << ", replicated"; break;
    case NamedForm::kManual: out << ", manual"; break;
    case NamedForm::kUnreduced:
      out << ", unreduced";
      if (sharding.reduction != Reduction::kSum) out << '=' << TextOf(sharding.reduction);
      break;
    case NamedForm::kDimensions:
      if (sharding.mesh.only_device) break;
      out << ", [";
      for (size_t i = 0; i < sharding.dimensions.size(); ++i) {
        if (i != 0) out << ", ";
        const DimensionAxes& dimension = sharding.dimensions[i];
        out << '{';
        for (size_t k = 0; k < dimension.axes.size(); ++k) {
          if (k != 0) out << ", ";
          PrintAxisRef(sharding.mesh, dimension.axes[k], out);
        }
        if (dimension.open) out << (dimension.axes.empty() ? "?" : ", ?");
        out << '}';
      }
      out << ']';
      break;
  }
  axes("replicated", sharding.replicated_axes, "");
  axes("unreduced", sharding.unreduced_axes, TextOf(sharding.reduction));
  axes("manual", sharding.manual_axes, "");
  if (!sharding.metadata.empty()) {
    out << ", ";
    PrintMetadata(sharding, true, out);
  }
  out << '}';
}

void PrintTiles(const Sharding& sharding, TextBuffer& out) {
  out << "devices=[";
  PrintIntList(sharding.tile_dims, out);
  out << (sharding.order.is_list() ? "]" : "]<=");
  PrintDeviceOrder(sharding.order, out);
  if (sharding.subgroups.empty()) return;
  if (sharding.subgroups.size() == 1 && sharding.subgroups[0] == SubgroupKind::kReplicated) {
    out << " last_tile_dim_replicate";
    return;
  }
  out << " last_tile_dims={";
  for (size_t i = 0; i < sharding.subgroups.size(); ++i) {
    if (i != 0) out << ", ";
    out << TextOf(sharding.subgroups[i]);
  }
  out << '}';
}

void PrintOne(const Sharding& sharding, TextBuffer& out) {
  if (sharding.kind == ShardingKind::kNamed) return PrintNamed(sharding, out);
  out << '{';
  switch (sharding.kind) {
    case ShardingKind::kReplicated: out << "replicated"; break;
    case ShardingKind::kManual: out << "manual"; break;
    case ShardingKind::kUnknown: out << "unknown"; break;
    case ShardingKind::kUnreduced:
      out << "unreduced";
      if (sharding.reduction != Reduction::kSum) out << '=' << TextOf(sharding.reduction);
      break;
    case ShardingKind::kMaximal: out << "maximal device=" << sharding.device; break;
    default: PrintTiles(sharding, out); break;
  }
  if (sharding.group != ShardGroupKind::kNone) {
    out << (sharding.group == ShardGroupKind::kAs ? " shard_as " : " shard_like ")
        << sharding.group_id;
  }
  if (!sharding.metadata.empty()) {
    out << ' ';
    PrintMetadata(sharding, false, out);
  }
  out << '}';
}

}  // namespace

std::optional<Sharding> ParseSharding(std::string_view text, std::string* why, bool* contradicts) {
  Sharding whole;
  bool is_tuple = false;
  Parser parser(text, why);
  const bool good = parser.Run(is_tuple, [&](Sharding&& sharding) {
    if (is_tuple) {
      whole.elements.push_back(std::move(sharding));
    } else {
      whole = std::move(sharding);
    }
  });
  if (contradicts != nullptr) *contradicts = parser.contradicts();
  if (!good) return std::nullopt;
  if (is_tuple) whole.kind = ShardingKind::kTuple;
  return whole;
}

bool CheckSharding(std::string_view text, std::string* why) {
  bool is_tuple = false;
  return Parser(text, why).Run(is_tuple, [](Sharding&&) {});
}

Sharding RepeatForLeaves(const Sharding& sharding, size_t leaves) {
  if (sharding.kind == ShardingKind::kTuple) return sharding;
  Sharding tuple;
  tuple.kind = ShardingKind::kTuple;
  tuple.elements.assign(leaves, sharding);
  return tuple;
}

void PrintTupleSeparator(size_t index, TextBuffer& out) {
  if (index == 0) return;
  out << ", ";
  if (index % 5 == 0) out << "/*index=" << index << "*/";
}

void PrintSharding(const Sharding& sharding, TextBuffer& out) {
  if (sharding.kind != ShardingKind::kTuple) return PrintOne(sharding, out);
  out << '{';
  for (size_t i = 0; i < sharding.elements.size(); ++i) {
    PrintTupleSeparator(i, out);
    PrintOne(sharding.elements[i], out);
  }
  out << '}';
}

std::string CanonicalShardingText(std::string_view text, size_t tuple_leaves) {
  TextBuffer elements;
  bool is_tuple = false;
  size_t count = 0;
  const bool good = Parser(text, nullptr).Run(is_tuple, [&](Sharding&& sharding) {
    CanonicalizeSharding(sharding);
    PrintTupleSeparator(count++, elements);
    PrintOne(sharding, elements);
  });
  if (!good) return std::string(text);
  if (!is_tuple && tuple_leaves == 0) return elements.str();
  TextBuffer out;
  out << '{';
  if (is_tuple) {
    out << elements.view();
  } else {
    for (size_t i = 0; i < tuple_leaves; ++i) {
      PrintTupleSeparator(i, out);
      out << elements.view();
    }
  }
  out << '}';
  return out.str();
}

}  // namespace halo
