// Copying bytes; past the caches where they are too many to be read again from there.
#ifndef HALO_DEVICES_COMBINE_STREAM_COPY_H_
#define HALO_DEVICES_COMBINE_STREAM_COPY_H_

#include <cstddef>
#include <cstdint>

namespace halo {

// The memory does not overlap. Streamed bytes are ordered by EndStream.
void CopyBytes(uint8_t* to, const uint8_t* from, size_t bytes, bool stream);
// Before others are told that what was streamed is there.
void EndStream();

}  // namespace halo

#endif  // HALO_DEVICES_COMBINE_STREAM_COPY_H_
