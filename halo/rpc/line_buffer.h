// Splits a stream into lines, one message on each.
#ifndef HALO_RPC_LINE_BUFFER_H_
#define HALO_RPC_LINE_BUFFER_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace halo::rpc {

// A line beyond kMaxMessage is reported once, without its text.
class LineBuffer {
 public:
  void Add(std::string_view bytes);
  // False if there is no complete line. `is_too_long` means that a line was dropped.
  bool Next(std::string& line, bool& is_too_long);
  // What is left when the stream ends; false if there is nothing.
  bool Last(std::string& line);

 private:
  std::string bytes_;
  size_t searched_ = 0;
  bool is_dropping_ = false;
};

}  // namespace halo::rpc

#endif  // HALO_RPC_LINE_BUFFER_H_
