// A dump directory as JSON, schema halo.ls.v1.
#ifndef HALO_API_INFO_DUMP_JSON_H_
#define HALO_API_INFO_DUMP_JSON_H_

#include <string>

#include "halo/dump/dump.h"

namespace halo {

// With `all_files`, those of modules too, and not only those that belong to none.
std::string DumpJson(const Dump& dump, bool all_files);

}  // namespace halo

#endif  // HALO_API_INFO_DUMP_JSON_H_
