// Compiled objects in a folder, one file per key. Any number of processes may use the folder
// concurrently; any failure only costs a recompilation. The caller decides what a key contains.
#ifndef HALO_CODEGEN_JIT_OBJECT_CACHE_H_
#define HALO_CODEGEN_JIT_OBJECT_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace halo {

class ObjectCache {
 public:
  static constexpr uint64_t kDefaultBytes = uint64_t{1} << 30;

  // An empty folder name disables the cache.
  explicit ObjectCache(std::string dir, uint64_t max_bytes = kDefaultBytes);

  // Returns nullopt if there is no entry for the key, or if the entry is damaged or another key's;
  // `rejected` is set in the latter cases.
  std::optional<std::string> Load(std::string_view key, bool& rejected) const;
  void Store(std::string_view key, std::string_view object) const;
  // Removes the oldest entries until the rest fits, and temporary files left behind by writers that
  // died.
  void Trim() const;

 private:
  [[nodiscard]] std::string PathOf(std::string_view key) const;
  std::string dir_;
  uint64_t max_bytes_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_JIT_OBJECT_CACHE_H_
