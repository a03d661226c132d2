// The reader's results: the tables it fills, the limits it enforces, and that neither the number of
// threads nor hostile input changes them. The golden files under tests/ show how text prints back.
#include "halo/text/read/read_text.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/text/read/reader.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

const Inst* Named(const Module& module, std::string_view name) {
  for (const Inst& inst : module.insts) {
    if (module.name_of(inst) == name) return &inst;
  }
  return nullptr;
}

std::string Codes(const Diagnostics& diagnostics) {
  std::string codes;
  for (const Diagnostic& each : diagnostics.all()) {
    if (!codes.empty()) codes += " ";
    codes += each.code.text;
  }
  return codes;
}

TEST(ReadText, ResolvesNames) {
  const TextReadResult read = ReadHloText(R"(HloModule m, is_scheduled=true

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  later = f32[4] negate(x), control-predecessors={after}
  x = f32[4] parameter(0)
  after = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
  zero = f32[] constant(0)
})");
  ASSERT_TRUE(read.diagnostics.empty()) << Codes(read.diagnostics);
  const Module& module = read.module;
  EXPECT_EQ(module.text(module.name), "m");
  EXPECT_TRUE(module.is_scheduled());
  ASSERT_EQ(module.order.size(), 2u);
  EXPECT_EQ(module.entry, module.order[1]);
  const Computation& entry = module.comp(module.entry);
  EXPECT_TRUE(entry.is_entry);
  EXPECT_EQ(entry.count, 4u);
  // Without a ROOT, the last instruction is the root.
  EXPECT_EQ(module.name_of(module.inst(entry.root)), "zero");
  const Inst* later = Named(module, "later");
  ASSERT_NE(later, nullptr);
  EXPECT_EQ(later->parent, module.entry);
  EXPECT_EQ(module.name_of(module.inst(module.operands_of(*later)[0])), "x");
  const std::span<const int64_t> before =
      module.IntsOf(later->attrs, AttrKey::k_control_predecessors);
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(module.name_of(module.insts[static_cast<size_t>(before[0])]), "after");
  std::vector<CompId> called;
  module.CalledBy(*Named(module, "after"), called);
  EXPECT_EQ(called, std::vector<CompId>{module.order[0]});
}

TEST(ReadText, NamesBelongToTheirComputation) {
  const TextReadResult read = ReadHloText(
      "f {\n  ROOT p = f32[] parameter(0)\n}\nENTRY g {\n  ROOT n = f32[] negate(p)\n}\n");
  EXPECT_EQ(Codes(read.diagnostics), "unknown-operand");
}

TEST(ReadText, InlineComputationsComeBeforeWhatCallsThem) {
  const TextReadResult read = ReadHloText(
      "HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n"
      "  q = f32[] call(p), to_apply={ a = f32[] parameter(0)\n"
      "    ROOT b = f32[] call(a), to_apply={ c = f32[] parameter(0)\n ROOT d = f32[] negate(c) } "
      "}\n"
      "  ROOT r = f32[] call(q), to_apply={ f = f32[] parameter(0)\n ROOT g = f32[] abs(f) }\n}\n");
  ASSERT_TRUE(read.diagnostics.ok());
  const Module& module = read.module;
  std::vector<size_t> position(module.comps.size());
  ASSERT_EQ(module.order.size(), 4u);
  for (size_t i = 0; i < module.order.size(); ++i) position[module.order[i].index()] = i;
  for (const Inst& inst : module.insts) {
    std::vector<CompId> called;
    module.CalledBy(inst, called);
    for (const CompId comp : called) {
      EXPECT_LT(position[comp.index()], position[inst.parent.index()]);
    }
  }
  EXPECT_EQ(module.order.back(), module.entry);
}

TEST(ReadText, ImpliedElementsAreInstructions) {
  const TextReadResult read = ReadHloText(
      "ENTRY e {\n  t = (f32[], (s32[], s32[])) parameter(0)\n  ROOT a = s32[] add(t#1#0, "
      "t#1#1)\n}\n");
  ASSERT_TRUE(read.diagnostics.empty()) << Codes(read.diagnostics);
  const Module& module = read.module;
  EXPECT_TRUE(module.style.compact_gte);
  EXPECT_EQ(module.insts.size(), 5u);
  const Inst* add = Named(module, "a");
  const Inst& left = module.inst(module.operands_of(*add)[0]);
  const Inst& right = module.inst(module.operands_of(*add)[1]);
  EXPECT_EQ(left.opcode, Opcode::kGetTupleElement);
  EXPECT_NE(left.flags & kInstImplicit, 0);
  // Both refer to the same inner tuple.
  EXPECT_EQ(module.operands_of(left)[0], module.operands_of(right)[0]);
}

TEST(ReadText, ShortAsyncForms) {
  const TextReadResult read = ReadHloText(
      "ENTRY e {\n  p = f32[4] parameter(0)\n  s = ((f32[4]), f32[4]) copy-start(p)\n"
      "  n = ((f32[4]), f32[4]) negate-start(p)\n  ROOT d = f32[4] negate-done(n)\n}\n");
  const Module& module = read.module;
  EXPECT_EQ(Named(module, "s")->opcode, Opcode::kCopyStart);
  EXPECT_EQ(Named(module, "n")->opcode, Opcode::kAsyncStart);
  EXPECT_EQ(Named(module, "n")->wrapped, Opcode::kNegate);
  EXPECT_EQ(Named(module, "d")->opcode, Opcode::kAsyncDone);
}

TEST(ReadText, WhatIsUnknownIsKept) {
  const std::string text =
      "HloModule m, mood=good\n\nENTRY %e {\n  ROOT %p = f32[4]{0:Q(1)} frobnicate(), "
      "taste={a,{b}}, "
      "metadata={op_name=\"x\" colour=red}\n}\n";
  const TextReadResult read = ReadHloText(text);
  EXPECT_EQ(Codes(read.diagnostics),
            "unknown-module-attribute unknown-layout-part unknown-opcode unknown-attribute "
            "unknown-attribute");
  EXPECT_TRUE(read.diagnostics.ok());
  EXPECT_EQ(HloText(read.module), text);
}

// A program with enough text for several threads, and every construct that can cross chunk
// boundaries.
std::string Large(int steps, bool percent) {
  const std::string p = percent ? "%" : "";
  std::string text = "HloModule large, is_scheduled=true\n\n";
  for (int c = 0; c < 20; ++c) {
    const std::string n = std::to_string(c);
    text += p + "body." + n + " {\n  " + p + "t." + n + " = (f32[8]{0}, s32[]) parameter(0)\n";
    for (int i = 0; i < steps; ++i) {
      const std::string k = n + "." + std::to_string(i);
      text += "  " + p + "g." + k + " = f32[8]{0} get-tuple-element(" + p + "t." + n +
              "), index=0, metadata={op_name=\"layer_" + k +
              "/get\" source_file=\"f.py\" source_line=" + std::to_string(i) + "}\n";
      if (i > 0) {
        text += "  " + p + "a." + k + " = f32[8]{0} add(" + p + "g." + k + ", " + p + "g." + n +
                ".0), control-predecessors={" + p + "g." + n + ".0}, backend_config={\"queue\":\"" +
                std::to_string(i % 7) + "\"}\n";
      }
    }
    text += "  ROOT " + p + "r." + n + " = f32[8]{0} negate(" + p + "g." + n + ".0)\n}\n\n";
  }
  text += "ENTRY " + p + "main {\n  " + p + "x = (f32[8]{0}, s32[]) parameter(0)\n  ROOT " + p +
          "c = f32[8]{0} call(" + p + "x), to_apply=" + p + "body.7\n}\n\n";
  return text;
}

TEST(ReadText, ThreadsChangeNothing) {
  for (const bool percent : {true, false}) {
    const std::string text = Large(400, percent);
    ASSERT_GT(text.size(), size_t{1} << 20);
    const TextReadResult one = ReadHloText(text, {.threads = 1});
    ASSERT_TRUE(one.diagnostics.empty()) << Codes(one.diagnostics);
    EXPECT_TRUE(HloText(one.module) == text);
    for (const int threads : {2, 3, 8}) {
      const TextReadResult many = ReadHloText(text, {.threads = threads});
      EXPECT_TRUE(many.diagnostics.empty());
      EXPECT_TRUE(HloText(many.module) == text) << threads;
      EXPECT_EQ(many.module.insts.size(), one.module.insts.size());
    }
  }
}

TEST(ReadText, ThreadsReportTheSame) {
  const std::string good = Large(400, true);
  const auto broken = [&good](std::string_view from, std::string_view to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::string texts[] = {
      // A nonexistent element of a tuple that another thread reads.
      broken("%g.9.399 = f32[8]{0} get-tuple-element(%t.9), index=0",
             "%g.9.399 = f32[8]{0} get-tuple-element(%t.9), index=5"),
      broken("add(%g.9.399, ", "add(f32[9]{0} %g.9.0, "),
      broken("add(%g.3.100, ", "add(%nowhere, "),
      broken("control-predecessors={%g.5.0}", "control-predecessors={%ghost}"),
      broken("%a.6.300 =", "%a.6.299 ="),
      broken("to_apply=%body.7", "to_apply=%body.77"),
      broken("%body.12 {", "%body.11 {"),
      broken("  ROOT %r.4", "  ROOT %extra = f32[] constant(0)\n  ROOT %r.4"),
  };
  for (const std::string& text : texts) {
    const TextReadResult one = ReadHloText(text, {.threads = 1});
    const TextReadResult many = ReadHloText(text, {.threads = 4});
    EXPECT_FALSE(one.diagnostics.empty());
    ASSERT_EQ(Codes(one.diagnostics), Codes(many.diagnostics));
    for (size_t i = 0; i < one.diagnostics.all().size(); ++i) {
      EXPECT_EQ(RenderDiagnostic(one.diagnostics.all()[i], "f", false),
                RenderDiagnostic(many.diagnostics.all()[i], "f", false));
    }
  }
}

TEST(ReadText, AModuleBeyondTheTablesIsRefused) {
  // Reaching the real limits takes a text of four gibibytes.
  const SourceBuffer source = SourceBuffer::Copy(
      "ENTRY e {\n  a = f32[] parameter(0)\n  b = f32[] negate(a)\n  ROOT c = f32[] negate(b)\n}\n",
      "t");
  Module module;
  Diagnostics diagnostics;
  Reader reader(source.bytes(), module, diagnostics);
  reader.max_insts = 2;
  reader.ReadHeader();
  const std::string_view text = source.bytes();
  reader.CloseAtEnd(reader.ReadBody(text.data() + text.size(), Reader::State::kOutside));
  reader.Finish();
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics.all()[0].code.text, "too-large");
  EXPECT_EQ(diagnostics.all()[0].location.line, 4u);
}

std::string Repeated(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ReadText, HostileInputIsRefusedQuickly) {
  const std::string many(200000, '(');
  const std::string braces(200000, '{');
  const std::string texts[] = {
      "ENTRY e {\n  p = " + many + "\n}\n",
      "ENTRY e {\n  p = f32[] constant(" + braces + ")\n}\n",
      "ENTRY e {\n  p = f32[2,2]{" + many + "} parameter(0)\n}\n",
      "ENTRY e {\n  p = f32[] parameter(0), sharding=" + braces + "\n}\n",
      "ENTRY e {\n  p = f32[] parameter(0), unheard=" + many + "\n}\n",
      "ENTRY e {\n  p = f32[] parameter(0), backend_config=" + braces + "\n}\n",
      "ENTRY e {\n  p = f32[] parameter(0), metadata={op_name=\"" + many + "\n}\n",
      "ENTRY e {\n  p = f32[9223372036854775807,9223372036854775807] parameter(0)\n}\n",
      "ENTRY e {\n  p = f32[1000000000000] constant({1})\n}\n",
      "ENTRY e {\n  p = f32[] parameter(4000000000)\n}\n",
      "ENTRY e {\n  p = f32[] parameter(0), "
      "replica_groups=[1000000000,1000000000]<=[1000000000000000000]\n}\n",
      "ENTRY e {\n  p = f32[] parameter(0), sharding={devices=[1000000000]<=[1000000000]}\n}\n",
      "ENTRY e {\n" + Repeated("a = (\n", 20000) + "}\n",
      "ENTRY e {\n" + Repeated("r = f32[] reduce(a), to_apply={ b = f32[] add(a)}\n", 5000) + "}\n",
      std::string(300000, '%'),
      "/*" + std::string(300000, '*'),
  };
  for (const std::string& text : texts) {
    const auto begin = std::chrono::steady_clock::now();
    const TextReadResult read = ReadHloText(text);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_LT(seconds, 5.0) << text.substr(0, 60);
    EXPECT_LE(read.module.bytes(), text.size() * 50 + (size_t{64} << 10)) << text.substr(0, 60);
  }
}

TEST(ReadText, EveryFloatOfSixteenBitsPrintsAndReadsBack) {
  for (const char* type : {"f16", "bf16"}) {
    // Goes through text, not bits, to cover NaN payloads as well.
    Module module;
    const ElementType element = *ElementTypeFromText(type);
    std::vector<uint8_t> bits;
    for (int code = 0; code < 65536; ++code) {
      bits.push_back(static_cast<uint8_t>(code));
      bits.push_back(static_cast<uint8_t>(code >> 8));
    }
    const std::vector<int64_t> dims = {65536};
    Inst inst;
    inst.shape = module.shapes.Array(element, dims);
    inst.opcode = Opcode::kConstant;
    inst.name = module.Str("c");
    inst.attrs = module.Attrs({});
    inst.extra = module.literals.Add(inst.shape, bits).value;
    module.insts.push_back(inst);
    const std::string line = InstructionText(module, InstId(0u), module.style);
    const TextReadResult read = ReadHloText("ENTRY e {\n  ROOT " + line + "\n}\n");
    ASSERT_TRUE(read.diagnostics.empty()) << Codes(read.diagnostics);
    const std::span<const uint8_t> back =
        read.module.literals.bits(LiteralId(read.module.insts[0].extra));
    EXPECT_TRUE(std::equal(bits.begin(), bits.end(), back.begin(), back.end())) << type;
  }
}

TEST(ReadText, AHeaderMayLackTheNameBeforeAComputation) {
  for (const std::string head : {"ENTRY %e", "ENTRY e", "%e", "e"}) {
    const std::string text = "HloModule \n\n" + head + " {\n  p = f32[] parameter(0)\n}\n";
    const TextReadResult read = ReadHloText(text);
    EXPECT_TRUE(read.diagnostics.ok()) << text;
    EXPECT_EQ(read.module.text(read.module.name), "");
    EXPECT_EQ(read.module.text(read.module.comp(read.module.entry).name), "e");
  }
  const TextReadResult named =
      ReadHloText("HloModule ENTRY\n\nENTRY e {\n  p = f32[] parameter(0)\n}\n");
  EXPECT_TRUE(named.diagnostics.empty());
  EXPECT_EQ(named.module.text(named.module.name), "ENTRY");
}

}  // namespace
}  // namespace halo
