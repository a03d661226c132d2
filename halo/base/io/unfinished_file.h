// A file that takes its name only when it is complete, so that no reader ever sees a part of it.
// Everything below its folder goes by descriptors, and a name counts only while it still names the
// file that was written: others who may write to the folder can spoil the result, not redirect it.
#ifndef HALO_BASE_IO_UNFINISHED_FILE_H_
#define HALO_BASE_IO_UNFINISHED_FILE_H_

#include <string>
#include <utility>

namespace halo {

struct UnfinishedOptions {
  unsigned mode = 0666;      // less the umask
  bool is_durable = false;   // on the disk before it takes its name
  bool is_nameless = false;  // has no name until then, where the file system allows that
};

class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  // Creates the file in the folder of `path`, under the name `beside`; what had that name is
  // removed. A regular file at `path` limits the permissions.
  UnfinishedFile(const std::string& path, std::string beside,
                 const UnfinishedOptions& options = {});
  // The same for a name in an open folder.
  UnfinishedFile(int folder, std::string name, std::string beside,
                 const UnfinishedOptions& options = {});
  // Removes the file unless it is finished, in the process that created it.
  ~UnfinishedFile() { Close(); }
  UnfinishedFile(UnfinishedFile&& other) noexcept { *this = std::move(other); }
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // For writing; negative if the file could not be created.
  [[nodiscard]] int descriptor() const { return file_; }
  // Why not.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  // Gives the file its name and, if that was a file of this user, the permissions of that file,
  // except that no other user may write who may not write to new files. Returns what went wrong;
  // empty if nothing did.
  std::string Finish();

 private:
  void Create(const UnfinishedOptions& options);
  void Close();

  std::string name_, beside_, problem_;
  int folder_ = -1;
  int file_ = -1;
  int owner_ = -1;          // the process that created it
  unsigned kept_mode_ = 0;  // permissions that it takes from the file at its name
  bool is_durable_ = false;
  bool has_name_ = false;  // the file is at `beside_`
};

}  // namespace halo

#endif  // HALO_BASE_IO_UNFINISHED_FILE_H_
