// The role of a file in a dump directory. FileKind is the type of its bytes; FileRole is its
// purpose in the dump, which usually follows from its name.
#ifndef HALO_DUMP_FILE_ROLE_H_
#define HALO_DUMP_FILE_ROLE_H_

#include <cstdint>
#include <string_view>

namespace halo {

enum class FileRole : uint8_t {
#define HALO_FILE_ROLE(name, text, what, flag) k##name,
#include "halo/dump/file_roles.def"
};

std::string_view TextOf(FileRole file_role);
// The XLA flag that enables the file, besides --xla_dump_to; empty if none is needed.
std::string_view FlagOf(FileRole file_role);

}  // namespace halo

#endif  // HALO_DUMP_FILE_ROLE_H_
