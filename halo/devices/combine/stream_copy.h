// Copies bytes. Bypasses the caches when there are too many bytes to be read again from there.
#ifndef HALO_DEVICES_COMBINE_STREAM_COPY_H_
#define HALO_DEVICES_COMBINE_STREAM_COPY_H_

#include <cstddef>
#include <cstdint>

namespace halo {

// The two ranges must not overlap. EndStream orders streamed stores.
void CopyBytes(uint8_t* to, const uint8_t* from, size_t bytes, bool stream);
// Call this before telling other processes that streamed data is available.
void EndStream();

}  // namespace halo

#endif  // HALO_DEVICES_COMBINE_STREAM_COPY_H_
