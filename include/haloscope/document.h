// Opening a file of any kind that XLA dumps: HLO text of every generation, HloProto, captured logs,
// buffer assignments; plain, gzip or zstd. A document is an immutable value that is cheap to copy
// and may be used from several threads at once.
#ifndef HALOSCOPE_DOCUMENT_H_
#define HALOSCOPE_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "haloscope/diagnostics.h"
#include "haloscope/export.h"
#include "haloscope/module.h"

namespace halo {
HALO_V0_BEGIN

struct OpenRequest {
  int threads = 1;  // that read one text
};

class HALO_EXPORT Document {
 public:
  Document() = default;  // empty: no path, no modules

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] std::string_view kind() const;  // "hlo-text", "hlo-proto", "buffer-assignment", ...
  [[nodiscard]] uint64_t byte_size() const;     // once decompressed
  // True if it was read without errors.
  [[nodiscard]] bool ok() const;
  // What was wrong with the file as a whole, then with each module, in the order of the text.
  [[nodiscard]] std::vector<Diagnostic> diagnostics() const;
  [[nodiscard]] std::vector<ModuleView> modules() const;

  // For the library's own functions.
  [[nodiscard]] const std::shared_ptr<const DocumentState>& state() const { return state_; }
  explicit Document(std::shared_ptr<const DocumentState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const DocumentState> state_;
};

// Neither fails: what went wrong is in the diagnostics. A path may lead into a tar archive
// ("dump.tar/module_0000.jit_step.before_optimizations.txt").
HALO_EXPORT Document OpenPath(const std::string& path, const OpenRequest& request = {});
// The bytes are copied. `name` is what diagnostics call them.
HALO_EXPORT Document OpenBytes(std::string_view bytes, const std::string& name,
                               const OpenRequest& request = {});

// The files beside an opened path that XLA writes about the same program's memory: its buffer
// assignment, live ranges, or its module. For MemoryRequest::related.
HALO_EXPORT std::vector<Document> OpenRelated(const Document& document,
                                              const OpenRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_DOCUMENT_H_
