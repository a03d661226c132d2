// Groups files into modules with stages, by name.
#ifndef HALO_DUMP_GROUP_H_
#define HALO_DUMP_GROUP_H_

#include <string_view>
#include <vector>

#include "halo/dump/dump.h"
#include "halo/dump/dump_name.h"

namespace halo {

// True for a compiler's input file, stored in a folder named after its module.
bool IsReproducer(std::string_view path);

// Fills dump.modules and dump.ranks, and records for each file where it belongs. Sorts the files;
// `names` are those of dump.files.
void GroupFiles(std::vector<DumpName>& names, Dump& dump);

}  // namespace halo

#endif  // HALO_DUMP_GROUP_H_
