// Flags of the calls themselves on Linux, options of each socket on macOS.
#include "tools/halo/system/sockets.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/types.h>

namespace halo::tool {
namespace {

#if defined(__linux__)
constexpr int kSendFlags = MSG_NOSIGNAL;
#else
constexpr int kSendFlags = 0;

int Prepared(int socket) {
  if (socket < 0) return socket;
  fcntl(socket, F_SETFD, FD_CLOEXEC);
#if defined(SO_NOSIGPIPE)
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
  return socket;
}
#endif

}  // namespace

#if defined(__linux__)
int MakeTcpSocket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }
int AcceptConnection(int listening) { return accept4(listening, nullptr, nullptr, SOCK_CLOEXEC); }
#else
int MakeTcpSocket() { return Prepared(socket(AF_INET, SOCK_STREAM, 0)); }
int AcceptConnection(int listening) { return Prepared(accept(listening, nullptr, nullptr)); }
#endif

bool SendBytes(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), kSendFlags);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace halo::tool
