// From files with names to modules with stages.
#ifndef HALO_DUMP_GROUP_H_
#define HALO_DUMP_GROUP_H_

#include <string_view>
#include <vector>

#include "halo/dump/dump.h"
#include "halo/dump/dump_name.h"

namespace halo {

// True for what a compiler was given, in a folder named as its module is.
bool IsReproducer(std::string_view path);

// Fills dump.modules and dump.ranks, and says for each file to which it belongs. Sorts the files;
// `names` are those of dump.files.
void GroupFiles(std::vector<DumpName>& names, Dump& dump);

}  // namespace halo

#endif  // HALO_DUMP_GROUP_H_
