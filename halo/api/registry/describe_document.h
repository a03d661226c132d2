// The result of `halo describe`: documents and requests with their fields.
#ifndef HALO_API_REGISTRY_DESCRIBE_DOCUMENT_H_
#define HALO_API_REGISTRY_DESCRIBE_DOCUMENT_H_

#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "haloscope/parts.h"

namespace halo::documents {

struct DescribedField {
  std::string path, type, meaning;
};

template <class V>
void Fields(V& v, DescribedField& r) {
  v("path", r.path,
    "from the document: `largest[].bytes`; `[]` is each element, `{}` each value of an object");
  v("type", r.type, "one that ends in `?` may be absent");
  v("meaning", r.meaning, "");
}

struct DescribedType {
  std::string name, made_by;
  std::vector<DescribedField> fields;
};

template <class V>
void Fields(V& v, DescribedType& r) {
  v("name", r.name, "the schema of a document; the command of a request");
  v("made_by", r.made_by, "the command that prints it, or takes it");
  v("fields", r.fields, "an object's fields follow it");
}

struct DescribeResult : v0::ResultParts {
  static constexpr std::string_view kSchema = "halo.describe.v1";
  std::vector<DescribedType> documents, requests;
};

template <class V>
void Fields(V& v, DescribeResult& r) {
  Fields(v, static_cast<v0::ResultParts&>(r));
  v("documents", r.documents, "what commands print with `--json`");
  v("requests", r.requests, "what front ends take as JSON, and the command as options");
}

}  // namespace halo::documents

namespace halo {

// All documents and requests, or those with this name: "memory", "halo.memory.v2". An error if
// there are none.
Result<documents::DescribeResult> Describe(std::string_view name);

}  // namespace halo

#endif  // HALO_API_REGISTRY_DESCRIBE_DOCUMENT_H_
