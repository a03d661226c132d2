// Gathering what is known about a file's modules.
#include "halo/api/file_info.h"

namespace halo {

FileInfo DescribeFile(const Document& document, const InfoOptions& options) {
  FileInfo info;
  info.path = document.path;
  info.kind = document.kind;
  info.compression = document.compression;
  info.stored_bytes = document.stored_bytes;
  info.bytes = document.bytes;
  info.others = document.others;
  info.errors = document.errors();
  info.warnings = document.warnings();
  for (const Diagnostic* diagnostic : document.AllDiagnostics())
    info.diagnostics.push_back(*diagnostic);
  for (const DocumentModule& module : document.modules) {
    info.modules.push_back(DescribeModule(document, module, options));
  }
  return info;
}

}  // namespace halo
