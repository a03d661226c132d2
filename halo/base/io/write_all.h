// Writes all bytes to a file descriptor. What a failed write means is left to the caller.
#ifndef HALO_BASE_IO_WRITE_ALL_H_
#define HALO_BASE_IO_WRITE_ALL_H_

#include <string_view>

namespace halo {

// False if the other end is gone or the file cannot be written.
bool WriteAll(int file, std::string_view bytes);

}  // namespace halo

#endif  // HALO_BASE_IO_WRITE_ALL_H_
