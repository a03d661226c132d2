// Tests files that others could replace.
#include "halo/plugins/trusted_file.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <gtest/gtest.h>

namespace halo {
namespace {

class TrustedFileTest : public testing::Test {
 protected:
  TrustedFileTest() {
    std::filesystem::create_directories(root_ / "bin");
    std::filesystem::create_directories(root_ / "lib");
    for (const std::string& path : {Program(), File()}) std::ofstream(path) << "x";
    for (const char* name : {"bin", "lib", "bin/program", "lib/file"}) SetMode(name, 0755);
  }
  ~TrustedFileTest() override { std::filesystem::remove_all(root_); }

  std::string Program() const { return (root_ / "bin" / "program").string(); }
  std::string File() const { return (root_ / "lib" / "file").string(); }
  void SetMode(const char* name, mode_t mode) const {
    ASSERT_EQ(chmod((root_ / name).c_str(), mode), 0);
  }

  const std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) /
      ("halo_trusted_" +
       std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(TrustedFileTest, AcceptsAFileOfTheSameOwner) { EXPECT_TRUE(IsTrustedBy(Program(), File())); }

TEST_F(TrustedFileTest, RefusesAFileThatOthersCanWrite) {
  SetMode("lib/file", 0757);
  EXPECT_FALSE(IsTrustedBy(Program(), File()));
}

TEST_F(TrustedFileTest, RefusesAFileThatItsGroupCanWrite) {
  SetMode("lib/file", 0775);
  EXPECT_FALSE(IsTrustedBy(Program(), File()));
  SetMode("bin", 0775);  // the group can replace the program as well
  EXPECT_TRUE(IsTrustedBy(Program(), File()));
}

TEST_F(TrustedFileTest, RefusesAFolderThatOthersCanWrite) {
  SetMode("lib", 0777);
  EXPECT_FALSE(IsTrustedBy(Program(), File()));
  SetMode("lib", 01777);
  EXPECT_TRUE(IsTrustedBy(Program(), File()));
}

TEST_F(TrustedFileTest, RefusesWhatIsNotAFile) {
  EXPECT_FALSE(IsTrustedBy(Program(), (root_ / "lib").string()));
  EXPECT_FALSE(IsTrustedBy(Program(), (root_ / "lib" / "none").string()));
}

}  // namespace
}  // namespace halo
