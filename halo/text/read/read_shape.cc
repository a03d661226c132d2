// Reads shapes and layouts. A dump repeats the same few shape texts thousands of times, so each
// text is parsed once and remembered.
#include <algorithm>

#include "halo/base/hash.h"
#include "halo/base/strings/scan.h"
#include "halo/ir/ir_diagnostics.h"
#include "halo/text/read/reader.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

constexpr int kMaxShapeNesting = 64;
constexpr size_t kMaxRank = 256;

// The end of the array shape text starting at `p`, or null if it is not a plain one.
const char* EndOfArrayText(const char* p) {
  while (IsClass(*p, kNameChar)) ++p;
  if (*p != '[') return nullptr;
  do {
    ++p;
  } while (IsClass(*p, kDigit) || *p == ',' || *p == '<' || *p == '=' || *p == '?');
  if (*p != ']') return nullptr;
  ++p;
  if (*p != '{') return p;
  for (++p; *p != '}'; ++p) {
    // A layout contains digits, parentheses and a few letters; anything else takes the slow path.
    if (*p < ' ' || *p == '{' || *p == '"' || *p == '/') return nullptr;
  }
  return p + 1;
}

// The position after the parenthesis that closes the one at `p`, or null. Looks at one line only:
// XLA prints a shape on one line, and a file of unclosed parentheses must not be scanned to its end
// for each of them.
const char* EndOfTupleText(const char* p, const char* end) {
  int depth = 0;
  for (; p < end; ++p) {
    p = FindAnyOrZero(p, '(', ')', '\n');
    if (*p == '(') {
      ++depth;
    } else if (*p == ')') {
      if (--depth == 0) return p + 1;
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

}  // namespace

Reader::ShapeMemo& Reader::FindMemo(std::string_view text, uint32_t hash) {
  if (shape_memos_.empty()) shape_memos_.resize(256);
  const size_t mask = shape_memos_.size() - 1;
  size_t slot = hash & mask;
  for (;;) {
    ShapeMemo& memo = shape_memos_[slot];
    if (memo.text == nullptr) return memo;
    if (memo.hash == hash && memo.length == text.size() &&
        SameBytes(memo.text, text.data(), text.size())) {
      return memo;
    }
    slot = (slot + 1) & mask;
  }
}

void Reader::Remember(std::string_view text, uint32_t hash, ShapeId shape) {
  if ((shape_memo_count_ + 1) * 2 > shape_memos_.size()) {
    std::vector<ShapeMemo> old(std::max<size_t>(256, shape_memos_.size() * 2));
    old.swap(shape_memos_);
    for (const ShapeMemo& memo : old) {
      if (memo.text != nullptr) FindMemo({memo.text, memo.length}, memo.hash) = memo;
    }
  }
  ++shape_memo_count_;
  FindMemo(text, hash) = {text.data(), static_cast<uint32_t>(text.size()), hash, shape};
}

bool Reader::AtShape() const {
  const char c = cursor.peek();
  if (c == '(') return true;
  if (!IsClass(c, kNameStart)) return false;
  const char* p = cursor.at();
  while (IsClass(*p, kNameChar)) ++p;
  return *p == '[' || (*p == '(' && p - cursor.at() == 1 && c == 'b');
}

bool Reader::ReadShape(ShapeId& shape, int depth) {
  if (!Skip()) return false;
  if (depth > kMaxShapeNesting) return Error(diag::kTooNested, "this shape is nested too deeply");
  const char* start = cursor.at();
  const bool is_tuple = *start == '(';
  const char* stop = nullptr;
  if (!is_tuple) {
    stop = EndOfArrayText(start);
  } else if (depth == 0) {
    stop = EndOfTupleText(start, cursor.end());
  }
  if (stop != nullptr && static_cast<size_t>(stop - start) < (size_t{1} << 31)) {
    const std::string_view text(start, static_cast<size_t>(stop - start));
    const auto hash = static_cast<uint32_t>(TableHash(text.data(), text.size()));
    const ShapeMemo& memo = FindMemo(text, hash);
    if (memo.text != nullptr) {
      shape = memo.shape;
      cursor.MoveTo(stop);
      return true;
    }
    const bool read = is_tuple ? ReadTupleShape(shape, depth) : ReadArrayShape(shape, depth);
    if (!read) return false;
    if (cursor.at() == stop) Remember(text, hash, shape);
    return true;
  }
  return is_tuple ? ReadTupleShape(shape, depth) : ReadArrayShape(shape, depth);
}

bool Reader::ReadTupleShape(ShapeId& shape, int depth) {
  cursor.Step();
  // Nested tuples share one scratch list; each level uses the tail of it.
  const size_t mine = shape_scratch_.size();
  if (!TakeAfterBlanks(')')) {
    for (;;) {
      ShapeId element;
      if (!ReadShape(element, depth + 1)) {
        shape_scratch_.resize(mine);
        return false;
      }
      shape_scratch_.push_back(element);
      if (TakeAfterBlanks(')')) break;
      if (!Expect(',')) {
        shape_scratch_.resize(mine);
        return false;
      }
    }
  }
  shape = module.shapes.Tuple(std::span(shape_scratch_).subspan(mine));
  shape_scratch_.resize(mine);
  return true;
}

bool Reader::ReadArrayShape(ShapeId& shape, int depth) {
  const char* start = cursor.at();
  const std::string_view word = cursor.TakeName();
  if (word.empty()) {
    if (cursor.at_end()) return Expected("a shape");
    return Error(diag::kBadShape, "expected a shape, found " + Quote(start));
  }
  if (word == "b" && cursor.Take('(')) {
    ShapeId inner;
    if (!ReadShape(inner, depth + 1) || !Expect(')')) return false;
    shape = module.shapes.Buffer(inner);
    return true;
  }
  const auto type = ElementTypeFromText(word);
  if (!Skip()) return false;
  if (cursor.peek() != '[') {
    return Error(diag::kBadShape, "expected '[' and the dimensions after '" +
                                      std::string(word.substr(0, 40)) + "', found " +
                                      Quote(cursor.at()));
  }
  std::vector<int64_t>& dims = int_scratch_;
  std::vector<uint8_t> dynamic;
  const char* open = cursor.at();
  Doubt doubt;
  const bool read = Try(doubt, [&] { return ReadDimensions(dims, dynamic, start); });
  if (!type || *type == ElementType::kTuple || *type == ElementType::kBuffer) {
    if (!read && !KeepUnknown(doubt, open, EndOfBrackets(open), "this list of dimensions"))
      return false;
    if (warned_types_.insert(word).second) {
      Warn(diag::kUnknownElementType, start,
           "element type '" + std::string(word.substr(0, 40)) + "' is unknown to this version");
    }
    return ReadUnknownArray(start, read ? std::optional(dims.size()) : std::nullopt, depth, shape);
  }
  if (!read) {
    return KeepUnknown(doubt, open, EndOfBrackets(open), "this list of dimensions") &&
           ReadUnknownArray(start, std::nullopt, depth, shape);
  }
  if (!dynamic.empty()) dynamic.resize(dims.size());
  const size_t rank = dims.size();
  LayoutId layout;
  const ShapeId plain = module.shapes.Array(*type, dims, dynamic);
  if (IsArrayType(*type) && dynamic.empty() && !module.shapes.ByteSize(plain)) {
    return Error(diag::kDimensionTooLarge, start, "this shape's size does not fit in 64 bits");
  }
  if (IsArrayType(*type) && AtLayout(rank)) {
    if (!ReadLayout(rank, layout, depth)) return false;
    if (rank == 0 && module.shapes.layout_text(layout).empty()) layout = LayoutId{};
  }
  shape = layout.valid() ? module.shapes.WithLayout(plain, layout) : plain;
  return true;
}

// From the bracket that opens the dimensions.
bool Reader::ReadDimensions(std::vector<int64_t>& dims, std::vector<uint8_t>& dynamic,
                            const char* shape_start) {
  cursor.Step();
  dims.clear();
  if (TakeAfterBlanks(']')) return true;
  for (;;) {
    if (!Skip()) return false;
    int64_t dim = 0;
    bool is_dynamic = false;
    if (cursor.Take('?')) {
      dim = kUnboundedDimension;
      is_dynamic = true;
    } else {
      if (cursor.TakeText("<=")) is_dynamic = true;
      const char* digits = cursor.at();
      if (!ReadInt(dim)) return false;
      if (dim < 0) {
        return Error(diag::kDimensionTooLarge, digits, "a dimension cannot be negative");
      }
    }
    if (is_dynamic) {
      dynamic.resize(dims.size() + 1);
      dynamic.back() = 1;
    }
    dims.push_back(dim);
    if (dims.size() > kMaxRank) {
      return Error(diag::kRankTooLarge, shape_start, "this shape has more than 256 dimensions");
    }
    if (TakeAfterBlanks(']')) return true;
    if (!Expect(',')) return false;
  }
}

// Without a rank, the layout is part of the array's text.
bool Reader::ReadUnknownArray(const char* start, std::optional<size_t> rank, int depth,
                              ShapeId& shape) {
  if (!rank && cursor.peek() == '{') {
    if (const char* stop = EndOfBrackets(cursor.at()); stop != nullptr) cursor.MoveTo(stop);
  }
  const std::string_view text(start, static_cast<size_t>(cursor.at() - start));
  LayoutId layout;
  if (rank && AtLayout(*rank) && !ReadLayout(*rank, layout, depth)) return false;
  shape = module.shapes.Unknown(text, layout);
  return true;
}

// A brace after a scalar may also open something else, such as a computation.
bool Reader::AtLayout(size_t rank) const {
  return cursor.peek() == '{' && (rank != 0 || cursor.peek(1) == ':' || cursor.peek(1) == '}');
}

bool Reader::ReadLayout(size_t rank, LayoutId& layout_id, int depth) {
  const char* open = cursor.at();
  Layout layout;
  Doubt doubt;
  if (!Try(doubt, [&] { return ReadLayoutBody(rank, layout, depth); })) {
    if (!KeepUnknown(doubt, open, EndOfBrackets(open), "this layout")) return false;
    layout = Layout();
    layout.is_verbatim = true;
    layout.unknown.assign(open + 1, cursor.at() - 1);
    for (size_t i = rank; i-- > 0;) layout.minor_to_major.push_back(static_cast<int64_t>(i));
  }
  layout_id = module.shapes.InternLayout(std::move(layout));
  return true;
}

bool Reader::ReadLayoutBody(size_t rank, Layout& layout, int depth) {
  const char* start = cursor.at();
  cursor.Step();
  if (!Skip()) return false;
  if (cursor.peek() != '}' && cursor.peek() != ':') {
    for (;;) {
      int64_t dim = 0;
      if (!ReadInt(dim)) return false;
      layout.minor_to_major.push_back(dim);
      if (layout.minor_to_major.size() > kMaxRank) break;
      if (!TakeAfterBlanks(',')) break;
    }
  }
  std::vector<bool> seen(rank);
  bool good = layout.minor_to_major.size() == rank;
  for (const int64_t dim : layout.minor_to_major) {
    good = good && dim >= 0 && static_cast<size_t>(dim) < rank && !seen[static_cast<size_t>(dim)];
    if (good) seen[static_cast<size_t>(dim)] = true;
  }
  if (!good) {
    return Error(diag::kLayoutRankMismatch, start,
                 "this layout does not order the shape's " + std::to_string(rank) + " dimensions");
  }
  if (TakeAfterBlanks(':') && !ReadLayoutParts(layout, depth)) return false;
  if (!Skip()) return false;
  if (!cursor.Take('}')) {
    if (cursor.at_end()) return Expected("'}'");
    return Error(diag::kBadLayout, "expected '}' after the layout, found " + Quote(cursor.at()));
  }
  return true;
}

// Each part occurs at most once, in this order. C means SC, the splits.
constexpr std::string_view kLayoutParts = "DTL#*ESCPM";

bool Reader::ReadLayoutParts(Layout& layout, int depth) {
  const auto number = [this](int64_t& value) {
    return Expect('(') && ReadInt(value) && Expect(')');
  };
  const auto type = [this](std::optional<ElementType>& value) {
    if (!Expect('(') || !Skip()) return false;
    const char* start = cursor.at();
    const std::string_view word = cursor.TakeName();
    value = ElementTypeFromText(word);
    if (!value) return Error(diag::kBadLayout, start, "expected an integer type here");
    return Expect(')');
  };
  size_t next = 0;
  for (;;) {
    if (!Skip()) return false;
    const char* start = cursor.at();
    if (cursor.peek() == '}' || cursor.at_end()) return true;
    const char letter = cursor.peek() == 'S' && cursor.peek(1) == 'C' ? 'C' : cursor.peek();
    if (const size_t position = kLayoutParts.find(letter); position != std::string_view::npos) {
      if (position < next)
        return Wrong(diag::kBadLayout, start,
                     "layout parts must be in the order D T L # * E S SC P M");
      next = position + 1;
    }
    if (cursor.TakeText("SC")) {
      while (cursor.peek() == '(') {
        cursor.Step();
        SplitConfig split;
        if (!ReadInt(split.dimension) || !Expect(':')) return false;
        for (;;) {
          int64_t index = 0;
          if (!ReadInt(index)) return false;
          split.indices.push_back(index);
          if (TakeAfterBlanks(')')) break;
          if (!Expect(',')) return false;
        }
        layout.splits.push_back(std::move(split));
      }
    } else if (cursor.Take('T')) {
      if (cursor.peek() != '(') {
        return Error(diag::kBadLayout, start, "a tile is written T(8,128)");
      }
      while (cursor.peek() == '(') {
        cursor.Step();
        std::vector<int64_t> tile;
        while (!TakeAfterBlanks(')')) {
          if (!tile.empty() && !Expect(',')) return false;
          if (!Skip()) return false;
          int64_t extent = kCombineDimension;
          if (!cursor.Take('*') && !ReadInt(extent)) return false;
          tile.push_back(extent);
        }
        layout.tiles.push_back(std::move(tile));
      }
    } else if (cursor.Take('L')) {
      if (!number(layout.tail_padding_alignment)) return false;
    } else if (cursor.Take('#')) {
      if (!type(layout.index_type)) return false;
    } else if (cursor.Take('*')) {
      if (!type(layout.pointer_type)) return false;
    } else if (cursor.Take('E')) {
      if (!number(layout.element_bits)) return false;
    } else if (cursor.Take('S')) {
      if (!number(layout.memory_space)) return false;
    } else if (cursor.Take('M')) {
      if (!number(layout.dynamic_metadata_bytes)) return false;
    } else if (cursor.peek() == 'P' && cursor.peek(1) == '(') {
      cursor.Step(2);
      ShapeId physical;
      if (!ReadShape(physical, depth + 1) || !Expect(')')) return false;
      layout.physical_shape = physical;
    } else if (cursor.peek() == 'D' && cursor.peek(1) == '(') {
      cursor.Step();
      std::string_view text;
      const char* open = cursor.at();
      while (cursor.peek() != ')' && cursor.peek() != '}' && cursor.peek() != '\n' &&
             !cursor.at_end()) {
        cursor.Step();
      }
      if (!cursor.Take(')')) return Expected("')'");
      text = {open, static_cast<size_t>(cursor.at() - open)};
      layout.dim_levels = text;
    } else {
      // A part from a later generation: letters and a parenthesized argument.
      while (IsClass(cursor.peek(), kNameChar)) cursor.Step();
      if (cursor.peek() == '(') {
        int open = 0;
        do {
          if (cursor.peek() == '(') ++open;
          if (cursor.peek() == ')') --open;
          if (cursor.at_end() || cursor.peek() == '\n') return Expected("')'");
          cursor.Step();
        } while (open != 0);
      }
      if (cursor.at() == start) {
        return Error(diag::kBadLayout, "expected a layout part, found " + Quote(start));
      }
      const std::string_view part(start, static_cast<size_t>(cursor.at() - start));
      Warn(diag::kUnknownLayoutPart, start,
           "layout part '" + std::string(part.substr(0, 40)) + "' is not known");
      layout.unknown += part;
    }
  }
}

}  // namespace halo
