// Arrays that the caller of a run holds in memory, accessed like the members of an archive.
#ifndef HALO_API_INPUTS_GIVEN_ARRAYS_H_
#define HALO_API_INPUTS_GIVEN_ARRAYS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "halo/base/arrays/npz.h"
#include "halo/base/diagnostics/result.h"
#include "halo/eval/lanes/array.h"

namespace halo {

struct InputArray {
  std::string name;  // as in an archive: "in_0", "in_0_d3", or a parameter's name
  Array array;
};

class GivenArrays {
 public:
  // `arrays` must outlive this object and everything read from it.
  explicit GivenArrays(std::span<const InputArray> arrays) : arrays_(arrays) {}

  [[nodiscard]] size_t size() const { return arrays_.size(); }
  [[nodiscard]] std::string_view name(size_t i) const { return arrays_[i].name; }
  [[nodiscard]] Result<NpyHeader> Describe(size_t i) const;
  [[nodiscard]] Result<NpyArray> Read(size_t i) const;

 private:
  std::span<const InputArray> arrays_;
};

}  // namespace halo

#endif  // HALO_API_INPUTS_GIVEN_ARRAYS_H_
