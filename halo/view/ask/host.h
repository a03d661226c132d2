// The documents that a viewer has open, by number, and the single entry point for requests about
// them. The WebAssembly module, `halo view` and `halo ask` are all built on this. Not thread-safe.
#ifndef HALO_VIEW_ASK_HOST_H_
#define HALO_VIEW_ASK_HOST_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "halo/api/document/document.h"
#include "halo/base/diagnostics/result.h"
#include "halo/base/io/source_buffer.h"
#include "halo/base/json/json_reader.h"
#include "halo/view/compare/program_pair.h"
#include "halo/view/model/view.h"

namespace halo::view {

class ViewHost {
 public:
  // Never returns 0. An unreadable file becomes a document whose `info` says why.
  uint32_t Open(Result<SourceBuffer> source, std::string name);
  // The same for a document that was opened with its source kept.
  uint32_t Open(std::shared_ptr<const Document> document);
  void Close(uint32_t document);
  // From here on both describe one program. Returns false if one of them is not open.
  bool Pair(uint32_t document, uint32_t with);
  // Takes the request as JSON and returns the result as a block (response.h). `against` is the
  // document to compare with; 0: the one that the request names.
  std::string Ask(uint32_t document, std::string_view request, uint32_t against = 0);
  // What answers questions about the document and those paired with it; null if it is not open.
  View* ViewOf(uint32_t document);

 private:
  struct Opened {
    std::shared_ptr<const Document> document;
    std::shared_ptr<View> view;
  };

  // The programs that were compared last; kept because views ask about the same two again.
  struct Compared {
    std::shared_ptr<View> before, after;
    std::unique_ptr<ProgramPair> pair;
  };

  // Null if one of them has no module.
  ProgramPair* PairOf(const std::shared_ptr<View>& before, const std::shared_ptr<View>& after,
                      const JsonValue& parameters);

  std::map<uint32_t, Opened> opened_;
  Compared compared_;
  uint32_t last_ = 0;
};

}  // namespace halo::view

#endif  // HALO_VIEW_ASK_HOST_H_
