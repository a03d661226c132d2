// The result of `halo memory` as users see it, in every front end.
#ifndef HALO_API_MEMORY_MEMORY_DOCUMENT_H_
#define HALO_API_MEMORY_MEMORY_DOCUMENT_H_

#include <string>

#include "halo/api/memory/memory.h"
#include "haloscope/memory.h"

namespace halo {

v0::MemoryResult MemoryDocument(const MemoryResult& result);
v0::MemoryAdvice MemoryAdviceOf(const Advice& advice);
// With `top` rows in its lists.
std::string MemoryJson(const MemoryResult& result, size_t top);

}  // namespace halo

#endif  // HALO_API_MEMORY_MEMORY_DOCUMENT_H_
