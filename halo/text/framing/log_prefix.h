// Prefixes that loggers and launchers add to a line: glog and absl (I0101 12:34:56.789012 77
// a.cc:12] ), TensorFlow (2026-01-01 12:00:00.000000: I a.cc:12] ), and the labels of multi-process
// launchers (3: , [1,0]<stdout>:). The caller handles what follows the prefix.
#ifndef HALO_TEXT_FRAMING_LOG_PREFIX_H_
#define HALO_TEXT_FRAMING_LOG_PREFIX_H_

#include <cstddef>
#include <string_view>

namespace halo {

struct LogPrefix {
  size_t length = 0;       // 0: the line has no prefix
  std::string_view label;  // the process that wrote the line; may be empty
  std::string_view site;   // the log statement's location: "a.cc:12"; may be empty

  explicit operator bool() const { return length != 0; }
  // True if both come from the same log statement and process.
  [[nodiscard]] bool SameSource(const LogPrefix& other) const {
    return label == other.label && site == other.site && (length != 0) == (other.length != 0);
  }
};

LogPrefix FindLogPrefix(std::string_view line);

}  // namespace halo

#endif  // HALO_TEXT_FRAMING_LOG_PREFIX_H_
