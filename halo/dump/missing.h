// Determines what a module of a dump lacks, the possible reasons, and which XLA flag would have
// written it.
#ifndef HALO_DUMP_MISSING_H_
#define HALO_DUMP_MISSING_H_

#include "halo/dump/dump.h"

namespace halo {

// Files that queries need come first.
std::vector<MissingPiece> FindMissing(const Dump& dump, const DumpModule& module);

}  // namespace halo

#endif  // HALO_DUMP_MISSING_H_
