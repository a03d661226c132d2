// Compiles the modules of a file and writes the documents about them.
#ifndef HALO_ENGINE_COMPILE_DOCUMENTS_H_
#define HALO_ENGINE_COMPILE_DOCUMENTS_H_

#include "halo/api/run/compiled_documents.h"

namespace halo {

CompileResult CompileDocuments(const CompileRequest& request);

}  // namespace halo

#endif  // HALO_ENGINE_COMPILE_DOCUMENTS_H_
