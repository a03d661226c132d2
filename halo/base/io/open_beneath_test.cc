// Tests links within the folder and out of it, and names that are exchanged while they are opened.
#include "halo/base/io/open_beneath.h"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace halo {
namespace {

namespace fs = std::filesystem;

class OpenBeneathTest : public testing::Test {
 protected:
  OpenBeneathTest() {
    std::string name = testing::TempDir() + "open-beneath-XXXXXX";
    top_ = mkdtemp(name.data());
    folder_ = top_ / "dump";
    fs::create_directories(folder_ / "rank0");
    fs::create_directories(top_ / "dump2");
    std::ofstream(folder_ / "rank0" / "a.txt") << "inside";
    std::ofstream(top_ / "secret") << "secret";
    std::ofstream(top_ / "dump2" / "a.txt") << "secret";
  }
  ~OpenBeneathTest() override { fs::remove_all(top_); }

  // The first bytes of the file, or the error's name.
  [[nodiscard]] std::string Read(const fs::path& path) const {
    const int file = OpenBeneath(folder_.string(), path.string());
    if (file < 0) {
      return errno == EXDEV ? "EXDEV" : errno == EINVAL ? "EINVAL" : std::string("other error");
    }
    std::string text(6, '\0');
    text.resize(static_cast<size_t>(std::max<ssize_t>(read(file, text.data(), text.size()), 0)));
    close(file);
    return text;
  }

  fs::path top_, folder_;
};

TEST_F(OpenBeneathTest, FollowsLinksThatStayInside) {
  fs::create_symlink("rank0/a.txt", folder_ / "relative");
  fs::create_symlink(folder_ / "rank0" / "a.txt", folder_ / "absolute");
  fs::create_symlink("rank0", folder_ / "rank1");
  fs::create_directory_symlink(folder_, top_ / "link");
  for (const char* path :
       {"rank0/a.txt", "relative", "absolute", "rank1/a.txt", "rank0/../relative"}) {
    EXPECT_EQ(Read(folder_ / path), "inside") << path;
    EXPECT_EQ(Read(top_ / "link" / path), "inside") << path;
  }
}

TEST_F(OpenBeneathTest, RefusesWhatLeadsOut) {
  fs::create_symlink("../secret", folder_ / "relative");
  fs::create_symlink(top_ / "secret", folder_ / "absolute");
  fs::create_symlink("../dump2", folder_ / "longer");
  fs::create_symlink("/proc/self/root" / (top_ / "secret").relative_path(), folder_ / "magic");
  for (const char* path : {"relative", "absolute", "longer/a.txt", "magic", "../secret", "."}) {
    EXPECT_EQ(Read(folder_ / path), "EXDEV") << path;
  }
}

TEST_F(OpenBeneathTest, OpensRegularFilesOnly) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(Read(folder_ / "pipe"), "EINVAL");
  EXPECT_EQ(Read(folder_ / "rank0"), "EINVAL");
  EXPECT_EQ(Read(folder_ / "nothing"), "other error");
}

TEST_F(OpenBeneathTest, NamesThatAreExchangedLeadNowhere) {
  fs::create_directories(folder_ / "rank1");
  fs::create_symlink("../dump2", top_ / "between");
  std::ofstream(folder_ / "rank1" / "a.txt") << "inside";
  std::atomic<bool> is_over = false;
  std::thread attacker([&] {
    const std::string rank = folder_ / "rank1";
    const std::string link = top_ / "between";
    const std::string kept = top_ / "kept";
    while (!is_over) {
      if (rename(rank.c_str(), kept.c_str()) != 0 || rename(link.c_str(), rank.c_str()) != 0)
        return;
      if (rename(rank.c_str(), link.c_str()) != 0 || rename(kept.c_str(), rank.c_str()) != 0)
        return;
    }
  });
  int inside = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string read = Read(folder_ / "rank1" / "a.txt");
    ASSERT_NE(read, "secret") << "round " << i;
    inside += read == "inside" ? 1 : 0;
  }
  is_over = true;
  attacker.join();
  EXPECT_GT(inside, 0);
}

}  // namespace
}  // namespace halo
