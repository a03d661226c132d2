// Writing results to files: whole or not at all, compressed if the name ends in .gz.
#ifndef TOOLS_HALO_SESSION_OUTPUT_FILE_H_
#define TOOLS_HALO_SESSION_OUTPUT_FILE_H_

#include <functional>
#include <string>
#include <string_view>

#include "tools/halo/session/session.h"

namespace halo::tool {

// Hands pieces of the file to what it is given; false if that refused one.
using Producer = std::function<bool(const std::function<bool(std::string_view)>&)>;

// For results too large for one string: as WriteFile, piece by piece and never compressed.
bool WriteFileInPieces(const std::string& path, const Producer& produce, Session& session);

// Where a process keeps a file until it is whole.
std::string HalfWritten(const std::string& path, int pid);

// "-" is standard output. False, with the reason said, if it could not be written.
bool WriteFile(const std::string& path, std::string_view bytes, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_OUTPUT_FILE_H_
