// Parses names of every generation.
#include "halo/dump/dump_name.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(DumpName, StagesOfEveryBackend) {
  struct Case {
    std::string_view name, module, stage;
    StageRole role;
    FileRole file_role;
  };
  for (const Case& each : {
           Case{"module_0000.jit_f.before_optimizations.txt", "jit_f", "before_optimizations",
                StageRole::kBefore, FileRole::kModuleText},
           Case{"module_0001.jit_f.sm_9.0a_gpu_after_optimizations.hlo.pb.gz", "jit_f",
                "sm_9.0a_gpu_after_optimizations", StageRole::kAfter, FileRole::kModuleProto},
           Case{"module_0001.jit_f.gfx90a_gpu_after_optimizations.txt", "jit_f",
                "gfx90a_gpu_after_optimizations", StageRole::kAfter, FileRole::kModuleText},
           Case{"module_0001.cluster_0.gpu_after_optimizations.txt", "cluster_0",
                "gpu_after_optimizations", StageRole::kAfter, FileRole::kModuleText},
           Case{"module_0000.jit_f.cpu_after_optimizations-buffer-assignment-values.txt", "jit_f",
                "cpu_after_optimizations", StageRole::kAfter, FileRole::kAssignmentValues},
           Case{"module_0000.jit_f.cl_1003875606.after_optimizations-live-range.txt", "jit_f",
                "after_optimizations", StageRole::kAfter, FileRole::kLiveRange},
           Case{"module_0000.jit_f.cl_1.after_codegen.txt", "jit_f", "after_codegen",
                StageRole::kAfter, FileRole::kModuleText},
           Case{"module_0007.SyncTensorsGraph.1234.before_optimizations.txt",
                "SyncTensorsGraph.1234", "before_optimizations", StageRole::kBefore,
                FileRole::kModuleText},
           Case{"module_0000.before_optimizations.txt", "", "before_optimizations",
                StageRole::kBefore, FileRole::kModuleText},
           Case{"module_0000.jit_f.after_spmd_partitioner.top_level.html", "jit_f",
                "after_spmd_partitioner", StageRole::kNamed, FileRole::kGraph},
           Case{"module_12345.jit_f.after_optimizations.hlo.riegeli", "jit_f",
                "after_optimizations", StageRole::kAfter, FileRole::kModuleRiegeli},
       }) {
    const DumpName name = ParseDumpName(each.name);
    EXPECT_TRUE(name.has_module && name.is_exact) << each.name;
    EXPECT_EQ(name.module, each.module) << each.name;
    EXPECT_EQ(name.stage.text, each.stage) << each.name;
    EXPECT_EQ(name.stage.role, each.role) << each.name;
    EXPECT_EQ(name.file_role, each.file_role) << each.name;
  }
}

TEST(DumpName, Passes) {
  const DumpName name = ParseDumpName(
      "module_0000.jit_f.0019.simplification.after_constant_folding.before_simplify-conditional"
      ".txt");
  EXPECT_EQ(name.module, "jit_f");
  EXPECT_EQ(name.stage.role, StageRole::kPass);
  EXPECT_EQ(name.stage.step, 19);
  EXPECT_EQ(name.stage.pipeline, "simplification");
  EXPECT_EQ(name.stage.pass, "constant_folding");
  const DumpName first =
      ParseDumpName("module_0000.jit_f.0000.sharding.after_pipeline-start.before_dce.txt");
  EXPECT_EQ(first.stage.pass, "");
  const DumpName steps =
      ParseDumpName("module_0000.jit_f.0069.copy-insertion.after_adding_copies.txt");
  EXPECT_EQ(steps.stage.pass, "copy-insertion");
  // Digits in the module's name are not the step.
  const DumpName graph = ParseDumpName("module_0000.Graph.1234.0005.fusion.after_a.before_b.txt");
  EXPECT_EQ(graph.module, "Graph.1234");
  EXPECT_EQ(graph.stage.step, 5);
}

TEST(DumpName, TimestampsAndOtherFronts) {
  const DumpName timed = ParseDumpName("1700000000000000.module_0003.jit_f.debug_options");
  EXPECT_TRUE(timed.has_timestamp());
  EXPECT_EQ(timed.number, 3);
  EXPECT_EQ(timed.module, "jit_f");
  EXPECT_EQ(timed.file_role, FileRole::kFlags);
  const DumpName fusion = ParseDumpName("main.12.module_0003.jit_f._fusion.pyz");
  EXPECT_FALSE(fusion.has_timestamp());
  EXPECT_EQ(fusion.before, "main.12");
  EXPECT_EQ(fusion.module, "jit_f");
  EXPECT_EQ(fusion.file_role, FileRole::kFusionExplorer);
}

TEST(DumpName, FilesOfNoStage) {
  struct Case {
    std::string_view name;
    FileRole file_role;
  };
  for (const Case& each : {
           Case{"module_0000.jit_f.thunk_sequence.txt", FileRole::kThunkSequence},
           Case{"module_0000.jit_f.thunk_schedule", FileRole::kThunkSequence},
           Case{"module_0000.jit_f.gpu_target_config.pbtxt", FileRole::kTargetConfig},
           Case{"module_0000.jit_f.config.pbtxt", FileRole::kModuleConfig},
           Case{"module_0000.metadata.textproto", FileRole::kPassTimes},
           Case{"module_0000.jit_f.ir-with-opt.ll", FileRole::kLlvmIr},
           Case{"module_0000.Graph.1234.obj-file.fusion_kernel.o", FileRole::kObject},
           Case{"module_0000.jit_f.3.ptx", FileRole::kDeviceCode},
           Case{"module_0000.jit_f.gemm_fusion_dot.1.ttir.txt", FileRole::kMlir},
           Case{"module_0000.jit_f.triton.mlir-passes.log", FileRole::kCompilerLog},
           Case{"module_0000.jit_f.execution_0001.hlo_snapshot.pb", FileRole::kSnapshot},
           Case{"module_0000.jit_f.snapshot.3.pb", FileRole::kSnapshot},
           Case{"module_0000.jit_f.autotuner_0.dot.before.txt", FileRole::kAutotuning},
           Case{"module_0000.jit_f.cudnn_fusion_x.json", FileRole::kAutotuning},
           Case{"module_0000.jit_f.gpu_executable.riegeli", FileRole::kExecutable},
           Case{"module_0000.jit_f.cl_7.tpu_comp_env.txt", FileRole::kCompilerFacts},
           Case{"buffer_debug_log.module_0000.jit_f.execution_0001.pb", FileRole::kRunLog},
           Case{"io.npz", FileRole::kArrays},
           Case{"dump.tar.zst", FileRole::kArchive},
           Case{"step-buffer-assignment.txt", FileRole::kAssignment},
           Case{"module_0000.jit_f.something_new.bin", FileRole::kUnknown},
           Case{"module_.txt", FileRole::kUnknown},
           Case{"", FileRole::kUnknown},
       }) {
    const DumpName name = ParseDumpName(each.name);
    EXPECT_EQ(TextOf(name.file_role), TextOf(each.file_role)) << each.name;
    EXPECT_EQ(name.stage.text, "") << each.name;
  }
  EXPECT_FALSE(ParseDumpName("module_99999999999999999999.jit_f.debug_options").has_module);
}

TEST(DumpName, BackendsFromStages) {
  EXPECT_EQ(BackendOfStage("sm_9.0a_gpu_after_optimizations"), "gpu");
  EXPECT_EQ(ArchitectureOfStage("sm_9.0a_gpu_after_optimizations"), "sm_9.0a");
  EXPECT_EQ(BackendOfStage("cpu_after_optimizations"), "cpu");
  EXPECT_EQ(BackendOfStage("after_codegen"), "tpu");
  EXPECT_EQ(BackendOfStage("before_optimizations"), "");
}

}  // namespace
}  // namespace halo
