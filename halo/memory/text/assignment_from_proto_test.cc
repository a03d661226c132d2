// The assignment inside an HloProto against the text dumped beside it, in the examples of all three
// backends.
#include "halo/memory/text/assignment_from_proto.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "halo/memory/text/read_assignment.h"
#include "halo/memory/text/write_assignment.h"
#include "halo/proto/read/read_proto.h"

namespace halo {
namespace {

// A file of the examples; names of compressed files end with .gz.
SourceBuffer Example(std::string_view name) {
  Result<SourceBuffer> source =
      SourceBuffer::Open(std::string(HALO_SOURCE_DIR) + "/examples/" + std::string(name));
  EXPECT_TRUE(source) << name;
  return source ? std::move(*source) : SourceBuffer::Copy("", "");
}

class FromProto : public testing::TestWithParam<std::pair<std::string_view, std::string_view>> {};

TEST_P(FromProto, SaysWhatTheTextSays) {
  const auto [stem, suffix] = GetParam();
  const SourceBuffer proto = Example(std::string(stem) + std::string(suffix));
  const SourceBuffer text = Example(std::string(stem) + "-buffer-assignment.txt");
  const ProtoReadResult read = ReadHloProto(proto.bytes());
  ASSERT_FALSE(read.buffer_assignment.empty());
  Diagnostics diagnostics;
  const BufferAssignmentData data = ReadBufferAssignmentProto(read.buffer_assignment, diagnostics);
  const Assignment made = AssignmentFromProto(data, read.module, read.instruction_ids, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  const AssignmentStyle style = ReadAssignment(text.bytes()).assignment.style;
  TextBuffer out;
  WriteAssignment(made, style, AssignmentPieces().With(AssignmentPiece::kAllocations), out);
  EXPECT_EQ(out.view(), text.bytes());
}

INSTANTIATE_TEST_SUITE_P(
    Examples, FromProto,
    testing::Values(std::pair("cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations",
                              ".hlo.pb"),
                    std::pair("h100x4_fsdp_mlp_train/"
                              "module_0001.jit_fsdp_mlp_train.sm_9.0a_gpu_after_optimizations",
                              ".hlo.pb.gz"),
                    std::pair("v5e_2x2_fsdp_mlp_train/"
                              "module_0000.jit_fsdp_mlp_train.cl_1003875606.after_optimizations",
                              ".hlo.pb.gz")));

TEST(AssignmentFromProto, WhatRefersToNothingIsReported) {
  BufferAssignmentData data;
  LogicalBuffer& buffer = data.logical_buffers.emplace_back();
  buffer.id = 1;
  buffer.defined_at.emplace();
  data.allocations.emplace_back().assigned.emplace_back().logical_buffer_id = 1;
  Diagnostics diagnostics;
  const Assignment made = AssignmentFromProto(data, Module(), {}, diagnostics);
  EXPECT_EQ(diagnostics.errors(), 2U);
  EXPECT_TRUE(made.values.empty());
  EXPECT_EQ(made.allocations.size(), 1U);
}

}  // namespace
}  // namespace halo
