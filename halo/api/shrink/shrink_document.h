// A shrink request for a document: the small module as text in the style it was read in, and the
// report as JSON.
#ifndef HALO_API_SHRINK_SHRINK_DOCUMENT_H_
#define HALO_API_SHRINK_SHRINK_DOCUMENT_H_

#include <string>

#include "halo/api/document/document.h"
#include "halo/shrink/shrink.h"

namespace halo {

// Schema halo.shrink.v1.
std::string ShrinkJson(const Document& document, const ShrinkResult& result);

// The module of a successful shrink.
std::string ShrunkText(const ShrinkResult& result);

}  // namespace halo

#endif  // HALO_API_SHRINK_SHRINK_DOCUMENT_H_
