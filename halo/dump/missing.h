// What a module of a dump lacks, why it may, and which XLA flag would have had it written.
#ifndef HALO_DUMP_MISSING_H_
#define HALO_DUMP_MISSING_H_

#include "halo/dump/dump.h"

namespace halo {

// Those without which a question cannot be answered come first.
std::vector<MissingPiece> FindMissing(const Dump& dump, const DumpModule& module);

}  // namespace halo

#endif  // HALO_DUMP_MISSING_H_
