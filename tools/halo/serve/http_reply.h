// Where the answer to one request goes: written by any thread, sent by the one that serves. Either
// side may be gone before the other.
#ifndef TOOLS_HALO_SERVE_HTTP_REPLY_H_
#define TOOLS_HALO_SERVE_HTTP_REPLY_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tools/halo/serve/http_response.h"
#include "tools/halo/serve/wake_pipe.h"

namespace halo::tool {

class HttpReply {
 public:
  explicit HttpReply(std::shared_ptr<const WakePipe> server) : server_(std::move(server)) {}

  // The whole answer.
  void Send(HttpResponse response);
  // A stream instead: its head, then parts of its body as they come, then its end.
  void Begin(HttpResponse head);
  void Add(std::string_view part);
  void End();

  struct News {
    std::optional<HttpResponse> response;
    bool is_stream = false;
    std::string part;
    bool has_ended = false;
  };
  // What has been written since the last call.
  News Take();
  // Marks the request as being worked on; false if the answer is not wanted any more.
  bool Claim();
  // Nothing that comes is wanted. False, and nothing changes, if it is being worked on.
  bool AbandonUnlessClaimed();
  // Nothing that comes is wanted.
  void Abandon();

 private:
  std::shared_ptr<const WakePipe> server_;
  std::mutex mutex_;
  News news_;
  bool is_claimed_ = false;
  bool is_abandoned_ = false;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_HTTP_REPLY_H_
