// Tests that nothing that reveals a program's origin is left, and that the program is the same.
#include "halo/api/report/redact.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/api/document/document.h"
#include "halo/api/info/file_info.h"
#include "halo/api/memory/memory.h"
#include "halo/memory/text/read_assignment.h"
#include "halo/memory/text/write_assignment.h"
#include "halo/text/read/read_text.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Example(const std::string& path) {
  return std::string(HALO_SOURCE_DIR) + "/examples/" + path;
}

TextReadResult Read(const std::string& text) {
  return ReadHloText(SourceBuffer::Copy(text, "redacted"), {});
}

constexpr const char* kSecret =
    "HloModule secret_model, is_scheduled=true, frontend_attributes={secret_key=\"secret\"}, "
    "num_partitions=2\n\n"
    "FileNames\n1 \"/data/secret/train.py\"\n\nFunctionNames\n1 \"secret_step\"\n\n"
    "FileLocations\n1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 "
    "end_column=2}\n\n"
    "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n"
    "%secret_add (secret_a: f32[], secret_b: f32[]) -> f32[] {\n"
    "  %secret_a = f32[] parameter(0)\n"
    "  %secret_b = f32[] parameter(1)\n"
    "  ROOT %secret_sum = f32[] add(%secret_a, %secret_b)\n"
    "}\n\n"
    "ENTRY %secret_main (secret_p: f32[4]) -> (f32[4], f32[12]) {\n"
    "  %secret_p = f32[4]{0} parameter(0), sharding={mesh['secret_axis'=2], [{'secret_axis'}]}, "
    "metadata={op_name=\"secret['w']\" source_file=\"/data/secret/train.py\" source_line=3 "
    "stack_frame_id=1}\n"
    "  %secret_c = f32[12]{0} constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})\n"
    "  %secret_r = f32[4]{0} all-reduce(%secret_p), channel_id=1, replica_groups={{0,1}}, "
    "use_global_device_ids=true, to_apply=%secret_add, "
    "backend_config={\"note\":\"secret\",\"known_trip_count\":{\"n\":\"12\"},\"flag\":true}\n"
    "  %secret_k = f32[4]{0} custom-call(%secret_r), custom_call_target=\"secret_kernel\", "
    "backend_config=\"secret opaque\", frontend_attributes={secret=\"secret\"}\n"
    "  %secret_g = f32[4]{0} custom-call(%secret_k), custom_call_target=\"Sharding\", "
    "sharding={devices=[2]0,1 metadata={op_name=\"secret\"}}\n"
    "  ROOT %secret_t = (f32[4]{0}, f32[12]{0}) tuple(%secret_g, %secret_c), "
    "control-predecessors={%secret_r}\n"
    "}\n";

TEST(Redact, NoNameSurvives) {
  const TextReadResult read = Read(kSecret);
  ASSERT_TRUE(read.diagnostics.ok());
  Redactor redactor;
  const std::string text = redactor.Redacted(read.module);
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(text, Not(HasSubstr("data")));
  EXPECT_THAT(text, Not(HasSubstr("metadata")));
  EXPECT_THAT(text, HasSubstr("mesh['x0'=2]"));
  EXPECT_THAT(text, HasSubstr("known_trip_count"));
  EXPECT_THAT(text, HasSubstr("custom_call_target=\"Sharding\""));
  EXPECT_THAT(text, HasSubstr("constant({...})"));
  const TextReadResult again = Read(text);
  EXPECT_TRUE(again.diagnostics.ok()) << text;
  EXPECT_EQ(again.module.insts.size(), read.module.insts.size());
  // The names are reused, so a second call gives the same text.
  EXPECT_EQ(redactor.Redacted(read.module), text);
}

// Every identifier and every string of the originals.
std::set<std::string> NamesOf(const Module& module) {
  std::set<std::string> names;
  for (const Inst& inst : module.insts) {
    names.emplace(module.name_of(inst));
    for (const Attr& attr : module.attrs_of(module.MetadataOf(inst))) {
      if (InfoOf(attr.key).kind == AttrKind::kString && attr.form != AttrForm::kOwnName) {
        names.emplace(module.text(StrId(attr.value)));
      }
    }
  }
  for (const Computation& comp : module.comps) names.emplace(module.text(comp.name));
  names.emplace(module.text(module.name));
  names.erase("");
  return names;
}

TEST(Redact, NamesOfExamplesAreReplaced) {
  for (const std::string path :
       {"cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations.txt",
        "h100x4_fsdp_mlp_train/"
        "module_0001.jit_fsdp_mlp_train.sm_9.0a_gpu_after_optimizations.txt",
        "v5e_2x2_fsdp_mlp_train/"
        "module_0000.jit_fsdp_mlp_train.cl_1003875606.after_optimizations.txt"}) {
    const Document document = OpenDocument(Example(path));
    ASSERT_EQ(document.modules.size(), 1u) << path;
    const Module& module = document.modules[0].module;
    Redactor redactor;
    const std::string text = redactor.Redacted(module);
    const TextReadResult again = Read(text);
    ASSERT_TRUE(again.diagnostics.ok()) << path;
    const std::set<std::string> before = NamesOf(module);
    const std::set<std::string> after = NamesOf(again.module);
    EXPECT_GT(before.size(), 50u);
    for (const std::string& name : after)
      EXPECT_FALSE(before.contains(name)) << path << ": " << name;
    EXPECT_EQ(again.module.insts.size(), module.insts.size());
    EXPECT_TRUE(again.module.stack.empty());
    EXPECT_THAT(text, Not(HasSubstr(".py")));
    EXPECT_THAT(text, Not(HasSubstr("mlp")));
  }
}

TEST(Redact, MemoryIsTheSame) {
  const std::string stem = Example(
      "h100x4_fsdp_mlp_train/module_0001.jit_fsdp_mlp_train.sm_9.0a_gpu_after_optimizations");
  const Document document = OpenDocument(stem + ".txt");
  std::vector<SourceBuffer> sources;
  std::vector<std::string_view> texts;
  for (const std::string ending : {"-buffer-assignment.txt", "-live-range.txt"}) {
    sources.push_back(std::move(*SourceBuffer::Open(stem + ending)));
    texts.push_back(sources.back().bytes());
  }
  const AssignmentReadResult read = ReadAssignment(texts);
  ASSERT_TRUE(read.ok());
  Redactor redactor;
  redactor.Redacted(document.modules[0].module);
  std::vector<std::string> written;
  for (const AssignmentPieces pieces : read.pieces) {
    written.push_back(redactor.Redacted(read.assignment, pieces));
  }
  const AssignmentReadResult again =
      ReadAssignment(std::vector<std::string_view>(written.begin(), written.end()));
  ASSERT_TRUE(again.ok());
  ASSERT_EQ(again.assignment.values.size(), read.assignment.values.size());
  std::set<std::string> names = NamesOf(document.modules[0].module);
  for (size_t i = 0; i < again.assignment.values.size(); ++i) {
    const AssignedValue& a = read.assignment.values[i];
    const AssignedValue& b = again.assignment.values[i];
    EXPECT_EQ(a.size, b.size);
    EXPECT_EQ(a.offset, b.offset);
    EXPECT_EQ(a.live, b.live);
    EXPECT_FALSE(names.contains(std::string(again.assignment.text(b.instruction))));
  }
  EXPECT_EQ(again.assignment.total_bytes, read.assignment.total_bytes);
  for (const std::string& text : written) EXPECT_THAT(text, Not(HasSubstr("mlp")));
}

}  // namespace
}  // namespace halo
