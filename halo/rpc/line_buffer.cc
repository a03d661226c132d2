// The end of a line is searched for only in bytes that were not searched before.
#include "halo/rpc/line_buffer.h"

#include <utility>

#include "halo/rpc/message.h"

namespace halo::rpc {

void LineBuffer::Add(std::string_view bytes) { bytes_ += bytes; }

bool LineBuffer::Next(std::string& line, bool& is_too_long) {
  is_too_long = false;
  const size_t end = bytes_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = bytes_.size();
    if (bytes_.size() > kMaxMessage) {
      is_dropping_ = true;
      bytes_.clear();
      searched_ = 0;
    }
    return false;
  }
  line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  searched_ = 0;
  is_too_long = std::exchange(is_dropping_, false) || line.size() > kMaxMessage;
  if (is_too_long) line.clear();
  return true;
}

bool LineBuffer::Last(std::string& line) {
  line = std::exchange(bytes_, {});
  searched_ = 0;
  return !line.empty() && !is_dropping_;
}

}  // namespace halo::rpc
