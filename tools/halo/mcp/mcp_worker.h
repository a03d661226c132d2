// The process that reads programs for `halo mcp`: it may read the server's folders and nothing
// else, start nothing and reach no network.
#ifndef TOOLS_HALO_MCP_MCP_WORKER_H_
#define TOOLS_HALO_MCP_MCP_WORKER_H_

#include "halo/mcp/files/roots.h"

namespace halo::tool {

// The exit code of a worker that had not enough memory.
inline constexpr int kWorkerOutOfMemory = 77;

// Handles one message after the other from standard input until it ends.
void ServeAsWorker(const mcp::Roots& roots);

}  // namespace halo::tool

#endif  // TOOLS_HALO_MCP_MCP_WORKER_H_
