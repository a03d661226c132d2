// Checks that the pipeline never changes results. Sample modules and generated ones are evaluated
// before and after, and every bit must agree; only the kind of a NaN may differ.
#include "halo/passes/pipeline.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/analysis/inputs/input_roles.h"
#include "halo/base/io/source_buffer.h"
#include "halo/eval/evaluate.h"
#include "halo/eval/inputs/random_inputs.h"
#include "halo/eval/lanes/lanes.h"
#include "halo/eval/test/random_module.h"
#include "halo/passes/test/helpers.h"

namespace halo {
namespace {

using ::testing::HasSubstr;

Value MakeInput(const Module& module, ShapeId shape, int64_t parameter, size_t& leaf,
                const std::vector<InputUse>& uses) {
  if (module.shapes.is_tuple(shape)) {
    std::vector<Value> elements;
    for (const ShapeId each : module.shapes.elements(shape)) {
      elements.push_back(MakeInput(module, each, parameter, leaf, uses));
    }
    return Value::Tuple(std::move(elements));
  }
  const InputUse use = uses[leaf++];
  if (!module.shapes.is_array(shape)) return Value::Token();
  return MakeRandomInput(module.shapes.type(shape), module.shapes.dims(shape),
                         {.seed = 1,
                          .parameter = parameter,
                          .leaf = static_cast<int64_t>(leaf),
                          .part = 0,
                          .use = use});
}

std::vector<Value> MakeInputs(const Module& module) {
  const std::vector<InputUse> uses = InferInputRoles(module);
  std::vector<ShapeId> shapes;
  const Computation& entry = module.comp(module.entry);
  for (uint32_t i = 0; i < entry.count; ++i) {
    const Inst& inst = module.insts[entry.first + i];
    if (inst.opcode != Opcode::kParameter) continue;
    if (shapes.size() <= inst.extra) shapes.resize(inst.extra + 1);
    shapes[inst.extra] = inst.shape;
  }
  std::vector<Value> inputs;
  size_t leaf = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    inputs.push_back(MakeInput(module, shapes[i], static_cast<int64_t>(i), leaf, uses));
  }
  return inputs;
}

bool SameElement(ElementType type, const uint8_t* a, const uint8_t* b) {
  if (std::memcmp(a, b, StoredBytes(type)) == 0) return true;
  if (InfoOf(type).klass == ElementClass::kFloat) {
    return std::isnan(LoadFloat(type, a)) && std::isnan(LoadFloat(type, b));
  }
  if (InfoOf(type).klass != ElementClass::kComplex) return false;
  const ElementType part = type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
  const size_t width = StoredBytes(part);
  return SameElement(part, a, b) && SameElement(part, a + width, b + width);
}

// Describes the first difference between two results; empty if they are equal.
std::string Difference(const Value& before, const Value& after) {
  std::vector<const Array*> left;
  std::vector<const Array*> right;
  ForEachArray(before, [&](const Array& array) { left.push_back(&array); });
  ForEachArray(after, [&](const Array& array) { right.push_back(&array); });
  if (left.size() != right.size()) return "another number of arrays";
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i]->type() != right[i]->type() ||
        !std::ranges::equal(left[i]->dims(), right[i]->dims())) {
      return "array " + std::to_string(i) + " has another shape";
    }
    const size_t width = left[i]->element_bytes();
    for (size_t at = 0; at < left[i]->byte_count(); at += width) {
      if (!SameElement(left[i]->type(), left[i]->bytes() + at, right[i]->bytes() + at)) {
        return "array " + std::to_string(i) + ", element " + std::to_string(at / width);
      }
    }
  }
  return {};
}

EvalOptions Limits() {
  EvalOptions options;
  options.max_steps = 20'000;
  options.max_work = 3'000'000;
  options.max_bytes = int64_t{256} << 20;
  options.threads = false;
  return options;
}

// Empty if the pipeline preserves what the module computes. `evaluated` counts the modules that
// ran.
std::string Check(const Module& module, const std::vector<Value>& inputs, int& evaluated) {
  PassOptions passes;
  passes.verify = true;
  const Result<Module> prepared = PrepareForHost(module, passes);
  if (!prepared.ok()) return prepared.error().message;
  const int64_t devices =
      std::max<int64_t>(1, module.IntOr(module.attrs, AttrKey::k_replica_count, 1)) *
      std::max<int64_t>(1, module.IntOr(module.attrs, AttrKey::k_num_partitions, 1));
  const std::vector<std::vector<Value>> arguments(static_cast<size_t>(devices), inputs);
  EvalOptions options = Limits();
  const Result<EvalOutput> before = Evaluate(module, arguments, options);
  if (!before.ok()) return {};
  options.max_steps *= 4;
  options.max_work *= 4;
  const Result<EvalOutput> after = Evaluate(*prepared, arguments, options);
  if (!after.ok()) return after.error().message;
  ++evaluated;
  for (size_t d = 0; d < before->results.size(); ++d) {
    const std::string difference = Difference(before->results[d], after->results[d]);
    if (!difference.empty()) return "device " + std::to_string(d) + ": " + difference;
  }
  return {};
}

// Bits beyond an element's own width have no meaning and must be clear.
void MakeProper(Array& array) {
  const ElementType type = array.type();
  if (type != ElementType::kPred && InfoOf(type).bits >= 8) return;
  for (uint8_t& byte : array.Mutable<uint8_t>()) {
    if (type == ElementType::kPred) {
      byte &= 1;
    } else if (IsIntegerType(type)) {
      StoreInt(type, LoadInt(type, &byte), &byte);
    } else {
      byte &= static_cast<uint8_t>((1 << InfoOf(type).bits) - 1);
    }
  }
}

TEST(Pipeline, SamplesComputeTheSame) {
  int evaluated = 0;
  for (const char* folder : {"/tests/run", "/examples", "/halo/eval/test"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(HALO_SOURCE_DIR) + folder)) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".hlo") && !path.ends_with("_optimizations.txt")) continue;
      const Result<SourceBuffer> source = SourceBuffer::Open(path);
      if (!source.ok()) continue;
      const TextReadResult read = ReadHloText(*source);
      if (!read.diagnostics.ok() || !read.module.entry.valid()) continue;
      if (!Verify(read.module, {.warnings = false}).ok()) continue;
      EXPECT_EQ(Check(read.module, MakeInputs(read.module), evaluated), "") << path;
    }
  }
  EXPECT_GE(evaluated, 20);
}

TEST(Pipeline, GeneratedModulesComputeTheSame) {
  int evaluated = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    uint8_t bytes[sizeof seed];
    std::memcpy(bytes, &seed, sizeof seed);
    random_module::Choices choices(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; ++i) choices.Next();
    random_module::RandomModuleOptions options;
    options.max_dim = seed % 4 == 0 ? 40 : 5;
    options.max_ops = 24;
    options.max_results = 6;
    options.makes_mistakes = false;
    const std::string text = random_module::ModuleMaker(choices, options).Make();
    const TextReadResult read = ReadHloText(text);
    if (!read.diagnostics.ok() || !Verify(read.module, {.warnings = false}).ok()) continue;
    std::vector<Value> inputs = random_module::ArgumentsOf(read.module, choices);
    for (Value& input : inputs) MakeProper(input.array());
    EXPECT_EQ(Check(read.module, inputs, evaluated), "") << "seed " << seed << "\n" << text;
  }
  EXPECT_GE(evaluated, 200);
}

TEST(Pipeline, BoundedDimensionsAreLeftAlone) {
  const Module module = ReadModule(R"(HloModule m
ENTRY main {
  x = f32[<=8] parameter(0)
  ROOT y = f32[<=8] add(x, x)
})");
  PassLog log(true);
  PassOptions options;
  options.log = &log;
  const Result<Module> same = PrepareForHost(module, options);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(HloText(*same), HloText(module));
  ASSERT_EQ(log.notes().size(), 1u);
  EXPECT_THAT(log.notes()[0].text, HasSubstr("known at run time"));
}

TEST(Pipeline, DisabledPassesDoNotRun) {
  const Module module = ReadModule(R"(HloModule m
ENTRY main {
  x = f32[8] parameter(0)
  y = f32[8] add(x, x)
  ROOT z = f32[8] multiply(y, x)
})");
  PassOptions options;
  EXPECT_THAT(BodyText(*PrepareForHost(module, options)), HasSubstr("kind=kLoop"));
  options.disabled = {"fuse"};
  EXPECT_THAT(BodyText(*PrepareForHost(module, options)), testing::Not(HasSubstr("fusion(")));
}

bool BreakModule(Module& module, PassLog& /*log*/) {
  for (Inst& inst : module.insts) {
    if (inst.opcode == Opcode::kAdd) inst.opcode = Opcode::kNot;
  }
  return true;
}

TEST(Pipeline, APassThatBreaksTheModuleIsNamed) {
  Module module = ReadModule(R"(HloModule m
ENTRY main {
  x = f32[8] parameter(0)
  ROOT y = f32[8] add(x, x)
})");
  const Pass passes[] = {{"breaker", "breaks", BreakModule}};
  PassOptions options;
  options.verify = true;
  const Result<Module> broken = RunPasses(std::move(module), passes, options);
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.error().message, HasSubstr("pass breaker broke the module"));
}

}  // namespace
}  // namespace halo
