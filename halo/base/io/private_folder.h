// A folder whose files can be trusted because no other user can have written them. It is checked
// once and used through its descriptor, so that replacing the path later changes nothing. The
// caller decides what the files mean.
#ifndef HALO_BASE_IO_PRIVATE_FOLDER_H_
#define HALO_BASE_IO_PRIVATE_FOLDER_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace halo {

class PrivateFolder {
 public:
  PrivateFolder() = default;
  // Creates the folder if it is missing, for this user alone. One that another user owns or may
  // write to is not used.
  explicit PrivateFolder(const std::string& path);
  ~PrivateFolder();
  PrivateFolder(PrivateFolder&& other) noexcept { *this = std::move(other); }
  PrivateFolder& operator=(PrivateFolder&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(problem_, other.problem_);
    return *this;
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  [[nodiscard]] bool is_open() const { return folder_ >= 0; }
  // Why it is not open.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  // The bytes of a file. Nothing if there is none or if it is not a regular file of this user that
  // no other user may write to; `refused` is set in the latter case. Links are not followed.
  std::optional<std::string> Read(const std::string& name, bool& refused) const;
  // Creates or replaces a file completely or not at all, through a file of the name `beside`.
  bool Write(const std::string& name, const std::string& beside, std::string_view bytes) const;

 private:
  int folder_ = -1;
  std::string problem_;
};

}  // namespace halo

#endif  // HALO_BASE_IO_PRIVATE_FOLDER_H_
