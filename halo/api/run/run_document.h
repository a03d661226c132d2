// The result of `halo run` as users see it, in every front end.
#ifndef HALO_API_RUN_RUN_DOCUMENT_H_
#define HALO_API_RUN_RUN_DOCUMENT_H_

#include <string>

#include "halo/api/run/run.h"
#include "haloscope/run.h"

namespace halo {

// Without the arrays themselves.
v0::RunResult RunDocument(const RunResult& result);
std::string RunJson(const RunResult& result);

}  // namespace halo

#endif  // HALO_API_RUN_RUN_DOCUMENT_H_
