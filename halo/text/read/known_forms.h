// Checks attributes that a module keeps as text and that few commands interpret: statistics,
// result_accuracy, origin, domain and sparsity. Their meaning is read where it is needed.
#ifndef HALO_TEXT_READ_KNOWN_FORMS_H_
#define HALO_TEXT_READ_KNOWN_FORMS_H_

#include <string_view>

#include "halo/ir/attributes/attr.h"

namespace halo {

enum class FormFault : uint8_t {
  kNone,
  kUnknown,        // a form that this version does not know
  kContradiction,  // a known form whose parts do not fit together
};

// kNone for keys whose values are not checked.
FormFault CheckForm(AttrKey key, std::string_view text);

}  // namespace halo

#endif  // HALO_TEXT_READ_KNOWN_FORMS_H_
