// Writes results to files: completely or not at all, compressed if the name ends with .gz.
#ifndef TOOLS_HALO_SESSION_OUTPUT_FILE_H_
#define TOOLS_HALO_SESSION_OUTPUT_FILE_H_

#include <functional>
#include <string>
#include <string_view>

#include "tools/halo/session/session.h"

namespace halo::tool {

// Passes pieces of the file to its argument; false if that rejected one.
using Producer = std::function<bool(const std::function<bool(std::string_view)>&)>;

// For results too large for one string: like WriteFile, but piece by piece and never compressed.
bool WriteFileInPieces(const std::string& path, const Producer& produce, Session& session);

// The path where a process keeps a file until it is complete.
std::string HalfWritten(const std::string& path, int pid);
// Its name in the folder.
std::string NameBeside(const std::string& path, int pid);

// Writes to an open file, which stays open.
bool WriteDescriptor(int file, const Producer& produce);
// False for standard output, also by a name such as /dev/stdout, devices and pipes, which are
// written in place.
bool IsReplaced(const std::string& path);
// Prints the reason, and returns false.
bool CannotWrite(const std::string& path, std::string_view why, Session& session);

// "-" is standard output, which takes nothing if the command prints JSON. False, after printing the
// reason, if it could not be written.
bool WriteFile(const std::string& path, std::string_view bytes, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_OUTPUT_FILE_H_
