// Every document that a command prints and every request that it takes, with their descriptions.
#ifndef HALO_API_REGISTRY_ALL_DOCUMENTS_H_
#define HALO_API_REGISTRY_ALL_DOCUMENTS_H_

#include <span>
#include <string_view>

#include "halo/describe/type_model.h"

namespace halo {

std::span<const describe::DocumentModel> AllDocuments();
std::span<const describe::DocumentModel> AllRequests();

// Whether this is its schema, or the name in it: "halo.memory.v2" or "memory".
bool IsCalled(const describe::DocumentModel& document, std::string_view name);
// The document of that name. Null if there is none.
const describe::DocumentModel* FindDocument(std::string_view name);

}  // namespace halo

#endif  // HALO_API_REGISTRY_ALL_DOCUMENTS_H_
