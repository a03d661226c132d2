// The bytes of a message are copied once, into a string of its length.
#include "halo/rpc/frame_buffer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "halo/base/json/json_reader.h"

namespace halo::rpc {
namespace {

constexpr size_t kLongestHeader = 4096;
constexpr std::string_view kLength = "content-length:";

bool HasPrefixIgnoringCase(std::string_view line, std::string_view prefix) {
  if (line.size() < prefix.size()) return false;
  return std::equal(prefix.begin(), prefix.end(), line.begin(), [](char want, char have) {
    return want == (have >= 'A' && have <= 'Z' ? static_cast<char>(have + ('a' - 'A')) : have);
  });
}

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<int64_t> LengthIn(std::string_view header) {
  while (!header.empty()) {
    const size_t end = std::min(header.find('\n'), header.size());
    const std::string_view line = header.substr(0, end);
    if (HasPrefixIgnoringCase(line, kLength)) {
      return ParseInt(Trimmed(line.substr(kLength.size())));
    }
    header.remove_prefix(std::min(end + 1, header.size()));
  }
  return std::nullopt;
}

}  // namespace

void FrameBuffer::Add(std::string_view bytes) {
  if (used_ == bytes_.size()) {
    bytes_.clear();
    used_ = 0;
  }
  bytes_ += bytes;
  if (in_body_) FillBody();
}

void FrameBuffer::FillBody() {
  const size_t part = std::min(missing_, bytes_.size() - used_);
  if (!is_dropped_) body_.append(bytes_, used_, part);
  used_ += part;
  missing_ -= part;
}

FrameBuffer::Status FrameBuffer::ReadHeader() {
  const std::string_view rest = std::string_view(bytes_).substr(used_);
  const size_t end = rest.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (rest.size() <= kLongestHeader) return Status::kIncomplete;
    used_ = bytes_.size();
    return Status::kBadHeader;
  }
  const std::optional<int64_t> length = LengthIn(rest.substr(0, end));
  used_ += end + 4;
  if (!length || *length < 0) return Status::kBadHeader;
  in_body_ = true;
  missing_ = static_cast<size_t>(*length);
  is_dropped_ = missing_ > longest_;
  body_.clear();
  if (!is_dropped_) body_.reserve(missing_);
  FillBody();
  return Status::kMessage;
}

FrameBuffer::Status FrameBuffer::Next(std::string& message) {
  if (!in_body_) {
    const Status status = ReadHeader();
    if (status != Status::kMessage) return status;
  }
  if (missing_ > 0) return Status::kIncomplete;
  in_body_ = false;
  if (std::exchange(is_dropped_, false)) return Status::kTooLong;
  message = std::exchange(body_, {});
  return Status::kMessage;
}

std::string Framed(std::string_view message) {
  std::string framed = "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n";
  framed.reserve(framed.size() + message.size());
  framed += message;
  return framed;
}

}  // namespace halo::rpc
