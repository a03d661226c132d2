// Tests what is refused: folders and files that another user could have written, links, pipes.
#include "halo/base/io/private_folder.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace halo {
namespace {

class PrivateFolderTest : public testing::Test {
 protected:
  PrivateFolderTest() {
    std::string name = testing::TempDir() + "private-folder-XXXXXX";
    top_ = mkdtemp(name.data());
    path_ = top_ + "/below/cache";
  }
  ~PrivateFolderTest() override { std::filesystem::remove_all(top_); }
  // The file as another process left it.
  void Leave(const std::string& name, mode_t mode = 0600) const {
    std::ofstream(path_ + "/" + name) << "bytes";
    chmod((path_ + "/" + name).c_str(), mode);
  }
  bool IsRefused(const std::string& name) const {
    bool refused = false;
    const std::optional<std::string> read = PrivateFolder(path_).Read(name, refused);
    EXPECT_EQ(read.has_value(), !refused);
    return refused;
  }

  std::string top_;
  std::string path_;
};

TEST_F(PrivateFolderTest, IsCreatedForThisUserAlone) {
  const PrivateFolder folder(path_);
  ASSERT_TRUE(folder.is_open()) << folder.problem();
  struct stat found{};
  ASSERT_EQ(stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
  EXPECT_TRUE(folder.Write("a", "a.tmp", "text"));
  bool refused = true;
  EXPECT_EQ(folder.Read("a", refused), "text");
  EXPECT_FALSE(refused);
  EXPECT_EQ(folder.Read("b", refused), std::nullopt);
  EXPECT_FALSE(refused);
  EXPECT_FALSE(std::filesystem::exists(path_ + "/a.tmp"));
}

TEST_F(PrivateFolderTest, FoldersThatOthersMayWriteToAreNotUsed) {
  for (const mode_t mode : {0770U, 0702U, 0777U, 01777U}) {
    std::filesystem::create_directories(path_);
    chmod(path_.c_str(), mode);
    const PrivateFolder folder(path_);
    EXPECT_FALSE(folder.is_open());
    EXPECT_NE(folder.problem().find("is writable by other users"), std::string::npos);
    EXPECT_FALSE(folder.Write("a", "a.tmp", "text"));
  }
  chmod(path_.c_str(), 0755);
  EXPECT_TRUE(PrivateFolder(path_).is_open());
}

TEST_F(PrivateFolderTest, FoldersOfOthersAreNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  std::filesystem::create_directories(path_);
  ASSERT_EQ(chown(path_.c_str(), 65534, 65534), 0);
  EXPECT_NE(PrivateFolder(path_).problem().find("belongs to another user"), std::string::npos);
  std::filesystem::create_directories(top_ + "/real");
  std::filesystem::create_symlink(top_ + "/real", top_ + "/link");
  EXPECT_TRUE(PrivateFolder(top_ + "/link/").is_open());
  ASSERT_EQ(lchown((top_ + "/link").c_str(), 65534, 65534), 0);
  EXPECT_NE(PrivateFolder(top_ + "/link/").problem().find("a link of another user"),
            std::string::npos);
}

TEST_F(PrivateFolderTest, FilesThatOthersCouldHaveWrittenAreRefused) {
  const PrivateFolder folder(path_);
  Leave("good");
  EXPECT_FALSE(IsRefused("good"));
  Leave("group", 0660);
  EXPECT_TRUE(IsRefused("group"));
  std::filesystem::create_symlink(path_ + "/good", path_ + "/link");
  EXPECT_TRUE(IsRefused("link"));
  ASSERT_EQ(mkfifo((path_ + "/pipe").c_str(), 0600), 0);
  EXPECT_TRUE(IsRefused("pipe"));
  std::filesystem::create_directory(path_ + "/folder");
  EXPECT_TRUE(IsRefused("folder"));
}

TEST_F(PrivateFolderTest, LinksAreReplacedNotFollowed) {
  const PrivateFolder folder(path_);
  std::ofstream(top_ + "/target") << "mine";
  std::filesystem::create_symlink(top_ + "/target", path_ + "/a");
  std::filesystem::create_symlink(top_ + "/target", path_ + "/b.tmp");
  EXPECT_TRUE(folder.Write("a", "a.tmp", "text"));
  EXPECT_TRUE(folder.Write("b", "b.tmp", "text"));
  EXPECT_FALSE(std::filesystem::is_symlink(path_ + "/b"));
  EXPECT_EQ(std::filesystem::file_size(top_ + "/target"), 4U);
  EXPECT_FALSE(std::filesystem::is_symlink(path_ + "/a"));
}

}  // namespace
}  // namespace halo
