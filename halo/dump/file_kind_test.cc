// Files are identified by their content.
#include "halo/dump/file_kind.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "halo/proto/records/test/write_records.h"
#include "halo/proto/wire/fields.h"
#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

FileKind Kind(std::string_view bytes) { return DetectKind(SourceBuffer::Copy(bytes, "f").bytes()); }

TEST(FileKind, Modules) {
  EXPECT_EQ(Kind("HloModule m\n"), FileKind::kHloText);
  EXPECT_EQ(Kind("// a comment\n/* another */\n  HloModule m\n"), FileKind::kHloText);
  EXPECT_EQ(Kind("ENTRY main {\n"), FileKind::kHloText);
  EXPECT_EQ(Kind("%f (p: f32[]) -> f32[] {\n"), FileKind::kHloText);
  EXPECT_EQ(Kind("f {\n  ROOT p = f32[] parameter(0)\n}\n"), FileKind::kHloText);
  EXPECT_EQ(Kind("ROOT x = (f32[], s32[]) parameter(0)\n"), FileKind::kHloText);
  EXPECT_EQ(Kind("hello\nHloModule m\n"), FileKind::kHloCapture);
  EXPECT_EQ(Kind("*** Begin a ***\nBufferAssignment:\n*** End a ***\n"), FileKind::kHloCapture);
  // An HloProto: a module with a computation with an instruction with an opcode.
  EXPECT_EQ(Kind(std::string_view("\x0a\x0e\x0a\x01m\x1a\x09\x12\x07\x12\x05"
                                  "clamp",
                                  16)),
            FileKind::kHloProto);
  EXPECT_EQ(Kind(std::string_view("\x0a\x01m\x1a\x09\x12\x07\x12\x05"
                                  "clamp",
                                  14)),
            FileKind::kHloModuleProto);
}

TEST(FileKind, OtherDumpFiles) {
  EXPECT_EQ(Kind("BufferAssignment:\nallocation 0: size 4\n"), FileKind::kBufferAssignment);
  EXPECT_EQ(Kind("Total bytes used: 4 (4B)\n\nUsed values:\n<0 a @0>\n"),
            FileKind::kBufferAssignmentValues);
  EXPECT_EQ(Kind("HloLiveRange (max 77):\n"), FileKind::kLiveRange);
  EXPECT_EQ(Kind("Memory Space: default (color=0)\n"), FileKind::kMemoryUsageReport);
  EXPECT_EQ(Kind("Total bytes: 4 (4B)\n  cumulative_size;  size\n"), FileKind::kMemoryUsageReport);
  EXPECT_EQ(Kind("module @jit_f {\n  func.func @main() {\n"), FileKind::kMlir);
  EXPECT_EQ(Kind("#loc1 = loc(\"x\")\nmodule {\n"), FileKind::kMlir);
  EXPECT_EQ(Kind("ML\xEFR\x01\x02"), FileKind::kMlir);
  EXPECT_EQ(Kind("001: kGemm [source | next=002] x\n"), FileKind::kThunkSequence);
  EXPECT_EQ(Kind("xla_dump_to: \"d\"\nxla_gpu_graph_level: 0\n"), FileKind::kDebugOptions);
  EXPECT_EQ(Kind("--xla_a=1\n--xla_b=2\n"), FileKind::kDebugOptions);
  EXPECT_EQ(Kind("entry_computation_layout {\n  parameters {\n"), FileKind::kModuleConfig);
  EXPECT_EQ(Kind("; ModuleID = 'm'\n"), FileKind::kLlvmIr);
  EXPECT_EQ(Kind("//\n.version 8.0\n.target sm_90\n"), FileKind::kPtx);
  EXPECT_EQ(Kind("gpu_device_info {\n  threads_per_warp: 32\n}\n"), FileKind::kTextProto);
}

TEST(FileKind, Autotuning) {
  EXPECT_EQ(Kind("version: 3\nresults {\n  device: \"CUDA: 9.0\"\n  hlo: \"(f32[8])\"\n"
                 "  result {\n    gemm {\n    }\n  }\n}\n"),
            FileKind::kAutotuning);
  EXPECT_EQ(Kind("entries {\n  key {\n    target {\n      device: \"CUDA: 9.0\"\n"
                 "      hlo_fingerprint: \"1f\"\n    }\n  }\n}\n"),
            FileKind::kAutotuning);
  EXPECT_EQ(Kind("entries {\n  key: \"sm_90\"\n}\n"), FileKind::kTextProto);
}

std::string Records(std::string_view type) {
  WireWriter manifest;
  manifest.Bytes(pb::SplitProtoManifest::k_result_proto_type, type);
  RecordFile file;
  file.AddRecords({manifest.Take()}, true);
  return file.bytes();
}

TEST(FileKind, Records) {
  EXPECT_EQ(Kind(Records("xla.HloProto")), FileKind::kHloRecords);
  EXPECT_EQ(Kind(Records("xla.ExecutableAndOptionsProto")), FileKind::kExecutableRecords);
  EXPECT_EQ(Kind(Records("xla.gpu.GpuExecutableProto")), FileKind::kExecutableRecords);
  EXPECT_EQ(Kind(Records("tensorflow.profiler.XSpace")), FileKind::kRecords);
  EXPECT_EQ(Kind(RecordFile().bytes()), FileKind::kRecords);
}

TEST(FileKind, SerializedAssignment) {
  WireWriter location, buffer, plan;
  location.Int(pb::LogicalBufferLocation::k_instruction_id, int64_t{1} << 32);
  buffer.Int(pb::LogicalBufferProto::k_size, 4);
  buffer.Bytes(pb::LogicalBufferProto::k_defined_at, location.view());
  plan.Bytes(pb::BufferAssignmentProto::k_logical_buffers, buffer.view());
  EXPECT_EQ(Kind(plan.view()), FileKind::kBufferAssignmentProto);
  const std::string whole(plan.view());
  EXPECT_EQ(Kind(whole + whole + "\x0a\x7f"), FileKind::kBufferAssignmentProto);  // truncated
  EXPECT_EQ(Kind(whole + "\x0a\x01\x08"), FileKind::kBinary);
  EXPECT_EQ(Kind(whole + "\x32\x01x"), FileKind::kBinary);  // no such field
}

TEST(FileKind, Utf16) {
  using std::string_literals::operator""s;
  EXPECT_EQ(Kind("\xFF\xFEH\0l\0o\0"s), FileKind::kUtf16);
  EXPECT_EQ(Kind("\xFE\xFF\0H\0l\0o"s), FileKind::kUtf16);
  EXPECT_EQ(Kind("H\0l\0o\0M\0o\0"s), FileKind::kUtf16);
  EXPECT_EQ(Kind("\0H\0l\0o\0M\0o"s), FileKind::kUtf16);
  EXPECT_EQ(Kind("\xFF\xFE\x01\x02\x03\x04"s), FileKind::kBinary);
  EXPECT_EQ(Kind("\x01\0\x02\0\x03\0\x04\0"s), FileKind::kBinary);
}

// Each pair of these letters reads as a field of a proto.
TEST(FileKind, LongTextIsDecidedByItsBeginning) {
  EXPECT_EQ(Kind(std::string(1 << 20, 'x')), FileKind::kText);
}

TEST(FileKind, NothingWeKnow) {
  EXPECT_TRUE(IsDumpKind(FileKind::kHloText));
  EXPECT_TRUE(IsDumpKind(FileKind::kMlir));
  for (const FileKind kind :
       {FileKind::kEmpty, FileKind::kText, FileKind::kUtf16, FileKind::kBinary}) {
    EXPECT_FALSE(IsDumpKind(kind));
  }
  EXPECT_EQ(Kind(""), FileKind::kEmpty);
  EXPECT_EQ(Kind(" \n\n"), FileKind::kEmpty);
  EXPECT_EQ(Kind("{\"json\": [1, 2]}\n"), FileKind::kText);
  EXPECT_EQ(Kind("x = 3\n"), FileKind::kText);
  EXPECT_EQ(Kind("/* never closed"), FileKind::kText);
  EXPECT_EQ(Kind(std::string_view("\x7f"
                                  "ELF\x02\x01\x01\0",
                                  8)),
            FileKind::kBinary);
  EXPECT_EQ(Kind(std::string(100, '\0')), FileKind::kBinary);
}

TEST(FileKind, TextsAreUnique) {
  std::set<std::string_view> texts;
  for (int kind = 0; kind <= static_cast<int>(FileKind::kBinary); ++kind) {
    EXPECT_TRUE(texts.insert(TextOf(static_cast<FileKind>(kind))).second);
    EXPECT_FALSE(DescribeKind(static_cast<FileKind>(kind)).empty());
  }
  EXPECT_TRUE(HoldsModules(FileKind::kHloSnapshot));
  EXPECT_FALSE(HoldsModules(FileKind::kBufferAssignment));
}

}  // namespace
}  // namespace halo
