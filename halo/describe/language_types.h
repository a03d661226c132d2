// The types of other languages that documents and requests have: TypeScript for the viewer and the
// extension of editors, Python for the package.
#ifndef HALO_DESCRIBE_LANGUAGE_TYPES_H_
#define HALO_DESCRIBE_LANGUAGE_TYPES_H_

#include <span>
#include <string>

#include "halo/describe/type_model.h"

namespace halo::describe {

// One interface for each struct; documents also have their schema.
std::string TypeScriptTypes(std::span<const DocumentModel> documents,
                            std::span<const DocumentModel> requests);

// One class for each struct, and a TypedDict for each request.
std::string PythonTypes(std::span<const DocumentModel> documents,
                        std::span<const DocumentModel> requests);

}  // namespace halo::describe

#endif  // HALO_DESCRIBE_LANGUAGE_TYPES_H_
