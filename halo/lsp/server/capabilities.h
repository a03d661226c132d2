// What the server tells editors that it can do.
#ifndef HALO_LSP_SERVER_CAPABILITIES_H_
#define HALO_LSP_SERVER_CAPABILITIES_H_

#include "halo/base/json/json_writer.h"
#include "halo/lsp/text/position.h"

namespace halo::lsp {

// ServerCapabilities of the protocol, as an object.
void WriteCapabilities(Encoding encoding, JsonWriter& json);

}  // namespace halo::lsp

#endif  // HALO_LSP_SERVER_CAPABILITIES_H_
