// What is wrong with a file, as `halo check` reports it: what its reader could not make sense of,
// and which rules its modules break.
#ifndef HALO_API_CHECK_CHECK_DOCUMENT_H_
#define HALO_API_CHECK_CHECK_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/semantics/rules/finding.h"

namespace halo {

struct CheckNote {
  Diagnostic diagnostic;  // of a rule: all but its code
  std::optional<Rule> rule;
  std::string computation, instruction;  // what a rule is about; empty if about the whole

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
  bool unreadable = false;       // it could not be opened, or holds nothing that halo reads
  std::vector<CheckNote> notes;  // by place
};

struct CheckOptions {
  OpenOptions open;
  bool warnings = true;
  bool rules = true;  // false: only what the reader finds
};

CheckedFile CheckFile(const std::string& path, const CheckOptions& options = {});
// Lines can only be told of a document that kept its source.
CheckedFile CheckDocument(const Document& document, const CheckOptions& options = {});

// Schema halo.check.v1.
std::string CheckJson(std::span<const CheckedFile> files);
// SARIF 2.1.0, which code-review tools show beside the lines.
std::string CheckSarif(std::span<const CheckedFile> files);
// Every rule and diagnostic code with its severity and what to do; schema halo.rules.v1.
std::string RulesJson();

}  // namespace halo

#endif  // HALO_API_CHECK_CHECK_DOCUMENT_H_
