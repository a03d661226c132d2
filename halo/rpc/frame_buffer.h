// Splits a stream into messages that a header with their length precedes, as the Language Server
// Protocol frames them.
#ifndef HALO_RPC_FRAME_BUFFER_H_
#define HALO_RPC_FRAME_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace halo::rpc {

class FrameBuffer {
 public:
  enum class Status : uint8_t {
    kIncomplete,
    kMessage,
    kTooLong,    // a message beyond the limit; its bytes are dropped as they come
    kBadHeader,  // a header without a length; it is dropped
  };

  explicit FrameBuffer(size_t longest) : longest_(longest) {}

  void Add(std::string_view bytes);
  // Takes the next message; to be called until it is incomplete.
  Status Next(std::string& message);

 private:
  Status ReadHeader();
  void FillBody();

  size_t longest_;
  std::string bytes_;  // not yet looked at, from `used_` on
  size_t used_ = 0;
  std::string body_;
  size_t missing_ = 0;  // bytes of the body still to come
  bool in_body_ = false;
  bool is_dropped_ = false;
};

// The message with its header.
std::string Framed(std::string_view message);

}  // namespace halo::rpc

#endif  // HALO_RPC_FRAME_BUFFER_H_
