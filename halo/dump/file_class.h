// What a file of a dump directory is for. FileKind says what its bytes are; this says which place
// it has in the dump, which mostly its name tells.
#ifndef HALO_DUMP_FILE_CLASS_H_
#define HALO_DUMP_FILE_CLASS_H_

#include <cstdint>
#include <string_view>

namespace halo {

enum class FileClass : uint8_t {
#define HALO_FILE_CLASS(name, text, what, flag) k##name,
#include "halo/dump/file_classes.def"
};

std::string_view TextOf(FileClass file_class);
std::string_view DescribeClass(FileClass file_class);
// The flag that has XLA write it, beyond --xla_dump_to; empty if none is needed.
std::string_view FlagOf(FileClass file_class);

}  // namespace halo

#endif  // HALO_DUMP_FILE_CLASS_H_
