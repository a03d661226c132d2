// Tests compiling units, finding their functions, and the disk cache: hits, damage, concurrent use.
#include "halo/codegen/jit/jit.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/jit/object_cache.h"
#include "halo/codegen/test/elementwise_kernel.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

const Module& AddModule() {
  static const Module kModule =
      ReadHloText(
          "HloModule m\nENTRY e {\na = f32[8] parameter(0)\nb = f32[8] parameter(1)\n"
          "ROOT r = f32[8] add(a, b)\n}\n")
          .module;
  return kModule;
}

JitUnit UnitNamed(const std::string& name) {
  return {name, {name}, [name](llvm::Module& out) {
            EmitElementwiseKernel(AddModule(), name, 16, out);
          }};
}

void ExpectAdds(const Jit& jit, const std::string& name) {
  std::array<float, 40> a;
  std::array<float, 40> b;
  std::array<float, 40> sum{};
  for (size_t i = 0; i < a.size(); ++i) a[i] = b[i] = static_cast<float>(i);
  const std::array<void*, 3> buffers = {a.data(), b.data(), sum.data()};
  const KernelFunction function = jit.Find(name);
  ASSERT_NE(function, nullptr);
  function(buffers.data(), 1, 39);
  EXPECT_EQ(sum[0], 0);
  EXPECT_EQ(sum[38], 76);
  EXPECT_EQ(sum[39], 0);
}

TEST(JitTest, CompilesEachUnitOnce) {
  auto jit = Jit::Create({});
  ASSERT_TRUE(jit.ok());
  const std::vector<JitUnit> units = {UnitNamed("first"), UnitNamed("second"), UnitNamed("first")};
  const auto counts = (*jit)->Compile(units);
  ASSERT_TRUE(counts.ok()) << counts.error().message;
  EXPECT_EQ(counts->units, 2);
  EXPECT_EQ(counts->compiled, 2);
  ExpectAdds(**jit, "first");
  ExpectAdds(**jit, "second");
  EXPECT_EQ((*jit)->Find("third"), nullptr);
  const auto again = (*jit)->Compile(units);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->units, 0);
}

namespace fs = std::filesystem;

class JitCacheTest : public testing::Test {
 protected:
  JitCacheTest() {
    std::string name = (fs::temp_directory_path() / "halo_jit_XXXXXX").string();
    dir_ = mkdtemp(name.data());
  }
  ~JitCacheTest() override { fs::remove_all(dir_); }

  // Uses a new compiler on the same folder, as a new process would.
  JitCounts Compile(int units = 4) const {
    std::vector<JitUnit> all;
    for (int i = 0; i < units; ++i) all.push_back(UnitNamed("unit" + std::to_string(i)));
    auto jit = Jit::Create({.threads = 2, .cache_dir = dir_, .progress = {}});
    const auto counts = (*jit)->Compile(all);
    EXPECT_TRUE(counts.ok());
    for (int i = 0; i < units; ++i) ExpectAdds(**jit, "unit" + std::to_string(i));
    return counts.ok() ? *counts : JitCounts{};
  }
  [[nodiscard]] std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(dir_)) files.push_back(entry.path());
    return files;
  }
  std::string dir_;
};

TEST_F(JitCacheTest, KeepsObjects) {
  EXPECT_EQ(Compile(3).compiled, 3);
  EXPECT_EQ(Files().size(), 3);
  EXPECT_EQ(Compile(3).compiled, 0);
  // Only the units that another module adds are compiled.
  const JitCounts more = Compile(4);
  EXPECT_EQ(more.units, 4);
  EXPECT_EQ(more.compiled, 1);
  EXPECT_EQ(more.rejected, 0);
}

TEST_F(JitCacheTest, RebuildsDamagedEntries) {
  Compile(1);
  const fs::path path = Files().at(0);
  const auto size = static_cast<std::streamoff>(fs::file_size(path));
  // Corrupt any byte: magic, sizes, key, object, checksum.
  for (const std::streamoff at : {std::streamoff{0}, std::streamoff{9}, std::streamoff{17},
                                  std::streamoff{30}, size / 2, size - 1}) {
    {
      std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
      file.seekg(at);
      const auto byte = static_cast<char>(file.get() ^ 0x40);
      file.seekp(at);
      file.put(byte);
    }
    const JitCounts counts = Compile(1);
    EXPECT_EQ(counts.rejected, 1) << at;
    EXPECT_EQ(counts.compiled, 1) << at;
    EXPECT_EQ(Compile(1).compiled, 0) << at;
  }
  for (const std::streamoff length : {std::streamoff{0}, std::streamoff{20}, size - 1, size + 1}) {
    fs::resize_file(path, static_cast<uintmax_t>(length));
    EXPECT_EQ(Compile(1).rejected, 1) << length;
  }
}

TEST_F(JitCacheTest, RefusesSwappedEntriesLinksAndOnesThatOthersMayWrite) {
  Compile(2);
  const std::vector<fs::path> files = Files();
  fs::rename(files[0], dir_ + "/between");
  fs::rename(files[1], files[0]);
  fs::rename(dir_ + "/between", files[1]);
  const JitCounts swapped = Compile(2);
  EXPECT_EQ(swapped.rejected, 2);
  EXPECT_EQ(swapped.compiled, 2);
  fs::permissions(files[0], fs::perms::group_write, fs::perm_options::add);
  fs::rename(files[1], dir_ + "/elsewhere");
  fs::create_symlink(dir_ + "/elsewhere", files[1]);
  const JitCounts open_to_others = Compile(2);
  EXPECT_EQ(open_to_others.rejected, 2);
  EXPECT_EQ(open_to_others.compiled, 2);
  EXPECT_FALSE(fs::is_symlink(files[1]));
  EXPECT_EQ(Compile(2).compiled, 0);
}

TEST_F(JitCacheTest, DoesNotUseAFolderThatOthersMayWriteTo) {
  Compile(1);
  fs::permissions(dir_, fs::perms::group_write, fs::perm_options::add);
  const JitCounts counts = Compile(2);
  EXPECT_EQ(counts.compiled, 2);
  EXPECT_EQ(counts.cache_problem, dir_ + " is writable by other users");
  EXPECT_EQ(Files().size(), 1);
}

TEST_F(JitCacheTest, ServesThreadsAndProcessesAtOnce) {
  constexpr int kUnits = 12;
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const JitCounts counts = Compile(kUnits);
      _exit(HasFailure() || counts.units != kUnits || counts.rejected != 0 ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([this] { EXPECT_EQ(Compile(kUnits).compiled, 0); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Files().size(), kUnits);
}

TEST_F(JitCacheTest, GivesUpTheOldestWhenFull) {
  const ObjectCache cache(dir_, 2500);
  const std::string object(1000, 'x');
  for (const char* key : {"a", "b", "c"}) {
    cache.Store(key, object);
    for (const fs::path& path : Files()) {
      fs::last_write_time(path, fs::last_write_time(path) - std::chrono::minutes(1));
    }
  }
  std::ofstream(dir_ + "/x.tmp") << "left behind";
  fs::last_write_time(dir_ + "/x.tmp", fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.Trim();
  bool rejected = false;
  EXPECT_FALSE(cache.Load("a", rejected));
  EXPECT_EQ(cache.Load("b", rejected), object);
  EXPECT_EQ(cache.Load("c", rejected), object);
  EXPECT_EQ(Files().size(), 2);
}

// One thread compiles all of them, with the same passes.
TEST(JitTest, UnitsDoNotAffectLaterOnes) {
  auto jit = Jit::Create({.threads = 1, .cache_dir = "", .progress = {}});
  ASSERT_TRUE(jit.ok());
  std::vector<JitUnit> units;
  for (int i = 0; i < 8; ++i) {
    units.push_back(UnitNamed("unit" + std::to_string(i)));
    units.back().is_brief = i % 2 == 0;
    units.back().size = i % 3;
  }
  const auto counts = (*jit)->Compile(units);
  ASSERT_TRUE(counts.ok()) << counts.error().message;
  EXPECT_EQ(counts->compiled, 8);
  for (const JitUnit& unit : units) ExpectAdds(**jit, unit.symbols[0]);
}

TEST(JitTest, RefusesBrokenCode) {
  auto jit = Jit::Create({});
  const std::vector<JitUnit> units = {
      {"broken", {"broken"}, [](llvm::Module& out) {
         auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(out.getContext()), false);
         auto* function =
             llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "broken", out);
         llvm::BasicBlock::Create(out.getContext(), "", function);
       }}};
  const auto counts = (*jit)->Compile(units);
  ASSERT_FALSE(counts.ok());
  EXPECT_NE(counts.error().message.find("refused"), std::string::npos);
}

}  // namespace
}  // namespace halo
