// A dump directory as JSON, schema halo.ls.v1.
#ifndef HALO_API_INFO_DUMP_JSON_H_
#define HALO_API_INFO_DUMP_JSON_H_

#include <string>

#include "halo/dump/dump.h"

namespace halo {

// `all_files` includes the files of modules; otherwise only files that belong to no module are
// listed.
std::string DumpJson(const Dump& dump, bool all_files);

}  // namespace halo

#endif  // HALO_API_INFO_DUMP_JSON_H_
