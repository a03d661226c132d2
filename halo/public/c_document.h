// What the handles of the C interface contain, and the single way in which its functions fail.
#ifndef HALO_PUBLIC_C_DOCUMENT_H_
#define HALO_PUBLIC_C_DOCUMENT_H_

#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "halo/eval/context/eval_options.h"
#include "halo/view/ask/host.h"
#include "haloscope/array.h"
#include "haloscope/c.h"
#include "haloscope/document.h"

struct halo_document {
  std::mutex mutex;
  std::string error;
  halo::v0::Document first;  // the file it was opened with
  halo::view::ViewHost host;
  uint32_t number = 0;          // of that file in `host`
  bool has_related = false;     // the files next to it were added
  halo::EvalProgress progress;  // of the last run; read and stopped by other threads
};

struct halo_result {
  std::string json;
  std::vector<halo::v0::Array> arrays;
};

namespace halo {

inline halo_status FailWith(halo_status status, std::string message, halo_document& document) {
  document.error = std::move(message);
  return status;
}

// Calls body(document) with the document locked. The core is compiled without exceptions, but the
// standard library throws where memory or threads run out; none may reach a caller in C.
template <class Body>
halo_status CallOn(halo_document* document, const Body& body) {
  if (document == nullptr) return HALO_BAD_ARGUMENT;
  try {
    const std::lock_guard lock(document->mutex);
    return body(*document);
  } catch (const std::bad_alloc&) {
    document->error.clear();
    return HALO_OUT_OF_MEMORY;
  } catch (const std::exception&) {
    document->error.clear();
    return HALO_INTERNAL_ERROR;
  }
}

// Documents are immutable values: of two documents one is copied under its own lock, so that two
// calls with exchanged documents cannot wait for each other.
inline halo_status CopyOf(halo_document* document, v0::Document& copy) {
  return CallOn(document, [&](halo_document& self) {
    copy = self.first;
    return HALO_OK;
  });
}

}  // namespace halo

#endif  // HALO_PUBLIC_C_DOCUMENT_H_
