// The result of `halo diff --run` as users see it, in every front end.
#ifndef HALO_API_NUMBERS_NUMBERS_DOCUMENT_H_
#define HALO_API_NUMBERS_NUMBERS_DOCUMENT_H_

#include <string>

#include "halo/api/numbers/compare_numbers.h"
#include "haloscope/numbers.h"

namespace halo {

v0::NumbersResult NumbersDocument(const NumbersResult& result, const Document& before,
                                  const Document& after);
std::string NumbersJson(const NumbersResult& result, const Document& before, const Document& after);

// The part about two programs that ran.
v0::ComparedPrograms ComparedOf(const NumbersResult& result);

}  // namespace halo

#endif  // HALO_API_NUMBERS_NUMBERS_DOCUMENT_H_
