// TCP sockets that programs started by this process do not inherit.
#ifndef TOOLS_HALO_SYSTEM_SOCKETS_H_
#define TOOLS_HALO_SYSTEM_SOCKETS_H_

namespace halo::tool {

// Each returns -1, with errno set, if the system refuses.
int MakeTcpSocket();
int AcceptConnection(int listening);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SYSTEM_SOCKETS_H_
