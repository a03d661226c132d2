// Directory trees written to disk, indexed and selected from.
#include "halo/dump/dump.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/dump/natural_order.h"
#include "halo/dump/open_file.h"
#include "halo/dump/select.h"

namespace halo {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr const char* kModule = "HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }\n";

class DumpTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "halo_dump_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text = kModule) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  Dump Index() {
    Result<Dump> dump = IndexDump(root_.string());
    EXPECT_TRUE(dump.ok());
    return std::move(*dump);
  }
  static std::vector<std::string> Stages(const DumpModule& module) {
    std::vector<std::string> names;
    for (const DumpStage& stage : module.stages) names.emplace_back(stage.label());
    return names;
  }
  static std::string Pick(const Dump& dump, const DumpChoice& choice) {
    const Result<Selection> selection = SelectFromDump(dump, choice);
    if (!selection) return selection.error().message + "; " + selection.error().help;
    return dump.files[static_cast<size_t>(selection->chosen.front().file)].path;
  }

  fs::path root_;
};

TEST_F(DumpTest, StagesInTheOrderOfCompilation) {
  Write("module_0000.jit_f.cpu_after_optimizations.txt");
  Write("module_0000.jit_f.cpu_after_optimizations-buffer-assignment.txt");
  Write("module_0000.jit_f.0010.p.after_b.before_c.txt");
  Write("module_0000.jit_f.0009.p.after_a.before_b.txt");
  Write("module_0000.jit_f.after_spmd_partitioner.txt");
  Write("module_0000.jit_f.before_optimizations.txt");
  Write("module_0000.jit_f.debug_options");
  Write("module_0000.jit_f.kernel.1.ll");
  Write("module_0000.jit_f.a_new_point.txt");
  Write("module_0000.jit_f/module.mlir");
  const Dump dump = Index();
  ASSERT_EQ(dump.modules.size(), 1u);
  EXPECT_THAT(
      Stages(dump.modules[0]),
      ElementsAre("before_optimizations", "after_spmd_partitioner", "a_new_point",
                  "0009.p.after_a.before_b", "0010.p.after_b.before_c", "cpu_after_optimizations"));
  EXPECT_EQ(dump.modules[0].others.size(), 3u);
  EXPECT_EQ(dump.modules[0].backend, "cpu");
  for (const DumpFile& file : dump.files) EXPECT_EQ(file.module, 0) << file.path;
}

TEST_F(DumpTest, ChoosesAsPeopleSay) {
  Write("module_0000.jit_small.cpu_after_optimizations.txt");
  Write("module_0003.jit_step.before_optimizations.txt", std::string(kModule) + "\n\n");
  Write("module_0003.jit_step.0009.p.after_dce.before_b.txt");
  Write("module_0003.jit_step.0012.p.after_dce.before_cse.txt");
  Write("module_0003.jit_step.cpu_after_optimizations.txt");
  Write("module_0003.jit_step.cpu_after_optimizations.hlo.pb");
  const Dump dump = Index();
  const std::string step = "module_0003.jit_step.";
  EXPECT_EQ(Pick(dump, {}), step + "cpu_after_optimizations.txt");
  EXPECT_EQ(Pick(dump, {.prefer_proto = true}), step + "cpu_after_optimizations.hlo.pb");
  EXPECT_EQ(Pick(dump, {.module = "0"}), "module_0000.jit_small.cpu_after_optimizations.txt");
  EXPECT_EQ(Pick(dump, {.module = "small"}), "module_0000.jit_small.cpu_after_optimizations.txt");
  EXPECT_EQ(Pick(dump, {.stage = "before"}), step + "before_optimizations.txt");
  EXPECT_EQ(Pick(dump, {.stage = "9"}), step + "0009.p.after_dce.before_b.txt");
  EXPECT_EQ(Pick(dump, {.stage = "dce"}), step + "0012.p.after_dce.before_cse.txt");
  EXPECT_EQ(Pick(dump, {.module = "x"}),
            "no module 'x' in " + root_.string() + "; there are: 0 jit_small, 3 jit_step");
  EXPECT_THAT(Pick(dump, {.stage = "x"}), testing::HasSubstr("no stage 'x' of module 3 jit_step"));
  const Result<Selection> all = SelectFromDump(dump, {.module = "all", .stage = "all"});
  EXPECT_EQ(all->chosen.size(), 5u);
}

TEST_F(DumpTest, RanksByFolder) {
  for (const std::string rank : {"rank_0", "rank_2", "rank_10"}) {
    Write(rank + "/module_0000.jit_f.before_optimizations.txt");
  }
  Write("jit_g/host_77/module_0001.jit_g.before_optimizations.txt");
  Write("jit_f/host_77/module_0000.jit_f.before_optimizations.txt");
  const Dump dump = Index();
  EXPECT_THAT(dump.ranks, ElementsAre("host_77", "rank_0", "rank_2", "rank_10"));
  EXPECT_EQ(Pick(dump, {.rank = "10"}), "rank_10/module_0000.jit_f.before_optimizations.txt");
  EXPECT_EQ(Pick(dump, {.module = "jit_g", .rank = "host_77"}),
            "jit_g/host_77/module_0001.jit_g.before_optimizations.txt");
  EXPECT_THAT(Pick(dump, {.rank = "3"}), testing::HasSubstr("no rank '3'"));
}

TEST_F(DumpTest, CapturesHoldFiles) {
  Write("out.log",
        "hello\n*** Begin module_0000.jit_f.before_optimizations.txt ***\n" + std::string(kModule) +
            "*** End module_0000.jit_f.before_optimizations.txt ***\n"
            "*** Begin module_0000.jit_f.cpu_after_optimizations.txt ***\n" +
            kModule + "*** End module_0000.jit_f.cpu_after_optimizations.txt ***\nbye\n");
  const Dump dump = Index();
  ASSERT_EQ(dump.modules.size(), 1u);
  EXPECT_EQ(dump.modules[0].name, "jit_f");
  const std::string path = "out.log/module_0000.jit_f.cpu_after_optimizations.txt";
  EXPECT_EQ(Pick(dump, {}), path);
  const Result<SourceBuffer> source = OpenDumpFile((root_ / path).string());
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source->bytes(), kModule);
  EXPECT_TRUE(DumpFileExists((root_ / path).string()));
  EXPECT_FALSE(DumpFileExists((root_ / "out.log/other").string()));
}

TEST_F(DumpTest, StrangeNamesAreLookedInto) {
  Write("step.txt");
  Write("notes.txt", "Dear diary,\n");
  Write("step-buffer-assignment.txt", "BufferAssignment:\n");
  const Dump dump = Index();
  ASSERT_EQ(dump.modules.size(), 1u);
  EXPECT_EQ(dump.modules[0].name, "step");
  EXPECT_EQ(dump.modules[0].number, -1);
  EXPECT_EQ(dump.modules[0].stages[0].files.size(), 2u);
  EXPECT_TRUE(dump.modules[0].missing.empty());
  EXPECT_EQ(dump.files[0].path, "notes.txt");
  EXPECT_EQ(dump.files[0].file_role, FileRole::kUnknown);
  EXPECT_EQ(dump.files[0].looks_like, "text that is not HLO");
}

TEST_F(DumpTest, FilesOfSeveralCapturesAreOpenedInAnyOrder) {
  Write("module_0000.jit_f.before_optimizations.txt");
  for (const std::string log : {"a/out.log", "b/out.log"}) {
    std::string text;
    for (const std::string name :
         {"module_0001.jit_g.before_optimizations.txt", "module_0002.x.txt"}) {
      text += "*** Begin " + name + " ***\n" + kModule + "*** End " + name + " ***\n";
    }
    Write(log, text);
  }
  const Dump dump = Index();
  ASSERT_EQ(dump.files.size(), 7u);
  size_t framed = 0;
  for (const int32_t i : {0, 6, 1, 5, 2, 4, 3}) {
    const DumpFile& file = dump.files[static_cast<size_t>(i)];
    const Result<SourceBuffer> opened = OpenDumpFile(dump.PathOf(i));
    ASSERT_TRUE(opened.ok()) << dump.PathOf(i);
    EXPECT_EQ(opened->bytes().size(), file.bytes);
    if (!file.is_framed) continue;
    EXPECT_EQ(opened->bytes(), kModule);
    ++framed;
  }
  EXPECT_EQ(framed, 4u);
}

TEST_F(DumpTest, LinksLeadNowhereElse) {
  Write("a/module_0000.jit_f.before_optimizations.txt");
  fs::create_directory_symlink(root_, root_ / "a/loop");
  fs::create_symlink("/etc/hostname", root_ / "module_0001.x.before_optimizations.txt");
  fs::create_symlink("nowhere", root_ / "gone");
  const Dump dump = Index();
  EXPECT_EQ(dump.files.size(), 1u);
  EXPECT_EQ(dump.skipped_count, 3u);
  EXPECT_EQ(dump.links_outside, 1u);
  EXPECT_EQ(dump.unreadable, 0u);
  const Result<WalkResult> followed = WalkFolder(root_.string(), {.follow = true});
  EXPECT_EQ(followed->files.size(), 2u);
  const Result<WalkResult> few = WalkFolder(root_.string(), {.max_files = 0});
  EXPECT_EQ(few->files.size(), 0u);
}

TEST_F(DumpTest, SaysWhatIsMissing) {
  Write("module_0000.jit_f.cpu_after_optimizations.txt");
  Write("module_0001.jit_g.before_optimizations.txt");
  const Dump dump = Index();
  std::vector<std::string> first;
  for (const MissingPiece& piece : dump.modules[0].missing) {
    if (piece.needed) first.push_back(piece.what);
  }
  EXPECT_THAT(first, ElementsAre("the module before optimizations", "the buffer assignment"));
  EXPECT_EQ(dump.modules[1].missing[0].what, "the module after optimizations");
}

TEST_F(DumpTest, AFileOpensItsFolder) {
  Write("module_0000.jit_f.before_optimizations.txt");
  const Result<Dump> dump =
      IndexDump((root_ / "module_0000.jit_f.before_optimizations.txt").string());
  ASSERT_TRUE(dump.ok());
  EXPECT_EQ(dump->root, root_.string());
  EXPECT_FALSE(IndexDump((root_ / "nothing").string()).ok());
}

TEST_F(DumpTest, AnArchiveThatChangesIsOpenedAgain) {
  const auto capture = [](const std::string& text) {
    return "*** Begin x.txt ***\n" + text + "\n*** End x.txt ***\n";
  };
  const std::string path = (root_ / "out.log/x.txt").string();
  Write("out.log", capture("one"));
  EXPECT_THAT(std::string(OpenDumpFile(path)->bytes()), testing::HasSubstr("one"));
  Write("out.log", capture("another"));
  EXPECT_THAT(std::string(OpenDumpFile(path)->bytes()), testing::HasSubstr("another"));
  Write("other.log", capture("third"));
  EXPECT_THAT(std::string(OpenDumpFile((root_ / "other.log/x.txt").string())->bytes()),
              testing::HasSubstr("third"));
  EXPECT_THAT(std::string(OpenDumpFile(path)->bytes()), testing::HasSubstr("another"));
  fs::remove(root_ / "out.log");
  EXPECT_FALSE(OpenDumpFile(path).ok());
}

TEST_F(DumpTest, AFileThatALinkReplacedIsNotOpened) {
  const fs::path other = root_.string() + ".other";
  std::ofstream(other) << "HloModule other\n";
  for (const char* name : {"module_0000.jit_f.before_optimizations.txt", "out.log"}) {
    Write(name, "*** Begin x.txt ***\nHloModule f\n*** End x.txt ***\n");
  }
  const Dump dump = Index();
  ASSERT_EQ(dump.Fence(), root_.string());
  for (int32_t i = 0; i < static_cast<int32_t>(dump.files.size()); ++i) {
    EXPECT_TRUE(OpenDumpFile(dump.PathOf(i), dump.Fence()).ok()) << dump.PathOf(i);
  }
  for (const char* name : {"module_0000.jit_f.before_optimizations.txt", "out.log"}) {
    fs::remove(root_ / name);
    fs::create_symlink(other, root_ / name);
  }
  for (int32_t i = 0; i < static_cast<int32_t>(dump.files.size()); ++i) {
    EXPECT_FALSE(OpenDumpFile(dump.PathOf(i), dump.Fence()).ok()) << dump.PathOf(i);
  }
  EXPECT_TRUE(OpenDumpFile(dump.PathOf(0)).ok());
  DumpOptions follow;
  follow.walk.follow = true;
  const Result<Dump> followed = IndexDump(root_.string(), follow);
  ASSERT_TRUE(followed.ok());
  EXPECT_EQ(followed->Fence(), "");
  fs::remove(other);
}

TEST_F(DumpTest, OneFileIsIndexedWithoutItsNeighbours) {
  Write("step.txt");
  Write("step-buffer-assignment.txt", "BufferAssignment:\n");
  Write("other.txt");
  Write("below/more.txt");
  DumpOptions options;
  options.only_this_file = true;
  const Result<Dump> dump = IndexDump((root_ / "step-buffer-assignment.txt").string(), options);
  ASSERT_TRUE(dump.ok());
  ASSERT_EQ(dump->files.size(), 3u);
  EXPECT_EQ(dump->files[0].path, "other.txt");
  EXPECT_EQ(dump->files[0].looks_like, "");  // not opened
  ASSERT_EQ(dump->modules.size(), 1u);
  EXPECT_EQ(dump->modules[0].name, "step");
  EXPECT_EQ(dump->modules[0].stages[0].files.size(), 2u);
}

TEST(NaturalOrder, CountsAsPeopleDo) {
  const NaturalOrder less;
  EXPECT_TRUE(less("rank_2", "rank_10"));
  EXPECT_FALSE(less("rank_10", "rank_2"));
  EXPECT_TRUE(less("a", "a1"));
  EXPECT_TRUE(less("rank_02", "rank_2"));
  EXPECT_FALSE(less("x", "x"));
}

}  // namespace
}  // namespace halo
