// A snapshot as a file and as the result of `halo snapshot`, and the request for one.
#ifndef HALO_API_SNAPSHOT_SNAPSHOT_DOCUMENT_H_
#define HALO_API_SNAPSHOT_SNAPSHOT_DOCUMENT_H_

#include <string>
#include <string_view>

#include "halo/api/snapshot/program_snapshot.h"
#include "halo/base/diagnostics/result.h"
#include "haloscope/snapshot.h"

namespace halo {

v0::SnapshotResult SnapshotDocument(const SnapshotResult& result);
std::string SnapshotJson(const SnapshotResult& result);

// The file to commit.
v0::SnapshotFigures FiguresOf(const ProgramSnapshot& snapshot);
std::string SnapshotFileJson(const ProgramSnapshot& snapshot);
// True if the bytes look like one.
bool IsSnapshot(std::string_view bytes);
Result<ProgramSnapshot> ReadSnapshot(std::string_view bytes);

// The request without a program; an error if one of its values cannot be used.
Result<SnapshotRequest> RequestOf(const v0::SnapshotRequest& asked);

}  // namespace halo

#endif  // HALO_API_SNAPSHOT_SNAPSHOT_DOCUMENT_H_
