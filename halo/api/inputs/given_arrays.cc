// Describes element types as numpy would store them, because parameters are matched by that.
#include "halo/api/inputs/given_arrays.h"

#include "halo/api/inputs/array_file.h"

namespace halo {

Result<NpyHeader> GivenArrays::Describe(size_t i) const {
  const Array& array = arrays_[i].array;
  NpyHeader header;
  header.type = StoredTypeOf(array.type());
  header.dims.assign(array.dims().begin(), array.dims().end());
  header.data_bytes = array.byte_count();
  return header;
}

Result<NpyArray> GivenArrays::Read(size_t i) const {
  const Array& array = arrays_[i].array;
  NpyArray read;
  read.type = StoredTypeOf(array.type());
  read.dims.assign(array.dims().begin(), array.dims().end());
  read.bytes = {array.bytes(), array.byte_count()};
  return read;
}

}  // namespace halo
