// Compiles every elementwise op for every element type and compares it with the reference
// evaluator: integers, conversions and plain arithmetic bit for bit, functions within stated ulp
// bounds.
#include "halo/codegen/scalar/scalar_ir.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/jit/jit.h"
#include "halo/codegen/test/elementwise_kernel.h"
#include "halo/eval/evaluate.h"
#include "halo/eval/lanes/lane_kernels.h"
#include "halo/ir/types/numeric.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

std::vector<ElementType> ArrayTypes() {
  std::vector<ElementType> types;
  for (size_t i = 0; i < ElementTypeCount(); ++i) {
    if (IsArrayType(static_cast<ElementType>(i))) types.push_back(static_cast<ElementType>(i));
  }
  return types;
}

struct Case {
  Opcode opcode;
  std::vector<ElementType> operands;
  ElementType result;
  std::string attrs;

  [[nodiscard]] std::string Name() const {
    std::string name(TextOf(opcode));
    for (const ElementType type : operands) name += '_' + std::string(TextOf(type));
    return name + "_to_" + std::string(TextOf(result)) + attrs;
  }
  [[nodiscard]] std::string Text(int64_t count) const {
    const auto shape = [count](ElementType type) {
      return std::string(TextOf(type)) + "[" + std::to_string(count) + "]";
    };
    std::string text = "HloModule m\nENTRY e {\n";
    std::string list;
    for (size_t i = 0; i < operands.size(); ++i) {
      const std::string name = "p" + std::to_string(i);
      text += name + " = " + shape(operands[i]) + " parameter(" + std::to_string(i) + ")\n";
      list += (i == 0 ? "" : ", ") + name;
    }
    return text + "ROOT r = " + shape(result) + " " + std::string(TextOf(opcode)) + "(" + list +
           ")" + attrs + "\n}\n";
  }
};

// Bit patterns of a type: all of them if there are few, otherwise special and random ones.
class Patterns {
 public:
  explicit Patterns(ElementType type) : type_(type) {
    const int bits = InfoOf(type).klass == ElementClass::kPred ? 1 : PartBits();
    if (bits <= 16) {
      for (uint64_t i = 0; i < (uint64_t{1} << bits); ++i) all_.push_back(i);
      return;
    }
    const bool is_float =
        InfoOf(type).klass == ElementClass::kFloat || InfoOf(type).klass == ElementClass::kComplex;
    if (is_float) {
      for (const double value : {0.0,
                                 1.0,
                                 0.5,
                                 2.0,
                                 3.0,
                                 0.1,
                                 1.5,
                                 2.5,
                                 1e-3,
                                 1e-10,
                                 1e10,
                                 88.0,
                                 89.0,
                                 104.0,
                                 709.5,
                                 1e-300,
                                 1e300,
                                 255.5,
                                 128.0,
                                 32767.5,
                                 2147483647.0,
                                 2147483648.0,
                                 4294967295.0,
                                 9.2233720368547758e18,
                                 1.8446744073709552e19,
                                 1e-40,
                                 1.4e-45,
                                 1.17549435e-38,
                                 3.4028234e38,
                                 65504.0,
                                 65520.0,
                                 448.0,
                                 464.0,
                                 240.0,
                                 HUGE_VAL,
                                 std::nan("")}) {
        all_.push_back(Encoded(value));
        all_.push_back(Encoded(-value));
      }
    } else {
      for (int shift = 0; shift < bits; ++shift) {
        const uint64_t power = uint64_t{1} << shift;
        for (const uint64_t value : {power - 1, power, power + 1, ~power, ~power + 1}) {
          all_.push_back(value);
        }
      }
    }
    specials_ = all_.size();
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> moderate(-20, 20);
    while (all_.size() < 4096) {
      all_.push_back(is_float && all_.size() % 2 == 0 ? Encoded(moderate(random)) : random());
    }
    // The evaluator computes in double, which makes every NaN quiet.
    for (uint64_t& each : all_) {
      if (is_float && std::isnan(DecodeFloat(PartType(), each & PartMask()))) each |= QuietBit();
    }
  }

  [[nodiscard]] size_t specials() const { return specials_ == 0 ? all_.size() : specials_; }
  [[nodiscard]] size_t size() const { return all_.size(); }
  [[nodiscard]] uint64_t operator[](size_t i) const { return all_[i % all_.size()]; }
  // Bits of a number, or of one part of a complex number.
  [[nodiscard]] int PartBits() const {
    return InfoOf(type_).klass == ElementClass::kComplex ? InfoOf(type_).bits / 2
                                                         : InfoOf(type_).bits;
  }

 private:
  [[nodiscard]] ElementType PartType() const {
    return PartBits() == 64 ? ElementType::kF64 : ElementType::kF32;
  }
  [[nodiscard]] uint64_t PartMask() const { return PartBits() == 64 ? ~uint64_t{0} : 0xFFFFFFFF; }
  [[nodiscard]] uint64_t QuietBit() const { return uint64_t{1} << (PartBits() == 64 ? 51 : 22); }
  [[nodiscard]] uint64_t Encoded(double value) const { return EncodeFloat(PartType(), value); }
  ElementType type_;
  size_t specials_ = 0;
  std::vector<uint64_t> all_;
};

const Patterns& PatternsOf(ElementType type) {
  static std::map<ElementType, Patterns> all;
  return all.try_emplace(type, type).first->second;
}

Array Filled(ElementType type, std::span<const uint64_t> bits) {
  const size_t parts = InfoOf(type).klass == ElementClass::kComplex ? 2 : 1;
  const std::vector<int64_t> dims = {static_cast<int64_t>(bits.size() / parts)};
  Array array(type, dims);
  const size_t bytes = array.element_bytes() / parts;
  uint8_t* to = array.MutableBytes();
  for (size_t i = 0; i < bits.size(); ++i) std::memcpy(to + i * bytes, &bits[i], bytes);
  return array;
}

// Floats of every sign and exponent; adjacent bit patterns differ by this much.
constexpr uint64_t kStride = 16411;
std::vector<Array> DenseInputsOf(const Case& each) {
  std::vector<uint64_t> bits;
  for (uint64_t i = 0; i < (uint64_t{1} << 32); i += kStride) bits.push_back(i);
  std::vector<Array> inputs;
  for (size_t i = 0; i < each.operands.size(); ++i) {
    inputs.push_back(Filled(each.operands[i], bits));
    std::ranges::shuffle(bits, std::mt19937_64(i));
  }
  return inputs;
}

// Operands of a case: every special value paired with every other, then the remaining values in
// parallel.
std::vector<Array> InputsOf(const Case& each) {
  std::vector<std::vector<uint64_t>> columns(each.operands.size());
  const auto add = [&](size_t operand, size_t i) {
    const Patterns& patterns = PatternsOf(each.operands[operand]);
    columns[operand].push_back(patterns[i]);
    if (InfoOf(each.operands[operand]).klass == ElementClass::kComplex) {
      columns[operand].push_back(patterns[i * 31 + 17]);
    }
  };
  const auto specials = [&](size_t operand) {
    return std::min<size_t>(PatternsOf(each.operands[operand]).specials(), 256);
  };
  if (each.operands.size() == 2) {
    for (size_t i = 0; i < specials(0); ++i) {
      for (size_t j = 0; j < specials(1); ++j) {
        add(0, i);
        add(1, j);
      }
    }
  }
  size_t most = 4096;
  for (const ElementType type : each.operands) most = std::max(most, PatternsOf(type).size());
  for (size_t i = 0; i < most; ++i) {
    for (size_t operand = 0; operand < each.operands.size(); ++operand) {
      add(operand, operand == 0 ? i : i * (operand * 40503 + 1) + operand);
    }
  }
  std::vector<Array> inputs;
  for (size_t i = 0; i < columns.size(); ++i)
    inputs.push_back(Filled(each.operands[i], columns[i]));
  return inputs;
}

// Maps adjacent floats to adjacent integers.
int64_t Ordered(ElementType type, const uint8_t* at) {
  const int bits = InfoOf(type).bits;
  uint64_t value = 0;
  std::memcpy(&value, at, StoredBytes(type));
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return (value & sign) != 0 ? -static_cast<int64_t>(value & (sign - 1))
                             : static_cast<int64_t>(value);
}

// The distance between two elements in ulps. A wrong NaN, infinity or integer counts as larger than
// any distance.
double Distance(ElementType type, const uint8_t* got, const uint8_t* want) {
  constexpr double kWrong = 1e18;
  switch (InfoOf(type).klass) {
    case ElementClass::kComplex: {
      const ElementType part = type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
      const size_t half = StoredBytes(part);
      return std::max(Distance(part, got, want), Distance(part, got + half, want + half));
    }
    case ElementClass::kFloat: {
      const double x = LoadFloat(type, got);
      const double y = LoadFloat(type, want);
      if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? 0 : kWrong;
      if (x == 0 && y == 0) return std::signbit(x) == std::signbit(y) ? 0 : kWrong;
      if (type == ElementType::kF8E8M0FNU) return std::abs(*got - *want);
      return std::fabs(static_cast<double>(Ordered(type, got) - Ordered(type, want)));
    }
    default: return LoadInt(type, got) == LoadInt(type, want) ? 0 : kWrong;
  }
}

std::string Show(ElementType type, const uint8_t* at) {
  const std::complex<double> value = LoadComplex(type, at);
  char text[80];
  std::snprintf(text, sizeof(text), "%.9g,%.9g", value.real(), value.imag());
  return text;
}

struct Prepared {
  Case what;
  std::vector<Array> inputs;
  Module module;
};

class ScalarIrTest : public testing::Test {
 protected:
  // Compiles and runs all cases. The largest distance of each must be at most `allowed`.
  void Check(const std::vector<Case>& cases, const std::function<double(const Case&)>& allowed,
             const std::function<std::vector<Array>(const Case&)>& inputs_of = InputsOf,
             bool print = false) {
    std::vector<Prepared> prepared;
    for (const Case& each : cases) {
      Prepared one{each, inputs_of(each), {}};
      TextReadResult read = ReadHloText(each.Text(one.inputs[0].count()));
      ASSERT_TRUE(read.diagnostics.ok()) << each.Text(1);
      one.module = std::move(read.module);
      const Inst& root = one.module.inst(one.module.comp(one.module.entry).root);
      ASSERT_TRUE(IsScalarOp(one.module, root)) << each.Name();
      prepared.push_back(std::move(one));
    }
    std::vector<JitUnit> units;
    for (const Prepared& one : prepared) {
      const std::string name = one.what.Name();
      units.push_back({name, {name}, [&one, name](llvm::Module& out) {
                         EmitElementwiseKernel(one.module, name, 16, out);
                       }});
    }
    auto jit = Jit::Create({});
    ASSERT_TRUE(jit.ok());
    const auto counts = (*jit)->Compile(units);
    ASSERT_TRUE(counts.ok()) << counts.error().message;
    std::map<std::string, double> worst;
    for (const Prepared& one : prepared) {
      const double distance = Run(one, (*jit)->Find(one.what.Name()), allowed(one.what));
      double& most =
          worst[std::string(TextOf(one.what.opcode)) + " " + std::string(TextOf(one.what.result))];
      most = std::max(most, distance);
    }
    if (!print) return;
    for (const auto& [name, distance] : worst) {
      std::printf("%-40s at most %g ulp\n", name.c_str(), distance);
    }
  }

 private:
  static double Run(const Prepared& one, KernelFunction function, double allowed) {
    std::vector<Value> arguments(one.inputs.begin(), one.inputs.end());
    const auto evaluated = Evaluate(one.module, {arguments});
    EXPECT_TRUE(evaluated.ok()) << one.what.Name();
    if (!evaluated.ok()) return 0;
    const Array& want = evaluated->results[0].array();
    Array got(want.type(), want.dims());
    std::vector<void*> buffers;
    for (const Array& input : one.inputs) buffers.push_back(const_cast<uint8_t*>(input.bytes()));
    buffers.push_back(got.MutableBytes());
    function(buffers.data(), 0, want.count());
    double worst = 0;
    int shown = 0;
    for (int64_t i = 0; i < want.count(); ++i) {
      const size_t at = static_cast<size_t>(i) * want.element_bytes();
      const double distance = Distance(want.type(), got.bytes() + at, want.bytes() + at);
      worst = std::max(worst, distance);
      if (distance <= allowed || ++shown > 3) continue;
      std::string from;
      for (const Array& input : one.inputs) {
        from += " " +
                Show(input.type(), input.bytes() + static_cast<size_t>(i) * input.element_bytes());
      }
      ADD_FAILURE() << one.what.Name() << " of" << from << " is "
                    << Show(want.type(), got.bytes() + at) << ", evaluated "
                    << Show(want.type(), want.bytes() + at) << ": " << distance << " ulp";
    }
    return worst;
  }
};

bool IsDefined(Opcode opcode, ElementType type) {
  LaneOp op;
  op.opcode = opcode;
  op.type = type;
  return FindLaneKernel(op) != nullptr;
}

ElementType NaturalResult(Opcode opcode, ElementType type) {
  if (opcode == Opcode::kIsFinite || opcode == Opcode::kCompare) return ElementType::kPred;
  const bool to_real = opcode == Opcode::kAbs || opcode == Opcode::kReal || opcode == Opcode::kImag;
  if (to_real && type == ElementType::kC64) return ElementType::kF32;
  if (to_real && type == ElementType::kC128) return ElementType::kF64;
  return type;
}

std::vector<Case> CasesOf(std::initializer_list<Opcode> opcodes) {
  std::vector<Case> cases;
  for (const Opcode opcode : opcodes) {
    for (const ElementType type : ArrayTypes()) {
      if (!IsDefined(opcode, type)) continue;
      cases.push_back({opcode,
                       std::vector<ElementType>(static_cast<size_t>(InfoOf(opcode).operands), type),
                       NaturalResult(opcode, type), ""});
    }
  }
  return cases;
}

const auto kExact = [](const Case&) { return 0.0; };

TEST_F(ScalarIrTest, ArithmeticIsExact) {
  std::vector<Case> cases = CasesOf({Opcode::kAbs,
                                     Opcode::kAdd,
                                     Opcode::kAnd,
                                     Opcode::kCeil,
                                     Opcode::kClamp,
                                     Opcode::kClz,
                                     Opcode::kCopy,
                                     Opcode::kFloor,
                                     Opcode::kImag,
                                     Opcode::kIsFinite,
                                     Opcode::kMaximum,
                                     Opcode::kMinimum,
                                     Opcode::kMulhi,
                                     Opcode::kMultiply,
                                     Opcode::kNegate,
                                     Opcode::kNot,
                                     Opcode::kOr,
                                     Opcode::kPopulationCount,
                                     Opcode::kReal,
                                     Opcode::kRemainder,
                                     Opcode::kRoundNearestAfz,
                                     Opcode::kRoundNearestEven,
                                     Opcode::kShiftLeft,
                                     Opcode::kShiftRightArithmetic,
                                     Opcode::kShiftRightLogical,
                                     Opcode::kSubtract,
                                     Opcode::kXor});
  for (const Case& each : CasesOf({Opcode::kDivide, Opcode::kPower, Opcode::kSign})) {
    if (IsIntegerType(each.result) || each.opcode != Opcode::kPower) cases.push_back(each);
  }
  std::erase_if(cases, [](const Case& each) {
    return each.opcode == Opcode::kMultiply && each.result == ElementType::kC64;
  });
  Check(cases, [](const Case& each) {
    const bool is_complex = InfoOf(each.operands[0]).klass == ElementClass::kComplex;
    return each.opcode == Opcode::kAbs && is_complex ? 1.0 : 0.0;
  });
}

// The evaluator multiplies in double, where no product of two parts overflows.
TEST_F(ScalarIrTest, ProductsOfComplexFloatsAreWithinAnUlp) {
  const auto without_overflow = [](const Case& each) {
    std::vector<Array> inputs = InputsOf(each);
    for (Array& input : inputs) {
      for (size_t at = 0; at < input.byte_count(); at += sizeof(float)) {
        float part = 0;
        std::memcpy(&part, input.bytes() + at, sizeof(part));
        if (std::isfinite(part)) part = std::clamp(part, -1e18F, 1e18F);
        std::memcpy(input.MutableBytes() + at, &part, sizeof(part));
      }
    }
    return inputs;
  };
  using enum ElementType;
  Check(
      {{Opcode::kMultiply, {kC64, kC64}, kC64, ""}}, [](const Case&) { return 1.0; },
      without_overflow);
}

TEST_F(ScalarIrTest, EveryConversionIsExact) {
  std::vector<Case> cases;
  for (const ElementType from : ArrayTypes()) {
    for (const ElementType to : ArrayTypes()) {
      cases.push_back({Opcode::kConvert, {from}, to, ""});
      if (InfoOf(from).bits == InfoOf(to).bits && from != ElementType::kPred &&
          to != ElementType::kPred) {
        cases.push_back({Opcode::kBitcastConvert, {from}, to, ""});
      }
    }
  }
  Check(cases, kExact);
}

TEST_F(ScalarIrTest, ComparisonsAndChoicesAreExact) {
  std::vector<Case> cases;
  for (const ElementType type : ArrayTypes()) {
    const bool is_complex = InfoOf(type).klass == ElementClass::kComplex;
    const bool is_float = InfoOf(type).klass == ElementClass::kFloat;
    for (const char* direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
      if (is_complex && direction[1] != 'Q' && direction[0] != 'N') continue;
      const std::string attrs = std::string(", direction=") + direction;
      cases.push_back({Opcode::kCompare, {type, type}, ElementType::kPred, attrs});
      if (!is_float) continue;
      cases.push_back(
          {Opcode::kCompare, {type, type}, ElementType::kPred, attrs + ", type=TOTALORDER"});
    }
    cases.push_back({Opcode::kSelect, {ElementType::kPred, type, type}, type, ""});
  }
  Check(cases, kExact);
}

TEST_F(ScalarIrTest, MixedTypesAndPrecisionAreExact) {
  using enum ElementType;
  std::vector<Case> cases = {
      {Opcode::kAdd, {kF32, kBF16}, kF32, ""},
      {Opcode::kMultiply, {kBF16, kBF16}, kF32, ""},
      {Opcode::kSubtract, {kF16, kF64}, kF32, ""},
      {Opcode::kAdd, {kS32, kS8}, kS32, ""},
      {Opcode::kShiftLeft, {kU32, kU8}, kU32, ""},
      {Opcode::kMaximum, {kF32, kF32}, kBF16, ""},
      {Opcode::kComplex, {kF32, kF32}, kC64, ""},
      {Opcode::kComplex, {kF64, kF64}, kC128, ""},
      {Opcode::kStochasticConvert, {kF32, kU32}, kS8, ""},
      {Opcode::kStochasticConvert, {kBF16, kU16}, kS32, ""},
  };
  for (const ElementType type : {kF32, kF64, kBF16, kF16, kF8E4M3FN}) {
    for (const char* attrs :
         {", exponent_bits=8, mantissa_bits=7", ", exponent_bits=5, mantissa_bits=10",
          ", exponent_bits=4, mantissa_bits=3", ", exponent_bits=8, mantissa_bits=23",
          ", exponent_bits=3, mantissa_bits=0", ", exponent_bits=11, mantissa_bits=1"}) {
      cases.push_back({Opcode::kReducePrecision, {type}, type, attrs});
    }
  }
  Check(cases, kExact);
}

constexpr std::initializer_list<Opcode> kFunctions = {
    Opcode::kAcos,  Opcode::kAcosh, Opcode::kAsin, Opcode::kAsinh, Opcode::kAtan2,
    Opcode::kAtanh, Opcode::kCbrt,  Opcode::kCos,  Opcode::kCosh,  Opcode::kErf,
    Opcode::kExp,   Opcode::kExpm1, Opcode::kLog,  Opcode::kLog1p, Opcode::kLogistic,
    Opcode::kPower, Opcode::kRsqrt, Opcode::kSin,  Opcode::kSinh,  Opcode::kSqrt,
    Opcode::kTan,   Opcode::kTanh};

TEST_F(ScalarIrTest, FunctionsAreWithinTheirBounds) {
  std::vector<Case> cases;
  for (const Case& each : CasesOf(kFunctions)) {
    if (LaneKindOf(each.result) == LaneKind::kFloat ||
        LaneKindOf(each.result) == LaneKind::kComplex) {
      cases.push_back(each);
    }
  }
  Check(cases, [](const Case& each) {
    if (InfoOf(each.result).klass == ElementClass::kComplex) return 0.0;
    if (each.result == ElementType::kF32) return 2.0;
    if (each.result != ElementType::kF64) return 1.0;
    switch (each.opcode) {  // the others are the evaluator's: the C library's
      case Opcode::kCosh:
      case Opcode::kExp:
      case Opcode::kLog: return 1.0;
      case Opcode::kAcosh:
      case Opcode::kExpm1:
      case Opcode::kLog1p: return 2.0;
      case Opcode::kLogistic:
      case Opcode::kTanh: return 3.0;
      default: return 0.0;
    }
  });
}

TEST_F(ScalarIrTest, FunctionsOfFloatsAreWithinTheirBoundsEverywhere) {
  std::vector<Case> cases;
  for (const Case& each : CasesOf(kFunctions)) {
    if (each.result == ElementType::kF32) cases.push_back(each);
  }
  const auto allowed = [](const Case& each) {
    return each.opcode == Opcode::kLogistic || each.opcode == Opcode::kTanh ||
                   each.opcode == Opcode::kSin || each.opcode == Opcode::kCos
               ? 2.0
               : 1.0;
  };
  Check(cases, allowed, DenseInputsOf, true);
}

}  // namespace
}  // namespace halo
