// Tests permissions, what happens when another process replaces the file meanwhile, and that
// nothing is left of a file that is not finished.
#include "halo/base/io/unfinished_file.h"

#include <atomic>
#include <dirent.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "halo/base/io/write_all.h"

namespace halo {
namespace {

class UnfinishedFileTest : public testing::Test {
 protected:
  UnfinishedFileTest() : umask_(umask(022)) {
    std::string name = testing::TempDir() + "unfinished-file-XXXXXX";
    top_ = mkdtemp(name.data());
    out_ = top_ + "/out.txt";
    victim_ = top_ + "/victim";
    Leave(victim_, "secret", 0600);
  }
  ~UnfinishedFileTest() override {
    umask(umask_);
    std::filesystem::remove_all(top_);
  }

  static void Leave(const std::string& path, std::string_view text, mode_t mode) {
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
  }
  static std::string TextOf(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat found{};
    return lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
  }
  UnfinishedFile Written(bool is_nameless = false) const {
    UnfinishedFile file(out_, "out.txt.tmp", {.is_nameless = is_nameless});
    EXPECT_GE(file.descriptor(), 0) << file.problem();
    EXPECT_TRUE(WriteAll(file.descriptor(), "new"));
    return file;
  }
  // What an attacker does with the name of the unfinished file.
  bool PutLinkAt(const std::string& path) const {
    const std::string link = top_ + "/link";
    unlink(link.c_str());
    return symlink(victim_.c_str(), link.c_str()) == 0 && rename(link.c_str(), path.c_str()) == 0;
  }
  void ExpectVictimUntouched() const {
    EXPECT_EQ(ModeOf(victim_), 0600U);
    EXPECT_EQ(TextOf(victim_), "secret");
  }
  size_t Names() const {
    const std::filesystem::directory_iterator listed(top_);
    return static_cast<size_t>(std::distance(begin(listed), end(listed)));
  }

  mode_t umask_;
  std::string top_, out_, victim_;
};

TEST_F(UnfinishedFileTest, TakesItsNameWhenItIsComplete) {
  Leave(out_, "old", 0644);
  for (const bool is_nameless : {false, true}) {
    UnfinishedFile file = Written(is_nameless);
    EXPECT_EQ(TextOf(out_), "old");
    EXPECT_EQ(file.Finish(), "");
    EXPECT_EQ(TextOf(out_), "new");
    Leave(out_, "old", 0644);
  }
  EXPECT_EQ(Names(), 2u);
}

TEST_F(UnfinishedFileTest, NothingIsLeftUnlessItIsFinished) {
  {
    const UnfinishedFile file = Written();
  }
  {
    const UnfinishedFile file = Written(true);
  }
  EXPECT_EQ(Names(), 1u);
  EXPECT_LT(UnfinishedFile(top_ + "/none/out.txt", "out.tmp").descriptor(), 0);
  EXPECT_EQ(UnfinishedFile(top_ + "/none/out.txt", "out.tmp").problem(),
            "No such file or directory");
}

TEST_F(UnfinishedFileTest, KeepsPermissionsButNotTheRightOfOthersToWrite) {
  EXPECT_EQ(Written().Finish(), "");
  EXPECT_EQ(ModeOf(out_), 0644U);
  const mode_t cases[][2] = {{0600, 0600}, {0640, 0640}, {0644, 0644}, {0755, 0755}, {0400, 0400},
                             {0666, 0644}, {0664, 0644}, {0777, 0755}, {0662, 0640}, {06755, 0755}};
  for (const auto& [before, after] : cases) {
    for (const bool is_nameless : {false, true}) {
      unlink(out_.c_str());
      Leave(out_, "old", before);
      UnfinishedFile file = Written(is_nameless);
      struct stat found{};
      ASSERT_EQ(fstat(file.descriptor(), &found), 0);
      EXPECT_EQ(found.st_mode & 0777 & ~before, 0U) << "from the first byte on";
      EXPECT_EQ(file.Finish(), "");
      EXPECT_EQ(ModeOf(out_), after);
    }
  }
  // A new file would be writable by the group as well.
  umask(002);
  Leave(out_, "old", 0664);
  EXPECT_EQ(Written().Finish(), "");
  EXPECT_EQ(ModeOf(out_), 0664U);
}

TEST_F(UnfinishedFileTest, ReplacesALinkAndNotItsTarget) {
  ASSERT_EQ(symlink(victim_.c_str(), out_.c_str()), 0);
  EXPECT_EQ(Written().Finish(), "");
  EXPECT_EQ(TextOf(out_), "new");
  EXPECT_EQ(ModeOf(out_), 0644U);
  ExpectVictimUntouched();
}

TEST_F(UnfinishedFileTest, AFileThatWasReplacedIsNotFinished) {
  const std::string beside = top_ + "/out.txt.tmp";
  const std::string other = top_ + "/other";
  Leave(out_, "old", 0666);
  UnfinishedFile linked = Written();
  ASSERT_TRUE(PutLinkAt(beside));
  EXPECT_EQ(linked.Finish(), "another process replaced it while it was written");
  UnfinishedFile hard_linked = Written();
  unlink(beside.c_str());
  ASSERT_EQ(link(victim_.c_str(), beside.c_str()), 0);
  EXPECT_EQ(hard_linked.Finish(), "another process replaced it while it was written");
  UnfinishedFile renamed = Written();
  Leave(other, "other", 0644);
  ASSERT_EQ(rename(other.c_str(), beside.c_str()), 0);
  EXPECT_EQ(renamed.Finish(), "another process replaced it while it was written");
  UnfinishedFile removed = Written();
  unlink(beside.c_str());
  EXPECT_EQ(removed.Finish(), "No such file or directory");
  EXPECT_EQ(TextOf(out_), "old");
  ExpectVictimUntouched();
}

TEST_F(UnfinishedFileTest, TheFolderIsTheOneThatWasOpened) {
  const std::string folder = top_ + "/folder";
  const std::string moved = top_ + "/moved";
  std::filesystem::create_directory(folder);
  UnfinishedFile file(folder + "/out.txt", "out.txt.tmp");
  ASSERT_EQ(rename(folder.c_str(), moved.c_str()), 0);
  std::filesystem::create_directory(top_ + "/elsewhere");
  ASSERT_EQ(symlink((top_ + "/elsewhere").c_str(), folder.c_str()), 0);
  EXPECT_EQ(file.Finish(), "");
  EXPECT_TRUE(std::filesystem::exists(moved + "/out.txt"));
  EXPECT_TRUE(std::filesystem::is_empty(top_ + "/elsewhere"));
}

// Another thread exchanges the unfinished file for a link as fast as it can.
TEST_F(UnfinishedFileTest, ARaceForTheNameIsNotWon) {
  constexpr int kRounds = 400;
  std::atomic<bool> is_over = false;
  std::atomic<int> exchanged = 0;
  std::thread attacker([&] {
    const std::string beside = top_ + "/out.txt.tmp";
    struct stat found{};
    while (!is_over) {
      if (lstat(beside.c_str(), &found) == 0 && S_ISREG(found.st_mode))
        exchanged += PutLinkAt(beside);
    }
  });
  int finished = 0;
  for (int i = 0; i < kRounds; ++i) {
    Leave(out_, "old", 0666);
    UnfinishedFile file = Written(i % 2 == 1);
    if (i % 3 == 0) std::this_thread::yield();
    const bool is_finished = file.Finish().empty();
    finished += is_finished ? 1 : 0;
    struct stat found{};
    if (lstat(out_.c_str(), &found) == 0) EXPECT_TRUE(S_ISREG(found.st_mode)) << "round " << i;
    if (is_finished) EXPECT_EQ(TextOf(out_), "new");
    ASSERT_EQ(ModeOf(victim_), 0600U) << "round " << i;
    unlink(out_.c_str());
  }
  is_over = true;
  attacker.join();
  ExpectVictimUntouched();
  RecordProperty("exchanged", exchanged);
  RecordProperty("finished", finished);
}

}  // namespace
}  // namespace halo
