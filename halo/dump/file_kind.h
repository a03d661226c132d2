// What a file is, decided by what it holds; its name counts for nothing.
#ifndef HALO_DUMP_FILE_KIND_H_
#define HALO_DUMP_FILE_KIND_H_

#include <cstdint>
#include <string_view>

namespace halo {

enum class FileKind : uint8_t {
#define HALO_FILE_KIND(name, text, what, instead) k##name,
#include "halo/dump/file_kinds.def"
};

std::string_view TextOf(FileKind kind);
std::string_view DescribeKind(FileKind kind);
// What to give instead where modules were wanted; empty if the kind holds modules.
std::string_view InsteadOf(FileKind kind);
inline bool HoldsModules(FileKind kind) { return InsteadOf(kind).empty(); }

// `bytes` are decompressed already. Looks at no more of them than it takes.
FileKind DetectKind(std::string_view bytes);

}  // namespace halo

#endif  // HALO_DUMP_FILE_KIND_H_
