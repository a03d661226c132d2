// What is wrong with a file, as `halo check` reports it: what its reader could not parse, and which
// rules its modules break.
#ifndef HALO_API_CHECK_CHECK_DOCUMENT_H_
#define HALO_API_CHECK_CHECK_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/semantics/rules/finding.h"

namespace halo {

struct CheckNote {
  Diagnostic diagnostic;  // for a rule: everything but the code
  std::optional<Rule> rule;
  std::string computation, instruction;  // the rule's subject; empty: the whole module

  [[nodiscard]] std::string_view label() const {
    return rule ? TextOf(*rule) : diagnostic.code.text;
  }
};

struct CheckedFile {
  std::string path;
  FileKind kind = FileKind::kEmpty;
  Compression compression = Compression::kNone;
  uint64_t stored_bytes = 0;
  uint64_t bytes = 0;
  size_t modules = 0;
  size_t errors = 0;
  size_t warnings = 0;
  bool unreadable = false;       // could not be opened, or contains nothing that halo reads
  std::vector<CheckNote> notes;  // by location
};

struct CheckOptions {
  OpenOptions open;
  bool warnings = true;
  bool rules = true;  // false: report only what the reader finds
};

// Verifies the document's modules, and proves its assignment as far as its own text allows.
CheckedFile CheckFile(const std::string& path, const CheckOptions& options = {});
// Line numbers are available only if the document kept its source.
CheckedFile CheckDocument(const Document& document, const CheckOptions& options = {});

}  // namespace halo

#endif  // HALO_API_CHECK_CHECK_DOCUMENT_H_
