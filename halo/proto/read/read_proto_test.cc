// Modules from hand-made protos: what is accepted, what is rejected, and the diagnostics.
#include "halo/proto/read/read_proto.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/ir/ir_diagnostics.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/proto_diagnostics.h"
#include "halo/proto/wire/wire.h"
#include "halo/proto/write/write_proto.h"

namespace halo {
namespace {

using Fill = std::function<void(WireWriter&)>;

void Message(WireWriter& out, uint32_t field, const Fill& fill) {
  const size_t mark = out.Begin(field);
  fill(out);
  out.End(mark);
}

// f32[n]
Fill Array(std::vector<int64_t> dims, int64_t type = 11) {
  return [dims, type](WireWriter& out) {
    out.Int(pb::ShapeProto::k_element_type, type);
    out.PackedInts(pb::ShapeProto::k_dimensions, dims);
    Message(out, pb::ShapeProto::k_layout, [&](WireWriter& layout) {
      std::vector<int64_t> order;
      for (size_t i = dims.size(); i-- > 0;) order.push_back(static_cast<int64_t>(i));
      layout.PackedInts(pb::LayoutProto::k_minor_to_major, order);
    });
  };
}

Fill Instruction(const std::string& name, const std::string& opcode, int64_t id,
                 const std::vector<int64_t>& operands, const Fill& more = nullptr,
                 const Fill& shape = nullptr) {
  return [=](WireWriter& out) {
    using Pb = pb::HloInstructionProto;
    out.Bytes(Pb::k_name, name);
    out.Bytes(Pb::k_opcode, opcode);
    Message(out, Pb::k_shape, shape ? shape : Array({8}));
    out.Int(Pb::k_id, id);
    out.PackedInts(Pb::k_operand_ids, operands);
    if (more) more(out);
  };
}

Fill Computation(const std::string& name, int64_t id, int64_t root,
                 const std::vector<Fill>& instructions) {
  return [=](WireWriter& out) {
    using Pb = pb::HloComputationProto;
    out.Bytes(Pb::k_name, name);
    for (const Fill& instruction : instructions) Message(out, Pb::k_instructions, instruction);
    out.Int(Pb::k_id, id);
    out.Int(Pb::k_root_id, root);
  };
}

std::string ModuleBytes(const std::vector<Fill>& comps, int64_t entry, const Fill& more = nullptr) {
  using Pb = pb::HloModuleProto;
  WireWriter out;
  out.Bytes(Pb::k_name, "m");
  for (const Fill& comp : comps) Message(out, Pb::k_computations, comp);
  out.Int(Pb::k_entry_computation_id, entry);
  if (more) more(out);
  return out.Take();
}

Fill Simple() {
  return Computation("main", 1, 2,
                     {Instruction("p", "parameter", 1, {}), Instruction("n", "negate", 2, {1})});
}

std::vector<DiagCode> Codes(const Diagnostics& diagnostics) {
  std::vector<DiagCode> codes;
  for (const Diagnostic& diagnostic : diagnostics.all()) codes.push_back(diagnostic.code);
  return codes;
}

DiagCode OnlyCode(const std::string& bytes) {
  const auto result = ReadHloProto(bytes, {.kind = ProtoKind::kHloModuleProto});
  EXPECT_EQ(result.diagnostics.all().size(), 1u);
  return result.diagnostics.all().empty() ? diag::kCannotOpen : result.diagnostics.all()[0].code;
}

TEST(ReadProto, TellsTheMessagesApart) {
  const std::string module = ModuleBytes({Simple()}, 1);
  WireWriter hlo;
  hlo.Bytes(pb::HloProto::k_hlo_module, module);
  WireWriter snapshot;
  snapshot.Bytes(pb::HloSnapshot::k_hlo, hlo.view());
  EXPECT_EQ(DetectProtoKind(module), ProtoKind::kHloModuleProto);
  EXPECT_EQ(DetectProtoKind(hlo.view()), ProtoKind::kHloProto);
  EXPECT_EQ(DetectProtoKind(snapshot.view()), ProtoKind::kHloSnapshot);
  EXPECT_EQ(DetectProtoKind(""), std::nullopt);
  EXPECT_EQ(DetectProtoKind("HloModule m\n"), std::nullopt);
  // Also when the end is missing.
  EXPECT_EQ(DetectProtoKind(hlo.view().substr(0, hlo.size() - 5)), ProtoKind::kHloProto);
  EXPECT_EQ(DetectProtoKind(std::string_view(module).substr(0, module.size() - 5)),
            ProtoKind::kHloModuleProto);
}

TEST(ReadProto, SimpleModule) {
  const std::string bytes = ModuleBytes({Simple()}, 1);
  const auto result = ReadHloProto(bytes);
  EXPECT_TRUE(result.diagnostics.empty());
  const Module& module = result.module;
  EXPECT_EQ(module.text(module.name), "m");
  ASSERT_EQ(module.insts.size(), 2u);
  EXPECT_EQ(module.insts[1].opcode, Opcode::kNegate);
  EXPECT_EQ(module.operands_of(module.insts[1])[0], InstId(0u));
  EXPECT_EQ(module.comps[0].root, InstId(1u));
  EXPECT_TRUE(module.comps[0].is_entry);
  EXPECT_EQ(module.shapes.Text(module.insts[0].shape), "f32[8]{0}");
  EXPECT_EQ(result.instruction_ids, (std::vector<int64_t>{1, 2}));
}

// A sharding and an element type of a later XLA: read with a warning, printed as text that reads
// back, and written with the same bytes.
TEST(ReadProto, WhatIsNotKnownIsKept) {
  WireWriter sharding;
  sharding.Int(pb::OpSharding::k_type, 7);
  sharding.Bytes(21, "x\x01\xff");
  const Fill more = [&](WireWriter& out) {
    out.Bytes(pb::HloInstructionProto::k_sharding, sharding.view());
  };
  const std::string bytes =
      ModuleBytes({Computation("main", 1, 2,
                               {Instruction("p", "parameter", 1, {}, more, Array({8}, 99)),
                                Instruction("n", "negate", 2, {1}, nullptr, Array({8}, 99))})},
                  1);
  const auto read = ReadHloProto(bytes, {.kind = ProtoKind::kHloModuleProto});
  EXPECT_EQ(Codes(read.diagnostics),
            (std::vector<DiagCode>{diag::kUnknownElementType, diag::kUnknownForm}));
  const Module& module = read.module;
  EXPECT_EQ(module.shapes.Text(module.insts[0].shape), "type99[8]{0}");
  EXPECT_FALSE(module.Find(module.insts[0], AttrKey::k_sharding));
  ASSERT_EQ(module.attrs_of(module.insts[0]).size(), 1u);
  EXPECT_EQ(module.attrs_of(module.insts[0])[0].key, AttrKey::k_unknown);
  const auto written = WriteHloProto(module);
  EXPECT_TRUE(written.diagnostics.empty());
  EXPECT_NE(written.bytes.find(sharding.view()), std::string::npos);
  const auto again = ReadHloProto(written.bytes);
  EXPECT_EQ(again.module.shapes.Text(again.module.insts[1].shape), "type99[8]{0}");
}

TEST(ReadProto, SnapshotValues) {
  WireWriter hlo;
  hlo.Bytes(pb::HloProto::k_hlo_module, ModuleBytes({Simple()}, 1));
  WireWriter snapshot;
  snapshot.Bytes(pb::HloSnapshot::k_hlo, hlo.view());
  Message(snapshot, pb::HloSnapshot::k_arguments, [](WireWriter& out) {
    Message(out, pb::LiteralProto::k_shape, Array({2}, 4));
    out.PackedInts(pb::LiteralProto::k_s32s, std::vector<int64_t>{-1, 300});
  });
  snapshot.Bytes(pb::HloSnapshot::k_execution_platform, "cpu");
  const std::string bytes = snapshot.Take();
  const auto result = ReadHloProto(bytes);
  EXPECT_TRUE(result.diagnostics.empty());
  EXPECT_EQ(result.kind, ProtoKind::kHloSnapshot);
  EXPECT_EQ(result.execution_platform, "cpu");
  ASSERT_EQ(result.arguments.size(), 1u);
  const auto bits = result.module.literals.bits(result.arguments[0]);
  EXPECT_EQ(std::vector<uint8_t>(bits.begin(), bits.end()),
            (std::vector<uint8_t>{0xFF, 0xFF, 0xFF, 0xFF, 0x2C, 1, 0, 0}));
}

TEST(ReadProto, LiteralsLoseTheirLayout) {
  const auto column_major = [](WireWriter& out) {
    out.Int(pb::ShapeProto::k_element_type, 6);
    out.PackedInts(pb::ShapeProto::k_dimensions, std::vector<int64_t>{2, 3});
    Message(out, pb::ShapeProto::k_layout, [](WireWriter& layout) {
      layout.PackedInts(pb::LayoutProto::k_minor_to_major, std::vector<int64_t>{0, 1});
    });
  };
  const std::string bytes = ModuleBytes(
      {Computation("main", 1, 1,
                   {Instruction(
                       "c", "constant", 1, {},
                       [&](WireWriter& out) {
                         Message(out, pb::HloInstructionProto::k_literal, [&](WireWriter& literal) {
                           Message(literal, pb::LiteralProto::k_shape, column_major);
                           literal.Bytes(pb::LiteralProto::k_u8s, "adbecf");
                         });
                       },
                       column_major)})},
      1);
  const auto result = ReadHloProto(bytes);
  EXPECT_TRUE(result.diagnostics.empty());
  const auto bits = result.module.literals.bits(LiteralId(result.module.insts[0].extra));
  EXPECT_EQ(std::string(bits.begin(), bits.end()), "abcdef");
}

TEST(ReadProto, ConstantWithoutValueIsElided) {
  const std::string bytes =
      ModuleBytes({Computation("main", 1, 1, {Instruction("c", "constant", 1, {})})}, 1);
  const auto result = ReadHloProto(bytes);
  EXPECT_TRUE(result.diagnostics.empty());
  EXPECT_TRUE(result.module.literals.is_elided(LiteralId(result.module.insts[0].extra)));
  const auto written = WriteHloProto(result.module);
  EXPECT_EQ(Codes(written.diagnostics), std::vector{diag::kElidedConstant});
}

TEST(ReadProto, ScheduleOrders) {
  const auto schedule = [](std::vector<int64_t> ids) {
    return [ids](WireWriter& out) {
      Message(out, pb::HloModuleProto::k_schedule, [&](WireWriter& s) {
        Message(s, pb::HloScheduleProto::k_sequences, [&](WireWriter& entry) {
          entry.Int(pb::ScheduleEntry::k_key, 1);
          Message(entry, pb::ScheduleEntry::k_value, [&](WireWriter& sequence) {
            sequence.PackedInts(pb::InstructionSequence::k_instruction_ids, ids);
          });
        });
      });
    };
  };
  const auto comp =
      Computation("main", 1, 3,
                  {Instruction("a", "parameter", 1, {}), Instruction("b", "negate", 2, {1}),
                   Instruction("c", "abs", 4294967299, {1})});
  const std::string bytes = ModuleBytes({comp}, 1, schedule({1, 3, 2}));
  const auto result = ReadHloProto(bytes);
  EXPECT_TRUE(result.diagnostics.empty());
  EXPECT_TRUE(result.module.is_scheduled());
  EXPECT_EQ(result.module.name_of(result.module.insts[1]), "c");
  EXPECT_EQ(result.module.comps[0].root, InstId(1u));
  EXPECT_EQ(OnlyCode(ModuleBytes({comp}, 1, schedule({1, 3}))), diag::kProtoBadReference);
}

TEST(ReadProto, OldComparisonOpcodes) {
  const std::string bytes =
      ModuleBytes({Computation("main", 1, 2,
                               {Instruction("p", "parameter", 1, {}),
                                Instruction("l", "less-than", 2, {1, 1}, nullptr, Array({8}, 1))})},
                  1);
  const auto result = ReadHloProto(bytes);
  EXPECT_TRUE(result.diagnostics.empty());
  EXPECT_EQ(result.module.insts[1].opcode, Opcode::kCompare);
  EXPECT_EQ(result.module.TextOr(result.module.insts[1].attrs, AttrKey::k_direction), "LT");
}

TEST(ReadProto, PayloadTable) {
  const auto config = [](WireWriter& out) {
    Message(out, pb::HloInstructionProto::k_backend_config_payload,
            [](WireWriter& payload) { payload.Int(pb::Payload::k_id, 1); });
  };
  const auto comp = Computation("main", 1, 1, {Instruction("p", "parameter", 1, {}, config)});
  const auto table = [](WireWriter& out) {
    out.Bytes(pb::HloModuleProto::k_payloads, "x");
    out.Bytes(pb::HloModuleProto::k_payloads, "{\"a\":1}");
  };
  const std::string bytes = ModuleBytes({comp}, 1, table);
  const auto result = ReadHloProto(bytes);
  EXPECT_TRUE(result.diagnostics.empty());
  EXPECT_EQ(result.module.TextOr(result.module.insts[0].attrs, AttrKey::k_backend_config),
            "{\"a\":1}");
  EXPECT_EQ(OnlyCode(ModuleBytes({comp}, 1)), diag::kProtoBadReference);
}

TEST(ReadProto, Mistakes) {
  EXPECT_EQ(Codes(ReadHloProto("not a proto").diagnostics), std::vector{diag::kNotHlo});
  EXPECT_EQ(OnlyCode(""), diag::kProtoMissingField);
  const std::string good = ModuleBytes({Simple()}, 1);
  EXPECT_EQ(OnlyCode(good + "\x0a\x7f"), diag::kProtoCutShort);
  EXPECT_EQ(OnlyCode(good + "\x0f"), diag::kProtoMalformed);
  EXPECT_EQ(OnlyCode(ModuleBytes({Computation("c", 1, 1, {})}, 1)), diag::kEmptyComputation);
  EXPECT_EQ(OnlyCode(ModuleBytes({Simple()}, 7)), diag::kNoEntry);
  const auto one = [](const Fill& instruction) {
    return ModuleBytes(
        {Computation("c", 1, 1, {Instruction("p", "parameter", 1, {}), instruction})}, 1);
  };
  EXPECT_EQ(OnlyCode(one(Instruction("x", "negate", 2, {9}))), diag::kProtoBadReference);
  EXPECT_EQ(OnlyCode(one(Instruction("x", "negate", 2, {2}))), diag::kProtoBadReference);
  EXPECT_EQ(OnlyCode(one(Instruction("x", "parameter", 1, {}))), diag::kProtoDuplicateId);
  EXPECT_EQ(OnlyCode(one(Instruction("x", "frobnicate", 2, {1}))), diag::kUnknownOpcode);
  EXPECT_EQ(OnlyCode(one(Instruction("", "negate", 2, {1}))), diag::kProtoMissingField);
  EXPECT_EQ(OnlyCode(one(Instruction("x", "", 2, {1}))), diag::kProtoMissingField);
  EXPECT_EQ(OnlyCode(one(Instruction("x", "negate", 2, {1}, nullptr, Array({8}, 99)))),
            diag::kUnknownElementType);
  EXPECT_EQ(OnlyCode(one(Instruction("x", "negate", 2, {1}, nullptr, Array({8}, -1)))),
            diag::kProtoBadValue);
  EXPECT_EQ(
      OnlyCode(one(Instruction("x", "negate", 2, {1}, nullptr, Array({int64_t{1} << 62, 8})))),
      diag::kDimensionTooLarge);
  EXPECT_EQ(OnlyCode(one(Instruction("x", "negate", 2, {1}, nullptr, Array({-1})))),
            diag::kDimensionTooLarge);
  EXPECT_EQ(OnlyCode(one(
                Instruction("x", "negate", 2, {1}, nullptr, Array(std::vector<int64_t>(300, 1))))),
            diag::kRankTooLarge);
  EXPECT_EQ(
      OnlyCode(one(Instruction("x", "negate", 2, {1}, [](WireWriter& out) { out.Int(999, 1); }))),
      diag::kProtoUnknownField);
  EXPECT_EQ(OnlyCode(one(Instruction("x", "call", 2, {1},
                                     [](WireWriter& out) {
                                       out.PackedInts(
                                           pb::HloInstructionProto::k_called_computation_ids,
                                           std::vector<int64_t>{55});
                                     }))),
            diag::kProtoBadReference);
  EXPECT_EQ(OnlyCode(one(Instruction("x", "parameter", 2, {},
                                     [](WireWriter& out) {
                                       out.Int(pb::HloInstructionProto::k_parameter_number, -4);
                                     }))),
            diag::kBadParameterNumber);
  EXPECT_EQ(OnlyCode(one(Instruction("x", "constant", 2, {},
                                     [](WireWriter& out) {
                                       Message(out, pb::HloInstructionProto::k_literal,
                                               [](WireWriter& literal) {
                                                 Message(literal, pb::LiteralProto::k_shape,
                                                         Array({8}));
                                               });
                                     }))),
            diag::kLiteralWrongCount);
}

TEST(ReadProto, HugeShapeWithoutDataAllocatesNothing) {
  const auto huge = Array({int64_t{1} << 40});
  const std::string bytes = ModuleBytes(
      {Computation("c", 1, 1,
                   {Instruction(
                       "x", "constant", 1, {},
                       [&](WireWriter& out) {
                         Message(out, pb::HloInstructionProto::k_literal, [&](WireWriter& literal) {
                           Message(literal, pb::LiteralProto::k_shape, huge);
                         });
                       },
                       huge)})},
      1);
  EXPECT_EQ(OnlyCode(bytes), diag::kLiteralWrongCount);
}

TEST(ReadProto, NestingBomb) {
  std::string shape = "\x10\x0b";
  for (int i = 0; i < 200; ++i) {
    WireWriter out;
    out.Int(pb::ShapeProto::k_element_type, 13);
    out.Bytes(pb::ShapeProto::k_tuple_shapes, shape);
    shape = out.Take();
  }
  const std::string bytes =
      ModuleBytes({Computation("c", 1, 1,
                               {Instruction("x", "parameter", 1, {}, nullptr,
                                            [&](WireWriter& out) { out.Raw(shape); })})},
                  1);
  EXPECT_EQ(OnlyCode(bytes), diag::kTooNested);
}

TEST(WriteProto, WhatWasReadIsWrittenAlike) {
  const std::string bytes = ModuleBytes(
      {Computation("body", 3, 10, {Instruction("q", "parameter", 10, {})}),
       Computation("main", 1, 2,
                   {Instruction("p", "parameter", 1, {}),
                    Instruction("call.1", "call", 2, {1},
                                [](WireWriter& out) {
                                  out.PackedInts(pb::HloInstructionProto::k_called_computation_ids,
                                                 std::vector<int64_t>{3});
                                })})},
      1, [](WireWriter& out) { out.Int(pb::HloModuleProto::k_id, 77); });
  const auto first = ReadHloProto(bytes);
  ASSERT_TRUE(first.diagnostics.empty());
  ProtoWriteOptions options;
  options.kind = ProtoKind::kHloModuleProto;
  options.instruction_ids = first.instruction_ids;
  options.computation_ids = first.computation_ids;
  options.kept_fields = first.kept_fields;
  const auto written = WriteHloProto(first.module, options);
  EXPECT_TRUE(written.diagnostics.empty());
  const auto second = ReadHloProto(written.bytes);
  EXPECT_TRUE(second.diagnostics.empty());
  EXPECT_EQ(second.instruction_ids, first.instruction_ids);
  EXPECT_EQ(second.computation_ids, first.computation_ids);
  ProtoWriteOptions again = options;
  again.kept_fields = second.kept_fields;
  EXPECT_EQ(WriteHloProto(second.module, again).bytes, written.bytes);
}

TEST(WriteProto, NamesBecomeUnique) {
  const std::string bytes =
      ModuleBytes({Computation("body", 3, 10, {Instruction("p", "parameter", 10, {})}),
                   Computation("main", 1, 1, {Instruction("p", "parameter", 1, {})})},
                  1);
  const auto written = WriteHloProto(ReadHloProto(bytes).module);
  const auto back = ReadHloProto(written.bytes);
  EXPECT_EQ(back.module.name_of(back.module.insts[0]), "p");
  EXPECT_EQ(back.module.name_of(back.module.insts[1]), "p.1");
}

TEST(WriteProto, SaysWhatItLeavesOut) {
  Module module = ReadHloProto(ModuleBytes({Simple()}, 1)).module;
  const Attr attrs[] = {module.MakeInt(AttrKey::k_num_partitions, 4)};
  module.attrs = module.Attrs(attrs);
  EXPECT_EQ(Codes(WriteHloProto(module).diagnostics), std::vector{diag::kProtoUnspecified});
}

}  // namespace
}  // namespace halo
