// TCP sockets that programs started by this process do not inherit, and whose closed peers are an
// error rather than a signal.
#ifndef TOOLS_HALO_SYSTEM_SOCKETS_H_
#define TOOLS_HALO_SYSTEM_SOCKETS_H_

#include <string_view>

namespace halo::tool {

// Each returns -1, with errno set, if the system refuses.
int MakeTcpSocket();
int AcceptConnection(int listening);

bool SendBytes(int socket, std::string_view bytes);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SYSTEM_SOCKETS_H_
