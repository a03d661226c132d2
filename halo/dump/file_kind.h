// Determines what a file is from its content. The name is ignored.
#ifndef HALO_DUMP_FILE_KIND_H_
#define HALO_DUMP_FILE_KIND_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace halo {

enum class FileKind : uint8_t {
#define HALO_FILE_KIND(name, text, what, instead) k##name,
#include "halo/dump/file_kinds.def"
};

std::string_view TextOf(FileKind kind);
std::vector<std::string_view> FileKindTexts();
std::string_view DescribeKind(FileKind kind);
// What to pass instead where a module was expected; empty if the kind holds modules.
std::string_view InsteadOf(FileKind kind);
// False for files that XLA cannot have dumped.
bool IsDumpKind(FileKind kind);
inline bool HoldsModules(FileKind kind) { return InsteadOf(kind).empty(); }

// `bytes` are already decompressed. Looks at no more of them than necessary.
FileKind DetectKind(std::string_view bytes);

}  // namespace halo

#endif  // HALO_DUMP_FILE_KIND_H_
