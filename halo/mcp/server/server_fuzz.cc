// Fuzzes the reader of messages and the server: for any bytes, each line is answered by at most one
// message besides progress, every line sent is one JSON object of bounded size, and no file is
// found, because the folder is empty.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "halo/base/check.h"
#include "halo/base/json/json_reader.h"
#include "halo/mcp/reply/tool_reply.h"
#include "halo/mcp/server/server.h"

namespace {

halo::mcp::Server MakeServer() {
  std::string folder = (std::filesystem::temp_directory_path() / "halo-mcp-fuzz-XXXXXX").string();
  HALO_CHECK(mkdtemp(folder.data()) != nullptr);
  const std::string folders[] = {folder};
  halo::mcp::Server server(*halo::mcp::Roots::Make(folders));
  return server;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static halo::mcp::Server server = MakeServer();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  halo::mcp::LineBuffer lines;
  // In two pieces, as streams come.
  lines.Add(bytes.substr(0, size / 2));
  std::string line;
  bool is_too_long = false;
  const auto handle = [&] {
    int replies = 0;
    server.Handle(line, [&](const std::string& sent) {
      HALO_CHECK(sent.find('\n') == std::string::npos);
      const auto message = halo::ParseJson(sent);
      HALO_CHECK(message.has_value() && message->is_object());
      HALO_CHECK((*message)["jsonrpc"].AsString() == "2.0");
      const bool is_list = line.find("tools/list") != std::string::npos;
      HALO_CHECK(is_list || sent.size() < halo::mcp::kMaxReply);
      if ((*message)["method"].is_null()) ++replies;
    });
    HALO_CHECK(replies <= 1);
  };
  while (lines.Next(line, is_too_long)) handle();
  lines.Add(bytes.substr(size / 2));
  while (lines.Next(line, is_too_long)) handle();
  if (lines.Last(line)) handle();
  return 0;
}
