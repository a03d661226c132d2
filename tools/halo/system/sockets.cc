// By flags of the calls themselves on Linux, afterwards on macOS.
#include "tools/halo/system/sockets.h"

#include <fcntl.h>
#include <sys/socket.h>

namespace halo::tool {

#if defined(__linux__)

int MakeTcpSocket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }
int AcceptConnection(int listening) { return accept4(listening, nullptr, nullptr, SOCK_CLOEXEC); }

#else

namespace {

int Prepared(int socket) {
  if (socket >= 0) fcntl(socket, F_SETFD, FD_CLOEXEC);
  return socket;
}

}  // namespace

int MakeTcpSocket() { return Prepared(socket(AF_INET, SOCK_STREAM, 0)); }
int AcceptConnection(int listening) { return Prepared(accept(listening, nullptr, nullptr)); }

#endif

}  // namespace halo::tool
