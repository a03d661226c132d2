// Joins split messages that the test writes, and refuses manifests that do not fit their records.
#include "halo/proto/records/split_proto.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/proto/read/read_proto.h"
#include "halo/proto/records/test/write_records.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

std::string Message(uint32_t field, std::string_view inner) {
  WireWriter out;
  out.Bytes(field, inner);
  return out.Take();
}

std::string OverrideOf(int64_t field) {
  WireWriter path;
  path.Int(pb::FieldPathPart::k_field_number, field);
  return Message(pb::SplitRecord::k_field_override_record,
                 Message(pb::FieldOverrideRecord::k_field_path, path.view()));
}

const std::string kMerge = Message(pb::SplitRecord::k_proto_merge_record, "");

std::string Split(std::string_view type, const std::vector<std::string>& parts,
                  const std::vector<std::string>& records) {
  WireWriter manifest;
  manifest.Bytes(pb::SplitProtoManifest::k_result_proto_type, type);
  for (const std::string& each : parts) manifest.Bytes(pb::SplitProtoManifest::k_records, each);
  std::vector<std::string> all = {manifest.Take()};
  all.insert(all.end(), records.begin(), records.end());
  RecordFile file;
  file.AddRecords(all, true);
  return file.bytes();
}

// A computation with one parameter.
std::string ComputationOf(std::string_view name) {
  WireWriter inst;
  inst.Bytes(pb::HloInstructionProto::k_name, "p");
  inst.Bytes(pb::HloInstructionProto::k_opcode, "parameter");
  WireWriter comp;
  comp.Bytes(pb::HloComputationProto::k_name, name);
  comp.Bytes(pb::HloComputationProto::k_instructions, inst.view());
  return Message(pb::HloModuleProto::k_computations, comp.view());
}

std::string Named(std::string_view name) { return Message(pb::HloModuleProto::k_name, name); }
std::string Hlo(std::string_view module) { return Message(pb::HloProto::k_hlo_module, module); }

TEST(SplitProto, JoinsTheComputationsOfAModule) {
  const std::string file =
      Split("xla.HloProto", {kMerge, kMerge, kMerge},
            {Hlo(Named("m")), Hlo(ComputationOf("a")), Hlo(ComputationOf("b"))});
  EXPECT_EQ(MessageOfRecords(file), SplitMessage::kHlo);
  const Result<std::string> joined = JoinSplitModule(file, "f");
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(*joined, Hlo(Named("m") + ComputationOf("a") + ComputationOf("b")));
  EXPECT_EQ(DetectProtoKind(*joined), ProtoKind::kHloProto);
}

TEST(SplitProto, FindsTheModuleOfAnExecutable) {
  using Executable = pb::GpuExecutableProto;
  const std::string module = Named("m") + ComputationOf("a");
  const std::string rest = Message(Executable::k_hlo_module_with_config,
                                   Message(pb::HloModuleProtoWithConfig::k_hlo_module, module)) +
                           Message(Executable::k_buffer_assignment, "plan");
  const std::string executable = Split(
      "xla.gpu.GpuExecutableProto", {OverrideOf(3), OverrideOf(4), kMerge}, {"ptx", "cubin", rest});
  const std::string wrapped =
      Split("xla.ExecutableAndOptionsProto", {OverrideOf(1), kMerge}, {executable, ""});
  for (const std::string& file : {executable, wrapped}) {
    const Result<std::string> joined = JoinSplitModule(file, "f");
    ASSERT_TRUE(joined.ok());
    EXPECT_EQ(*joined, Hlo(module) + Message(pb::HloProto::k_buffer_assignment, "plan"));
  }
}

// XLA skips records that it does not know.
TEST(SplitProto, SkipsUnknownRecords) {
  WireWriter nested;
  nested.Int(pb::FieldPathPart::k_field_number, 1);
  nested.Int(pb::FieldPathPart::k_repeated_field_index, 0);
  const std::string path = Message(pb::SplitRecord::k_field_override_record,
                                   Message(pb::FieldOverrideRecord::k_field_path, nested.view()));
  const std::string file =
      Split("xla.HloProto", {path, Message(9, ""), kMerge}, {"skipped", "too", Hlo(Named("m"))});
  const Result<std::string> joined = JoinSplitModule(file, "f");
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(*joined, Hlo(Named("m")));
}

std::string ErrorOf(std::string_view file) {
  const Result<std::string> joined = JoinSplitModule(file, "f");
  return joined.ok() ? "" : joined.error().message;
}

TEST(SplitProto, RefusesWhatHasNoModule) {
  EXPECT_EQ(ErrorOf(RecordFile().bytes()), "cannot read the records of f: it has none");
  EXPECT_EQ(ErrorOf(Split("xla.HloProto", {kMerge, kMerge}, {Hlo("")})),
            "cannot read the records of f: some of them are missing");
  EXPECT_EQ(ErrorOf(Split("xla.Other", {}, {})),
            "cannot read the records of f: they hold xla.Other, which is no module");
  EXPECT_EQ(ErrorOf(Split("", {}, {})),
            "cannot read the records of f: they hold no message, which is no module");
  EXPECT_EQ(ErrorOf(Split("xla.ExecutableAndOptionsProto", {OverrideOf(1)},
                          {"\x7f"
                           "ELF"})),
            "cannot read the records of f: the executable in it is not split into records");
  // An executable in an executable in an executable is not followed.
  std::string inner = Split("xla.ExecutableAndOptionsProto", {OverrideOf(1)}, {"x"});
  inner = Split("xla.ExecutableAndOptionsProto", {OverrideOf(1)}, {inner});
  EXPECT_EQ(ErrorOf(inner),
            "cannot read the records of f: they hold xla.ExecutableAndOptionsProto, which is no "
            "module");
}

}  // namespace
}  // namespace halo
