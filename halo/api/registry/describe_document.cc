// Flattens the models of the registry into rows.
#include "halo/api/registry/describe_document.h"

#include "halo/api/registry/all_documents.h"
#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/describe/tables.h"

namespace halo {
namespace {

documents::DescribedType TypeOf(const describe::DocumentModel& model) {
  documents::DescribedType type{.name = model.schema, .made_by = model.made_by, .fields = {}};
  for (const describe::FieldRow& row : describe::FieldRows(model.type)) {
    type.fields.push_back({row.path, row.type, row.meaning});
  }
  return type;
}

}  // namespace

Result<documents::DescribeResult> Describe(std::string_view name) {
  documents::DescribeResult result;
  for (const describe::DocumentModel& each : AllDocuments()) {
    if (name.empty() || IsCalled(each, name)) result.documents.push_back(TypeOf(each));
  }
  for (const describe::DocumentModel& each : AllRequests()) {
    if (name.empty() || IsCalled(each, name)) result.requests.push_back(TypeOf(each));
  }
  if (result.documents.empty() && result.requests.empty()) {
    return MakeBinaryDiagnostic(diag::kCannotOpen, 0,
                                "no document or request is called " + std::string(name));
  }
  return result;
}

}  // namespace halo
