// Compiled objects in a folder, one file per key. Any number of processes may use the folder
// concurrently; any failure only costs a recompilation. The caller decides what a key contains.
#ifndef HALO_CODEGEN_JIT_OBJECT_CACHE_H_
#define HALO_CODEGEN_JIT_OBJECT_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "halo/base/io/private_folder.h"

namespace halo {

class ObjectCache {
 public:
  static constexpr uint64_t kDefaultBytes = uint64_t{1} << 30;

  // An empty folder name disables the cache. So does a folder that other users may write to.
  explicit ObjectCache(std::string dir, uint64_t max_bytes = kDefaultBytes);

  // Why the folder is not used; empty if it is, or if there is none.
  [[nodiscard]] const std::string& problem() const { return folder_.problem(); }

  // Returns nullopt if there is no entry for the key, or if the entry is damaged, another key's, a
  // link, or a file that another user could have written; `rejected` is set in the latter cases.
  std::optional<std::string> Load(std::string_view key, bool& rejected) const;
  void Store(std::string_view key, std::string_view object) const;
  // Removes the oldest entries until the rest fits, and temporary files left behind by writers that
  // died.
  void Trim() const;

 private:
  static std::string NameOf(std::string_view key);
  std::string dir_;
  uint64_t max_bytes_;
  PrivateFolder folder_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_JIT_OBJECT_CACHE_H_
