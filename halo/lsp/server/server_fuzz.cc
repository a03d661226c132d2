// Fuzzes the language server. Bytes that begin with a header are messages of the protocol, sent to
// a server that has a text open: what it sends is JSON, and a request has one response. Other bytes
// are a text and, after a zero byte, edits to it: the edited text is what a plain string is, and
// the diagnostics are those of a fresh read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/base/check.h"
#include "halo/base/json/json_reader.h"
#include "halo/lsp/server/lsp_server.h"
#include "halo/rpc/frame_buffer.h"

namespace {

using halo::lsp::Encoding;
using halo::lsp::OpenText;
using halo::lsp::Position;

constexpr std::string_view kOpened =
    "HloModule m\n\n%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
    "  %b = f32[] parameter(1)\n  ROOT %sum = f32[] add(%a, %b)\n}\n\n"
    "ENTRY %main (p: f32[4]) -> f32[] {\n  %p = f32[4]{0} parameter(0)\n"
    "  %zero = f32[] constant(0)\n"
    "  ROOT %r = f32[] reduce(%p, %zero), dimensions={0}, to_apply=%add\n}\n";

void Messages(std::string_view bytes) {
  halo::lsp::Server server;
  const auto handle = [&](const std::string& text) {
    const halo::rpc::Message message = halo::rpc::ReadMessage(text, halo::lsp::kMaxLspMessage);
    const bool is_request = message.kind == halo::rpc::Message::Kind::kRequest;
    int responses = 0;
    const halo::lsp::Sender send = [&](const std::string& sent) {
      const auto json = halo::ParseJson(sent);
      HALO_CHECK(json.has_value() && (*json)["jsonrpc"].AsString() == "2.0");
      if ((*json)["method"].is_null()) ++responses;
    };
    server.Handle(message, send);
    HALO_CHECK(responses <= 1 && (!is_request || responses == 1));
    if (auto request = server.NextWhole()) server.Accept(halo::lsp::ReadWhole(*request), send);
  };
  handle(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})");
  std::string opened = R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":)"
                       R"({"textDocument":{"uri":"file:///m","text":")";
  for (const char c : kOpened) opened += c == '\n' ? std::string("\\n") : std::string(1, c);
  handle(opened + "\"}}}");
  halo::rpc::FrameBuffer frames(size_t{1} << 20);
  // In two parts, as streams come.
  for (const std::string_view part :
       {bytes.substr(0, bytes.size() / 2), bytes.substr(bytes.size() / 2)}) {
    frames.Add(part);
    std::string text;
    for (auto status = frames.Next(text); status != halo::rpc::FrameBuffer::Status::kIncomplete;
         status = frames.Next(text)) {
      if (status == halo::rpc::FrameBuffer::Status::kMessage) handle(text);
    }
  }
}

Position PositionAt(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const size_t newline = before.rfind('\n');
  const size_t line = newline == std::string_view::npos ? 0 : newline + 1;
  return {static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n')),
          static_cast<uint32_t>(byte - line)};
}

std::vector<std::pair<uint32_t, std::string>> Reported(const OpenText& text, bool with_rules) {
  std::vector<std::pair<uint32_t, std::string>> found;
  for (const halo::CheckNote& each : text.Notes().notes) {
    if (each.rule && !with_rules) continue;
    found.emplace_back(each.diagnostic.location.line, each.diagnostic.message);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void Edits(std::string text, std::string_view edits) {
  // Columns are bytes, and no edit divides a character, as no editor would.
  const auto boundary = [&text](size_t byte) {
    while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0) == 0x80) ++byte;
    return byte;
  };
  halo::lsp::OpenTextOptions options;
  options.check_whole_bytes = 0;
  if (edits.size() % 2 == 1) options.large_bytes = 0;
  OpenText open("file:///m", 1, text, options);
  const auto read_whole = [](OpenText& of) {
    halo::lsp::WholeRequest request = of.RequestWhole();
    request.analyze = false;
    of.Accept(halo::lsp::ReadWhole(request));
  };
  read_whole(open);
  constexpr size_t kHead = 4;  // two bytes of the place, the bytes removed, the bytes inserted
  while (edits.size() >= kHead) {
    const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(edits[i])); };
    const size_t begin = boundary((byte(0) * 256 + byte(1)) % (text.size() + 1));
    const size_t end = boundary(std::min(text.size(), begin + byte(2) % 64));
    std::string inserted(edits.substr(kHead, byte(3) % 32));
    edits.remove_prefix(std::min(edits.size(), kHead + inserted.size()));
    std::erase_if(inserted, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    const halo::lsp::Range range = {PositionAt(text, begin), PositionAt(text, end)};
    text.replace(begin, end - begin, inserted);
    open.Edit(range, Encoding::kUtf8, inserted);
    HALO_CHECK(open.text().Joined() == text);
    OpenText fresh("file:///m", 1, text, options);
    read_whole(fresh);
    if (open.Notes().is_exact) HALO_CHECK(Reported(open, false) == Reported(fresh, false));
    read_whole(open);
    HALO_CHECK(Reported(open, true) == Reported(fresh, true));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("Content-")) {
    Messages(bytes);
  } else {
    const size_t zero = std::min(bytes.find('\0'), bytes.size());
    Edits(std::string(bytes.substr(0, zero)), bytes.substr(std::min(zero + 1, bytes.size())));
  }
  return 0;
}
