// Opens a file of any kind that XLA dumps: HLO text of every generation, HloProto, captured logs,
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
  int threads = 1;  // threads that read one text
};

class HALO_EXPORT Document {
 public:
  Document() = default;  // empty: no path, no modules

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] std::string_view kind() const;  // "hlo-text", "hlo-proto", "buffer-assignment", ...
  [[nodiscard]] uint64_t byte_size() const;     // after decompression
  // True if it was read without errors.
  [[nodiscard]] bool ok() const;
  // Problems of the file as a whole, then of each module, in text order.
  [[nodiscard]] std::vector<Diagnostic> diagnostics() const;
  [[nodiscard]] std::vector<ModuleView> modules() const;

  // For the library's own functions.
  [[nodiscard]] const std::shared_ptr<const DocumentState>& state() const { return state_; }
  explicit Document(std::shared_ptr<const DocumentState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const DocumentState> state_;
};

// These functions never fail: problems are reported in the diagnostics. A path may lead into a tar
// archive ("dump.tar/module_0000.jit_step.before_optimizations.txt").
HALO_EXPORT Document OpenPath(const std::string& path, const OpenRequest& request = {});
// The bytes are copied. `name` is the name used in diagnostics.
HALO_EXPORT Document OpenBytes(std::string_view bytes, const std::string& name,
                               const OpenRequest& request = {});

// The files next to an opened path that XLA writes about the same program's memory: its buffer
// assignment, live ranges, or its module. For MemoryRequest::related.
HALO_EXPORT std::vector<Document> OpenRelated(const Document& document,
                                              const OpenRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_DOCUMENT_H_
