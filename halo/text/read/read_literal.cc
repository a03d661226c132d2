// Reads constant values. Braces must match the shape's dimensions; elements are converted directly
// to bits, including NaN payloads. {...} is a value that the dump elided, and stays elided.
#include <charconv>
#include <cmath>
#include <cstring>

#include "halo/ir/ir_diagnostics.h"
#include "halo/ir/types/numeric.h"
#include "halo/text/read/reader.h"
#include "halo/text/read/text_diagnostics.h"

namespace halo {
namespace {

constexpr int kMaxTupleNesting = 64;
constexpr int64_t kMaxLoneFill = 4096;

void AppendBits(uint64_t bits, size_t bytes, std::vector<uint8_t>& out) {
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(bits >> (8 * i)));
}

bool IsWordOfLiterals(std::string_view word) {
  return word == "true" || word == "false" || word == "inf" || word == "nan" || word == "e" ||
         word == "E";
}

// True if the text has only what values consist of: numbers, a few words and brackets. A mistake in
// it is then a wrong value rather than an unknown form.
bool LooksLikeLiteral(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (IsClass(c, kNameStart | kDigit)) {
      size_t stop = i;
      while (stop < text.size() && IsClass(text[stop], kNameStart | kDigit)) ++stop;
      if (IsClass(c, kNameStart) && !IsWordOfLiterals(text.substr(i, stop - i))) return false;
      i = stop;
    } else if (std::strchr(" \t+-.,(){}", c) != nullptr) {
      ++i;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

bool Reader::ReadConstant(ShapeId shape, LiteralId& literal) {
  if (!Skip()) return false;
  const char* open = cursor.at();
  if (!Expect('(')) return false;
  Doubt doubt;
  if (Try(doubt, [&] { return ReadLiteral(shape, literal) && Expect(')'); })) return true;
  const char* stop = MayKeep(doubt) ? EndOfBrackets(open) : nullptr;
  if (stop == nullptr) return ReportDoubt(doubt);
  const std::string_view text(open + 1, static_cast<size_t>(stop - open) - 2);
  if (module.shapes.has_unknown(shape)) {
    // The reader has warned of the element type.
    cursor.MoveTo(stop);
  } else if (LooksLikeLiteral(text) || !KeepUnknown(doubt, open, stop, "this value")) {
    return ReportDoubt(doubt);
  }
  literal = module.literals.AddVerbatim(shape, text);
  return true;
}

bool Reader::ReadLiteral(ShapeId shape, LiteralId& literal) {
  literal_scratch_.clear();
  bool elided = false;
  if (!ReadLiteralLeaves(shape, elided, 0)) return false;
  literal =
      elided ? module.literals.AddElided(shape) : module.literals.Add(shape, literal_scratch_);
  return true;
}

bool Reader::ReadLiteralLeaves(ShapeId shape, bool& elided, int depth) {
  if (!Skip()) return false;
  if (depth > kMaxTupleNesting) return Error(diag::kTooNested, "this value is nested too deeply");
  if (cursor.TakeText("{...}")) {
    elided = true;
    return true;
  }
  if (module.shapes.is_tuple(shape)) {
    if (!Expect('(')) return false;
    const std::vector<ShapeId> parts(module.shapes.elements(shape).begin(),
                                     module.shapes.elements(shape).end());
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i != 0 && !Expect(',')) return false;
      // Older text repeats each leaf's shape.
      ShapeId repeated;
      if (!Skip()) return false;
      if (IsClass(cursor.peek(), kNameStart) && AtShape() && !ReadShape(repeated)) return false;
      if (!ReadLiteralLeaves(parts[i], elided, depth + 1)) return false;
    }
    return Expect(')');
  }
  if (module.shapes.type(shape) == ElementType::kToken) {
    cursor.TakeWord("token");
    return true;
  }
  if (!module.shapes.is_array(shape)) {
    return module.shapes.has_unknown(shape)
               ? Error(diag::kBadLiteral, "this element type is unknown")
               : Wrong(diag::kBadLiteral, cursor.at(), "a value of this shape cannot be written");
  }
  return ReadDenseLiteral(shape, elided);
}

bool Reader::ReadDenseLiteral(ShapeId shape, bool& elided) {
  const ElementType type = module.shapes.type(shape);
  const std::vector<int64_t> dims(module.shapes.dims(shape).begin(),
                                  module.shapes.dims(shape).end());
  const char* start = cursor.at();
  if (dims.empty()) return ReadElement(type);
  // counts[d]: the number of items so far in the open brace at level d.
  std::vector<int64_t> counts;
  for (;;) {
    if (!Skip()) return false;
    const char c = cursor.peek();
    if (c == '{') {
      if (cursor.TakeText("{...}")) {
        elided = true;
        if (counts.empty()) return true;
      } else {
        cursor.Step();
        if (counts.size() == dims.size()) {
          return Error(diag::kLiteralWrongCount, start,
                       "this value has more braces than its shape has dimensions");
        }
        counts.push_back(0);
        continue;
      }
    } else if (c == '}') {
      if (counts.empty()) return Expected("a value");
      const size_t level = counts.size() - 1;
      if (counts[level] != dims[level] && !elided) {
        return Error(diag::kLiteralWrongCount, "dimension " + std::to_string(level) + " has " +
                                                   std::to_string(dims[level]) + " items, but " +
                                                   std::to_string(counts[level]) + " are given");
      }
      cursor.Step();
      counts.pop_back();
      if (counts.empty()) return true;
    } else if (c == ',') {
      cursor.Step();
      continue;
    } else {
      if (counts.empty()) return ReadLoneElement(shape);
      if (counts.size() != dims.size()) {
        return Error(diag::kLiteralWrongCount, "expected " + std::to_string(dims.size()) +
                                                   " levels of braces around each element, found " +
                                                   std::to_string(counts.size()));
      }
      if (counts.back() >= dims.back() && !elided) {
        return Error(diag::kLiteralWrongCount,
                     "more than " + std::to_string(dims.back()) + " elements are given");
      }
      if (!ReadElement(type)) return false;
    }
    if (!counts.empty()) ++counts.back();
  }
}

// XLA reads a single number for an array as its first element and sets the rest to zero.
bool Reader::ReadLoneElement(ShapeId shape) {
  const char* start = cursor.at();
  const auto count = module.shapes.ElementCount(shape);
  if (!count || *count < 1 || *count > kMaxLoneFill) return Expected("'{'");
  const size_t before = literal_scratch_.size();
  if (!ReadElement(module.shapes.type(shape))) return false;
  const size_t bytes = literal_scratch_.size() - before;
  literal_scratch_.resize(before + bytes * static_cast<size_t>(*count), 0);
  Warn(diag::kLiteralPartlyGiven, start,
       "one number for " + std::to_string(*count) + " elements; the others are read as zero");
  return true;
}

bool Reader::ReadElement(ElementType type) {
  const ElementTypeInfo& info = InfoOf(type);
  switch (info.klass) {
    case ElementClass::kPred: {
      bool value = false;
      if (!ReadBool(value)) return false;
      literal_scratch_.push_back(value ? 1 : 0);
      return true;
    }
    case ElementClass::kSigned:
    case ElementClass::kUnsigned: return ReadIntegerElement(type);
    case ElementClass::kFloat: return ReadFloatElement(type);
    case ElementClass::kComplex: {
      const ElementType part = type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
      if (!Skip()) return false;
      if (cursor.peek() != '(') {
        // A bare number is the real part.
        if (!ReadFloatElement(part)) return false;
        AppendBits(0, StoredBytes(part), literal_scratch_);
        return true;
      }
      cursor.Step();
      return ReadFloatElement(part) && Expect(',') && ReadFloatElement(part) && Expect(')');
    }
    case ElementClass::kOther: break;
  }
  return Error(diag::kBadLiteral, "elements of this type cannot be written");
}

bool Reader::ReadIntegerElement(ElementType type) {
  if (!Skip()) return false;
  const char* start = cursor.at();
  const ElementTypeInfo& info = InfoOf(type);
  int64_t value = 0;
  if (cursor.TakeWord("true")) {
    value = 1;
  } else if (!cursor.TakeWord("false") && !ReadInt(value)) {
    return false;
  }
  const bool is_negative = *start == '-';
  bool fits = true;
  if (info.klass == ElementClass::kUnsigned) {
    fits = !is_negative || value == 0;
    if (info.bits < 64) fits = fits && static_cast<uint64_t>(value) >> info.bits == 0;
  } else if (info.bits < 64) {
    const int64_t limit = int64_t{1} << (info.bits - 1);
    fits = value >= -limit && value < limit && (is_negative || value >= 0);
  } else {
    fits = is_negative || value >= 0;
  }
  if (!fits) {
    return Error(diag::kLiteralOutOfRange, start,
                 "this value does not fit in " + std::string(info.text));
  }
  AppendBits(static_cast<uint64_t>(value), StoredBytes(type), literal_scratch_);
  return true;
}

bool Reader::ReadFloatElement(ElementType type) {
  if (!Skip()) return false;
  const char* start = cursor.at();
  const bool negative = *start == '-';
  if (negative) cursor.Step();
  double value = 0;
  if (cursor.TakeWord("inf")) {
    value = HUGE_VAL;
  } else if (cursor.TakeWord("nan")) {
    std::optional<uint64_t> payload;
    if (cursor.TakeText("(0x")) {
      uint64_t number = 0;
      const auto [end, error] = std::from_chars(cursor.at(), cursor.end(), number, 16);
      if (error != std::errc() || *end != ')') {
        return Error(diag::kBadLiteral, start, "a NaN's payload is written nan(0x7f)");
      }
      cursor.MoveTo(end + 1);
      payload = number;
    }
    const auto bits = EncodeNan(type, negative, payload);
    if (!bits) {
      return Error(diag::kLiteralOutOfRange, start, std::string(TextOf(type)) + " has no such NaN");
    }
    AppendBits(*bits, StoredBytes(type), literal_scratch_);
    return true;
  } else if (IsClass(cursor.peek(), kDigit) || cursor.peek() == '.') {
    const auto [end, error] = std::from_chars(cursor.at(), cursor.end(), value);
    if (error == std::errc::invalid_argument) {
      return Error(diag::kBadLiteral, start, "this is not a number");
    }
    if (error == std::errc::result_out_of_range) {
      // Out of range for a double: the exponent's sign decides.
      const std::string_view digits(cursor.at(), static_cast<size_t>(end - cursor.at()));
      value =
          digits.find("e-") != std::string_view::npos || digits.find("E-") != std::string_view::npos
              ? 0.0
              : HUGE_VAL;
    }
    if (std::isinf(value)) {
      return Error(diag::kLiteralOutOfRange, start,
                   "this value does not fit in " + std::string(TextOf(type)));
    }
    cursor.MoveTo(end);
  } else if (cursor.TakeWord("true")) {
    value = 1;
  } else if (!cursor.TakeWord("false")) {
    return Error(diag::kBadLiteral, "expected a number, found " + Quote(cursor.at()));
  }
  uint64_t bits = EncodeFloat(type, negative ? -value : value);
  // XLA prints the smallest of these as 5.9e-39, slightly more than its value. XLA's own rounding
  // would turn that into the next one.
  if (type == ElementType::kF8E8M0FNU && bits == 1 && value < 8e-39) bits = 0;
  if (!std::isinf(value) && (IsNan(type, bits) || std::isinf(DecodeFloat(type, bits)))) {
    return Error(diag::kLiteralOutOfRange, start,
                 "this value does not fit in " + std::string(TextOf(type)));
  }
  AppendBits(bits, StoredBytes(type), literal_scratch_);
  return true;
}

}  // namespace halo
