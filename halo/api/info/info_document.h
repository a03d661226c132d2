// The result of `halo info` as users see it, and its request, in every front end.
#ifndef HALO_API_INFO_INFO_DOCUMENT_H_
#define HALO_API_INFO_INFO_DOCUMENT_H_

#include <span>
#include <string>

#include "halo/api/info/file_info.h"
#include "halo/base/diagnostics/result.h"
#include "haloscope/info.h"

namespace halo {

v0::InfoResult InfoDocument(std::span<const FileInfo> files);
std::string InfoJson(std::span<const FileInfo> files);

// An error if a value cannot be used.
Result<InfoOptions> RequestOf(const v0::InfoRequest& asked);

}  // namespace halo

#endif  // HALO_API_INFO_INFO_DOCUMENT_H_
