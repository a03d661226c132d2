// `halo check` of a whole dump: which files are checked, and each of them together with the files
// that it belongs to. Files are opened one at a time; the caller decides on threads and printing.
#ifndef HALO_API_CHECK_CHECK_DUMP_H_
#define HALO_API_CHECK_CHECK_DUMP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "halo/api/check/check_document.h"
#include "halo/dump/dump.h"
#include "halo/dump/select.h"

namespace halo {

// A file that contains modules, the pieces of an assignment, or a module with its assignment.
// Numbers are indices in Dump::files.
struct DumpCheckItem {
  std::optional<int32_t> module;
  bool reports_module = false;  // false: the module is only read, for its assignment
  std::vector<int32_t> pieces;
};

struct DumpCheckOptions {
  // Check only these stages; empty: check everything.
  std::vector<Chosen> only;
  // The modules of a capture are checked with it, which keeps the line numbers of the capture.
  // This checks them one by one.
  bool framed_modules = false;
};

// Every module and every assignment, in the order of their paths.
std::vector<DumpCheckItem> ListDumpChecks(const Dump& dump, const DumpCheckOptions& options = {});

// One result for each file of the item. An assignment is checked against its module if that could
// be read.
std::vector<CheckedFile> CheckDumpItem(const DumpCheckItem& item, const CheckOptions& options,
                                       const Dump& dump);

}  // namespace halo

#endif  // HALO_API_CHECK_CHECK_DUMP_H_
