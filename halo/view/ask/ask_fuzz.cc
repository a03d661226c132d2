// Fuzzes a request and a document of arbitrary bytes: the first line is the request, the rest the
// file. For any request and any file, the result is one well-formed block, and the same one when
// the request is repeated. A line "===" separates the file from an earlier one to compare with;
// without it, the file is compared with itself.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "halo/base/check.h"
#include "halo/base/json/json_reader.h"
#include "halo/view/ask/host.h"
#include "halo/view/model/response.h"

namespace {

void CheckBlock(std::string_view block) {
  uint32_t total = 0, json = 0;
  HALO_CHECK(block.size() >= sizeof(total) + sizeof(json));
  std::memcpy(&total, block.data(), sizeof(total));
  std::memcpy(&json, block.data() + sizeof(total), sizeof(json));
  HALO_CHECK(total == block.size() && json <= block.size() - 8);
  HALO_CHECK(halo::ParseJson(block.substr(8, json)).has_value());
  HALO_CHECK(halo::ParseJson(halo::view::PlainJson(block)).has_value());
}

constexpr std::string_view kAsked[] = {
    R"({"ask":"overview"})",
    R"({"ask":"text.index"})",
    R"({"ask":"search","query":"a opcode:add"})",
    R"({"ask":"inst","inst":1})",
    R"({"ask":"graph"})",
    R"({"ask":"graph","group":"scope"})",
    R"({"ask":"counts","since":{"opcodes":{"add":1}}})",
    R"({"ask":"around","inst":0})",
    R"({"ask":"time.timeline","pixels":50})",
    R"({"ask":"time.timeline","from":1e-6,"to":3e-6,"pixels":9,"device":"a100"})",
    R"({"ask":"time.groups","by":"source"})",
    R"({"ask":"time.op","inst":1})",
    R"({"ask":"table","of":"instructions","sort":"name"})",
};

constexpr std::string_view kCompared[] = {
    R"({"ask":"diff"})",        R"({"ask":"diff.insts"})", R"({"ask":"diff.text"})",
    R"({"ask":"diff.memory"})", R"({"ask":"diff.graph"})", R"({"ask":"diff.graph","whole":true})",
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t newline = bytes.find('\n');
  const std::string_view request = bytes.substr(0, newline);
  const std::string_view files =
      newline == std::string_view::npos ? std::string_view() : bytes.substr(newline + 1);
  constexpr std::string_view kBorder = "\n===\n";
  const size_t border = files.find(kBorder);
  const std::string_view file = files.substr(0, border);
  const std::string_view earlier =
      border == std::string_view::npos ? file : files.substr(border + kBorder.size());
  halo::view::ViewHost host;
  const uint32_t document = host.Open(halo::SourceBuffer::Copy(file, "fuzz"), "fuzz");
  const uint32_t against = host.Open(halo::SourceBuffer::Copy(earlier, "fuzz"), "fuzz");
  const std::string result = host.Ask(document, request, against);
  CheckBlock(result);
  // Packing depends on the clock.
  if (request.find("pack") == std::string_view::npos) {
    HALO_CHECK(host.Ask(document, request, against) == result);
  }
  for (const std::string_view each : kAsked) CheckBlock(host.Ask(document, each));
  for (const std::string_view each : kCompared) CheckBlock(host.Ask(document, each, against));
  return 0;
}
