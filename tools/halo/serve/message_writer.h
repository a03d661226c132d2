// Writes messages to standard output, each whole: two threads never mix theirs. A client that is
// gone is not written to again.
#ifndef TOOLS_HALO_SERVE_MESSAGE_WRITER_H_
#define TOOLS_HALO_SERVE_MESSAGE_WRITER_H_

#include <mutex>
#include <string_view>

namespace halo::tool {

class MessageWriter {
 public:
  void Write(std::string_view bytes);

 private:
  std::mutex mutex_;
  bool is_gone_ = false;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_MESSAGE_WRITER_H_
