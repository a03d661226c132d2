// Archives that inputs are read from: decides which array is meant for which parameter on which
// device. Whether it fits is checked elsewhere; arrays are read only on demand.
#ifndef HALO_API_INPUTS_INPUT_ARCHIVES_H_
#define HALO_API_INPUTS_INPUT_ARCHIVES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "halo/api/inputs/array_names.h"
#include "halo/api/inputs/given_arrays.h"
#include "halo/base/arrays/npz.h"
#include "halo/base/arrays/safetensors.h"
#include "halo/base/diagnostics/diagnostic.h"
#include "halo/base/io/source_buffer.h"
#include "halo/eval/lanes/array.h"

namespace halo {

class InputArchives {
 public:
  // One array of an archive, with the contents of its header.
  struct Found {
    size_t archive = SIZE_MAX;
    size_t member = 0;
    NpyHeader header;
    [[nodiscard]] bool empty() const { return archive == SIZE_MAX; }
  };

  // `names` are the names of the leaves; `abouts` are the descriptions used in messages.
  InputArchives(std::vector<std::string> names, std::vector<std::string> abouts, int64_t devices,
                Diagnostics& diagnostics);

  // Opens the files and matches all their arrays as well as those in memory.
  void Open(std::span<const std::string> files, std::span<const InputArray> arrays);

  // What was found for a leaf: first for all devices, then for each device.
  [[nodiscard]] const std::vector<Found>& FoundFor(size_t leaf) const { return found_[leaf]; }
  // "in.npz: in_3"
  [[nodiscard]] std::string TextOf(const Found& found) const;
  [[nodiscard]] const std::string& PathOf(const Found& found) const {
    return archives_[found.archive].path;
  }
  // The caller has checked the header. If the array cannot be read, reports the reason and returns
  // an empty array.
  [[nodiscard]] Array Read(const Found& found, ElementType type);

 private:
  struct Archive {
    std::string path;
    SourceBuffer source;
    std::variant<NpzReader, SafetensorsReader, GivenArrays> reader;

    [[nodiscard]] size_t size() const;
    [[nodiscard]] std::string_view name(size_t member) const;
    [[nodiscard]] Result<NpyHeader> Describe(size_t member) const;
    [[nodiscard]] Result<NpyArray> Read(size_t member) const;
  };

  void Match(size_t archive, size_t member);
  [[nodiscard]] std::optional<ArrayName> NameToLeaf(std::string_view name) const;
  void Fail(DiagCode code, std::string message);
  void FailIn(const std::string& path, Diagnostic why);

  std::unordered_map<std::string, size_t> by_name_;
  std::vector<std::string> abouts_;
  int64_t devices_;
  Diagnostics& diagnostics_;
  std::vector<Archive> archives_;
  std::vector<std::vector<Found>> found_;
};

}  // namespace halo

#endif  // HALO_API_INPUTS_INPUT_ARCHIVES_H_
