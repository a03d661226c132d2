// What the viewer's WebAssembly module exports to the page: memory for arguments, opening files,
// and requests. viewer/protocol.md is the contract. A page and its worker are one thread.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "halo/base/io/source_buffer.h"
#include "halo/view/ask/host.h"

namespace {

halo::view::ViewHost& Host() {
  static halo::view::ViewHost host;
  return host;
}

}  // namespace

#define HALO_VIEW_EXPORT extern "C" __attribute__((visibility("default"), used))

// The bytes are followed by zeros, because readers may look past the end.
HALO_VIEW_EXPORT void* halo_alloc(uint32_t bytes) {
  char* data = static_cast<char*>(std::malloc(size_t{bytes} + halo::SourceBuffer::kPadding));
  if (data != nullptr) std::memset(data + bytes, 0, halo::SourceBuffer::kPadding);
  return data;
}

HALO_VIEW_EXPORT void halo_free(void* data) { std::free(data); }

HALO_VIEW_EXPORT uint32_t halo_open(const char* name, uint32_t name_size, char* data,
                                    uint32_t size) {
  const std::shared_ptr<void> owner(data, std::free);
  const std::string path(name, name_size);
  return Host().Open(halo::SourceBuffer::Adopt(owner, {data, size}, path), path);
}

HALO_VIEW_EXPORT void halo_close(uint32_t document) { Host().Close(document); }

HALO_VIEW_EXPORT void* halo_ask(uint32_t document, const char* request, uint32_t size) {
  const std::string block = Host().Ask(document, {request, size});
  void* result = std::malloc(block.size());
  if (result != nullptr) std::memcpy(result, block.data(), block.size());
  return result;
}
