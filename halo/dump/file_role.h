// What a file of a dump directory is for. FileKind says what its bytes are; this says which place
// it has in the dump, which mostly its name tells.
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
std::string_view DescribeClass(FileRole file_role);
// The flag that has XLA write it, beyond --xla_dump_to; empty if none is needed.
std::string_view FlagOf(FileRole file_role);

}  // namespace halo

#endif  // HALO_DUMP_FILE_ROLE_H_
