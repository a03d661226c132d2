// A file that shrinks while it is mapped ends the process with a message.
#include "tools/halo/guard/truncated_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "halo/base/io/source_buffer.h"
#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

void ReadWhileItShrinks(const std::string& path) {
  ReportTruncatedFiles();
  std::ofstream(path) << std::string(size_t{1} << 20, 'x');
  const Result<SourceBuffer> opened = SourceBuffer::Open(path);
  if (!opened) std::exit(1);
  std::filesystem::resize_file(path, 0);
  int sum = 0;
  for (const char c : opened->bytes()) sum += c;
  std::exit(sum == 0 ? 0 : 1);
}

TEST(TruncatedFilesDeathTest, AreReported) {
  const std::string path = testing::TempDir() + "/truncated.txt";
  EXPECT_EXIT(ReadWhileItShrinks(path), testing::ExitedWithCode(kExitUnusable),
              "a file was truncated while it was read");
}

}  // namespace
}  // namespace halo::tool
