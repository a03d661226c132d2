// `halo info` through the public interface.
#include "haloscope/info.h"

#include "halo/api/describe/result_parts.h"
#include "halo/api/info/info_document.h"
#include "halo/describe/write_json.h"
#include "halo/public/document_state.h"

namespace halo::v0 {

std::string InfoResult::ToJson() const { return describe::DocumentJson(*this); }

InfoResult Info(const Document& document, const InfoRequest& request) {
  const halo::Result<InfoOptions> options = RequestOf(request);
  if (!options.ok()) {
    InfoResult refused;
    refused.diagnostics.push_back(PublicDiagnostic(options.error(), document.path()));
    return refused;
  }
  const FileInfo info = DescribeFile(*OpenedFile(document), *options);
  return InfoDocument({&info, 1});
}

}  // namespace halo::v0
