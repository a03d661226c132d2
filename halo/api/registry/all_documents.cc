// One row for each document and request.
#include "halo/api/registry/all_documents.h"

#include <string>
#include <vector>

#include "halo/api/check/rules_document.h"
#include "halo/api/registry/describe_document.h"
#include "haloscope/check.h"
#include "haloscope/info.h"
#include "haloscope/memory.h"
#include "haloscope/time.h"

namespace halo {
namespace {

using describe::DocumentModel;

template <describe::IsDocument T>
DocumentModel Document(std::string_view made_by) {
  return {std::string(T::kSchema), std::string(made_by), describe::ModelOf<T>()};
}

template <describe::Described T>
DocumentModel Request(std::string_view command) {
  return {std::string(command), "halo " + std::string(command), describe::ModelOf<T>()};
}

}  // namespace

std::span<const DocumentModel> AllDocuments() {
  static const std::vector<DocumentModel> kAll = {
      Document<documents::DescribeResult>("halo describe --json [NAME]"),
      Document<v0::CheckResult>("halo check --json FILE..."),
      Document<documents::RulesResult>("halo check --rules --json"),
      Document<v0::InfoResult>("halo info --json FILE..."),
      Document<v0::MemoryResult>("halo memory --json FILE..."),
      Document<v0::TimeResult>("halo time --json FILE..."),
  };
  return kAll;
}

std::span<const DocumentModel> AllRequests() {
  static const std::vector<DocumentModel> kAll = {
      Request<v0::CheckRequest>("check"),
      Request<v0::InfoRequest>("info"),
      Request<v0::MemoryRequest>("memory"),
      Request<v0::TimeRequest>("time"),
  };
  return kAll;
}

const DocumentModel* FindDocument(std::string_view name) {
  for (const DocumentModel& each : AllDocuments()) {
    const std::string_view schema = each.schema;
    if (schema == name || schema.starts_with("halo." + std::string(name) + ".")) return &each;
  }
  return nullptr;
}

}  // namespace halo
