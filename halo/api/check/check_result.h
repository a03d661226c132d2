// The result of `halo check` as users see it, and its request, in every front end.
#ifndef HALO_API_CHECK_CHECK_RESULT_H_
#define HALO_API_CHECK_CHECK_RESULT_H_

#include <span>
#include <string>
#include <string_view>

#include "halo/api/check/check_document.h"
#include "haloscope/check.h"

namespace halo {

v0::Diagnostic PublicNote(const CheckNote& note, std::string_view path);
v0::CheckResult CheckResultOf(std::span<const CheckedFile> files);

std::string CheckJson(std::span<const CheckedFile> files);
// SARIF 2.1.0, which code-review tools display next to the lines.
std::string CheckSarif(const v0::CheckResult& result);

CheckOptions OptionsOf(const v0::CheckRequest& asked);

}  // namespace halo

#endif  // HALO_API_CHECK_CHECK_RESULT_H_
