// The result of `halo diff --recompiles` as users see it, in every front end.
#ifndef HALO_API_RECOMPILES_RECOMPILES_DOCUMENT_H_
#define HALO_API_RECOMPILES_RECOMPILES_DOCUMENT_H_

#include <string>

#include "halo/api/recompiles/recompiles.h"
#include "haloscope/recompiles.h"

namespace halo {

v0::RecompilesResult RecompilesDocument(const RecompileResult& result, const std::string& path);
std::string RecompilesJson(const RecompileResult& result, const std::string& path);

}  // namespace halo

#endif  // HALO_API_RECOMPILES_RECOMPILES_DOCUMENT_H_
