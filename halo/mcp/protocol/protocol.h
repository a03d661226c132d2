// The Model Context Protocol's share of a message: what it adds to JSON-RPC, whose names are this
// namespace's too.
#ifndef HALO_MCP_PROTOCOL_PROTOCOL_H_
#define HALO_MCP_PROTOCOL_PROTOCOL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "halo/rpc/json_tree.h"
#include "halo/rpc/line_buffer.h"
#include "halo/rpc/message.h"

namespace halo::mcp {

using namespace rpc;  // NOLINT: messages are JSON-RPC's throughout

inline constexpr auto kNoResource = static_cast<RpcError>(-32002);

// What the client wants progress to be reported under, as JSON; empty if it wants none.
std::string ProgressToken(const Message& message);
std::string ProgressMessage(std::string_view token, int64_t progress, std::string_view message);

}  // namespace halo::mcp

#endif  // HALO_MCP_PROTOCOL_PROTOCOL_H_
