// Decompresses Snappy's block format, in which Parquet's pages and Riegeli's chunks are stored.
#ifndef HALO_PROTO_RECORDS_SNAPPY_H_
#define HALO_PROTO_RECORDS_SNAPPY_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace halo {

// Nothing if the bytes are damaged, or would become more than `most`.
std::optional<std::string> Unsnap(std::string_view bytes, size_t most);

}  // namespace halo

#endif  // HALO_PROTO_RECORDS_SNAPPY_H_
