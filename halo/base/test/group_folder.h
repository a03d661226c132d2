// A folder laid out like the file system of control groups, for tests of the limits read from it.
#ifndef HALO_BASE_TEST_GROUP_FOLDER_H_
#define HALO_BASE_TEST_GROUP_FOLDER_H_

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace halo {

// Empty at the start of each test. A test writes which groups it belongs to into listing().
class GroupFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) / test.test_suite_name() / test.name();
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void Write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path listing() const { return root_ / "listing"; }

 private:
  std::filesystem::path root_;
};

}  // namespace halo

#endif  // HALO_BASE_TEST_GROUP_FOLDER_H_
