// `halo check` through the public interface.
#include "haloscope/check.h"

#include "halo/api/check/check_result.h"
#include "halo/describe/write_json.h"
#include "halo/public/document_state.h"
#include "halo/view/model/view_request.h"

namespace halo::v0 {

std::string CheckResult::ToJson() const { return describe::DocumentJson(*this); }

std::string CheckResult::ToSarif() const { return CheckSarif(*this); }

CheckResult Check(const Document& document, const CheckRequest& request) {
  const CheckedFile file = view::CheckOf(*OpenedFile(document), OptionsOf(request));
  return CheckResultOf({&file, 1});
}

}  // namespace halo::v0
