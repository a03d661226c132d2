// The diagnostic codes of all layers in one list.
#ifndef HALO_API_DOCUMENT_ALL_DIAGNOSTICS_H_
#define HALO_API_DOCUMENT_ALL_DIAGNOSTICS_H_

#include <cstdint>
#include <span>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

std::span<const DiagCode> AllDiagnostics();

// The code with this DiagCode::id(); null if there is none.
const DiagCode* FindDiagnostic(uint32_t id);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_ALL_DIAGNOSTICS_H_
