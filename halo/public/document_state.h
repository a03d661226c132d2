// What a public Document and its views share: the opened file, and tables derived from its modules
// on first use.
#ifndef HALO_PUBLIC_DOCUMENT_STATE_H_
#define HALO_PUBLIC_DOCUMENT_STATE_H_

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "halo/analysis/graph/users.h"
#include "halo/api/describe/result_parts.h"
#include "halo/api/document/document.h"
#include "halo/api/run/run.h"
#include "halo/eval/context/eval_options.h"
#include "haloscope/diagnostics.h"
#include "haloscope/document.h"
#include "haloscope/numbers.h"
#include "haloscope/run.h"

namespace halo::v0 {

struct DocumentState {
  explicit DocumentState(halo::Document opened);

  // Built by the first caller; views may be used from several threads.
  [[nodiscard]] const Users& UsersOf(uint32_t module) const;

  std::shared_ptr<const halo::Document> document;
  bool is_file = false;  // opened by path

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Users>> users_;  // by module
};

// The opened file of a document; an empty one if it was default-constructed.
const std::shared_ptr<const halo::Document>& OpenedFile(const Document& document);

// Run, where another thread may watch the reference engine and stop it. `progress` may be null.
RunResult RunWatched(const Document& document, const RunRequest& request, EvalProgress* progress);
// The same for Numbers.
NumbersResult NumbersWatched(const Document& before, const Document& after,
                             const ExecutionRequest& request, EvalProgress* progress);

// All diagnostics of a file, in the order of halo::Document::AllDiagnostics.
std::vector<Diagnostic> PublicDiagnostics(const halo::Document& document);

}  // namespace halo::v0

#endif  // HALO_PUBLIC_DOCUMENT_STATE_H_
