// A file without a name, mapped by the launcher and all ranks.
#include "tools/halo/ranks/rank_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#if defined(__linux__)
#include <linux/memfd.h>
#include <sys/syscall.h>
#endif

namespace halo::tool {
namespace {

// -1 where the system has no files without a name that other processes can open.
int CreateNamelessFile() {
#if defined(__linux__)
  // By number: the wrapper is younger than the oldest C library that the command runs with.
  return static_cast<int>(syscall(SYS_memfd_create, "halo-ranks", MFD_CLOEXEC));
#else
  return -1;
#endif
}

}  // namespace

std::unique_ptr<RankPage> RankPage::Map(int file, int64_t ranks) {
  const size_t bytes = static_cast<size_t>(ranks) * sizeof(RankSlot);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    close(file);
    return nullptr;
  }
  // Zeros represent the slot of an absent rank.
  auto* slots = static_cast<RankSlot*>(memory);
  return std::unique_ptr<RankPage>(
      new RankPage(file, std::span<RankSlot>(slots, static_cast<size_t>(ranks))));
}

std::unique_ptr<RankPage> RankPage::Create(int64_t ranks) {
  const int file = CreateNamelessFile();
  if (file < 0) return nullptr;
  if (ftruncate(file, static_cast<off_t>(ranks * static_cast<int64_t>(sizeof(RankSlot)))) != 0) {
    close(file);
    return nullptr;
  }
  return Map(file, ranks);
}

std::unique_ptr<RankPage> RankPage::Open(const std::string& path, int64_t ranks) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat found{};
  const bool fits =
      fstat(file, &found) == 0 && found.st_size == ranks * static_cast<int64_t>(sizeof(RankSlot));
  if (!fits) {
    close(file);
    return nullptr;
  }
  return Map(file, ranks);
}

RankPage::~RankPage() {
  munmap(slots_.data(), slots_.size_bytes());
  close(file_);
}

std::string RankPage::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }

}  // namespace halo::tool
