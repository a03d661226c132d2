// Opening a file, whatever it turns out to be: its kind is decided by what it holds, its modules are
// read, and everything that was wrong with it is collected. What to show of it is the caller's.
#ifndef HALO_API_DOCUMENT_H_
#define HALO_API_DOCUMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/base/diagnostic.h"
#include "halo/base/source_buffer.h"
#include "halo/ir/module.h"

namespace halo {

struct OpenOptions {
  int threads = 1;
};

struct DocumentModule {
  Module module;
  Diagnostics diagnostics;
};

struct Document {
  std::string path;
  std::vector<DocumentModule> modules;
  Diagnostics diagnostics;  // of the file as a whole
};

// "-" is standard input. Never fails: what went wrong stands in the diagnostics.
Document OpenDocument(const std::string& path, const OpenOptions& options = {});

}  // namespace halo

#endif  // HALO_API_DOCUMENT_H_
