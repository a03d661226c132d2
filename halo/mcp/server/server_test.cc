// Tests the server in one process: sizes, cursors, folders and refusals.
#include "halo/mcp/server/server.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/mcp/tools/tool_list.h"

namespace halo::mcp {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class McpServerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string made = (fs::temp_directory_path() / "halo-mcp-XXXXXX").string();
    ASSERT_NE(mkdtemp(made.data()), nullptr);
    folder_ = made;
    fs::create_directory(folder_ / "open");
    std::ofstream(folder_ / "outside.hlo") << Program(3);
    std::ofstream(folder_ / "open" / "small.hlo") << Program(3);
    std::ofstream(folder_ / "open" / "large.hlo") << Program(2000);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string Program(int count) {
    std::string text = "HloModule m\n\nENTRY main {\n  x0 = f32[8] parameter(0)\n";
    for (int i = 1; i <= count; ++i) {
      text += "  " + std::string(i == count ? "ROOT " : "") + "x" + std::to_string(i) +
              " = f32[8] negate(x" + std::to_string(i - 1) + "), metadata={op_name=\"jit(f)/" +
              std::string(static_cast<size_t>(i % 300), 'a') + "\"}\n";
    }
    return text + "}\n";
  }

  Server MakeServer() const {
    const std::string folders[] = {(folder_ / "open").string()};
    return Server(*Roots::Make(folders));
  }

  static JsonValue Ask(Server& server, const std::string& method, const std::string& params) {
    std::vector<std::string> sent;
    server.Handle(
        R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}",
        [&](std::string line) { sent.push_back(std::move(line)); });
    EXPECT_EQ(sent.size(), 1U);
    if (method != "tools/list") {
      EXPECT_LT(sent.back().size(), kMaxReply);
    }
    return ParseJson(sent.back()).value_or(JsonValue())["result"];
  }
  static JsonValue Call(Server& server, const std::string& tool, const std::string& arguments) {
    return Ask(server, "tools/call", R"({"name":")" + tool + R"(","arguments":)" + arguments + "}");
  }
  static std::string TextOf(const JsonValue& result) {
    return result["content"].items.empty()
               ? std::string()
               : std::string(result["content"].items.front()["text"].AsString());
  }

  fs::path folder_;
};

TEST_F(McpServerTest, NegotiatesVersions) {
  Server server = MakeServer();
  const auto version = [&](const std::string& asked) {
    return std::string(
        Ask(server, "initialize", R"({"protocolVersion":")" + asked + R"("})")["protocolVersion"]
            .AsString());
  };
  EXPECT_EQ(version("2025-11-25"), "2025-11-25");
  EXPECT_EQ(version("2024-11-05"), "2024-11-05");
  EXPECT_EQ(version("2099-01-01"), kLatestProtocol);
}

TEST_F(McpServerTest, EveryToolHasSchemas) {
  Server server = MakeServer();
  const JsonValue tools = Ask(server, "tools/list", "{}")["tools"];
  ASSERT_EQ(tools.items.size(), 14U);
  for (const JsonValue& tool : tools.items) {
    EXPECT_TRUE(tool["inputSchema"]["properties"].is_object());
    EXPECT_TRUE(tool["outputSchema"]["properties"]["conclusion"].is_object());
  }
}

TEST_F(McpServerTest, PagesReachEveryRowOnce) {
  Server server = MakeServer();
  std::vector<std::string> names;
  std::string cursor;
  for (int page = 0; page < 1000; ++page) {
    const JsonValue result =
        Call(server, "search",
             R"({"program":"large.hlo","query":"opcode:negate")" +
                 (cursor.empty() ? std::string() : R"(,"cursor":")" + cursor + "\"") + "}");
    const JsonValue& found = result["structuredContent"];
    EXPECT_EQ(found["total"].AsInt(0), 2000);
    ASSERT_FALSE(found["rows"].items.empty());
    for (const JsonValue& row : found["rows"].items) names.push_back(row["name"].text);
    cursor = found["cursor"].AsString();
    if (cursor.empty()) break;
  }
  ASSERT_EQ(names.size(), 2000U);
  EXPECT_EQ(names.front(), "x1");
  EXPECT_EQ(names.back(), "x2000");
}

TEST_F(McpServerTest, CursorsBelongToOneRequest) {
  Server server = MakeServer();
  const JsonValue first =
      Call(server, "search", R"({"program":"large.hlo","query":"opcode:negate"})");
  const std::string cursor(first["structuredContent"]["cursor"].AsString());
  const JsonValue other =
      Call(server, "search",
           R"({"program":"large.hlo","query":"opcode:parameter","cursor":")" + cursor + "\"}");
  EXPECT_TRUE(other["isError"].AsBool(false));
  EXPECT_THAT(TextOf(other), HasSubstr("belongs to another request"));
}

TEST_F(McpServerTest, NothingOutsideTheFoldersIsRead) {
  Server server = MakeServer();
  fs::create_symlink(folder_ / "outside.hlo", folder_ / "open" / "link.hlo");
  fs::create_directory_symlink(folder_, folder_ / "open" / "up");
  // A neighbour that the analyses would look for.
  fs::create_symlink(folder_ / "outside.hlo", folder_ / "open" / "small-buffer-assignment.txt");
  for (const std::string& path :
       {std::string("../outside.hlo"), (folder_ / "outside.hlo").string(), std::string("link.hlo"),
        std::string("up/outside.hlo"), std::string("/etc/passwd"), std::string("/"),
        std::string("..")}) {
    for (const char* tool : {"open", "list"}) {
      const JsonValue result = Call(server, tool, R"({"path":")" + path + "\"}");
      EXPECT_TRUE(result["isError"].AsBool(false)) << tool << " " << path;
      EXPECT_THAT(TextOf(result), HasSubstr("not below the folders")) << tool << " " << path;
    }
  }
  EXPECT_THAT(TextOf(Call(server, "open", R"({"path":"small.hlo"})")), HasSubstr("leads out"));
  EXPECT_THAT(TextOf(Call(server, "open", R"({"path":"large.hlo"})")), HasSubstr("2,001"));
}

TEST_F(McpServerTest, RefusalsSayWhatToAskInstead) {
  Server server = MakeServer();
  EXPECT_THAT(TextOf(Call(server, "value", R"({"program":"small.hlo","instruction":"x"})")),
              HasSubstr("similar names: x0"));
  EXPECT_THAT(TextOf(Call(server, "memory", "{}")), HasSubstr("needs `program`"));
  EXPECT_THAT(TextOf(Call(server, "memory", R"({"program":"small.hlo","by":"colour"})")),
              HasSubstr("give one of: scope, source"));
  EXPECT_THAT(TextOf(Call(server, "text", R"({"program":"small.hlo","from":99})")),
              HasSubstr("`from` is 1 to"));
  EXPECT_THAT(TextOf(Call(server, "run", R"({"program":"small.hlo"})")),
              HasSubstr("does not run programs"));
  EXPECT_THAT(TextOf(Call(server, "open", R"({"path":"absent.hlo"})")), HasSubstr("ask `list`"));
}

TEST_F(McpServerTest, ChangedFilesAreReadAgain) {
  Server server = MakeServer();
  EXPECT_THAT(TextOf(Call(server, "open", R"({"path":"small.hlo"})")), HasSubstr("4 instructions"));
  std::ofstream(folder_ / "open" / "small.hlo") << Program(5);
  EXPECT_THAT(TextOf(Call(server, "open", R"({"path":"small.hlo"})")), HasSubstr("6 instructions"));
}

TEST_F(McpServerTest, ResourcesAndPromptsAreTools) {
  Server server = MakeServer();
  const JsonValue list = Ask(server, "resources/list", "{}")["resources"];
  ASSERT_EQ(list.items.size(), 4U);
  const std::string uri(list.items.front()["uri"].AsString());
  const JsonValue read = Ask(server, "resources/read", R"({"uri":")" + uri + "\"}");
  ASSERT_EQ(read["contents"].items.size(), 1U);
  EXPECT_THAT(std::string(read["contents"].items.front()["text"].AsString()),
              HasSubstr("device_bytes"));
  const JsonValue prompt =
      Ask(server, "prompts/get", R"({"name":"is_it_fast","arguments":{"program":"small.hlo"}})");
  EXPECT_THAT(std::string(prompt["messages"].items.front()["content"]["text"].AsString()),
              HasSubstr("small.hlo"));
}

TEST_F(McpServerTest, ARunIsOneCommandThatNoValueAddsTo) {
  std::vector<std::string> words;
  const Runner runner = [&](const std::vector<std::string>& arguments, const Progress&) {
    words = arguments;
    return RunOutcome{.output = R"({"schema":"halo.run.v2","program":"m","engine":"reference",
        "outputs":[{"name":"out_0","device":0,"type":"f32","dims":[8],"elements":8,"nans":2,
        "infinities":0,"min":0,"max":3,"mean":1,"digest":"ab"}],
        "first_non_finite":{"is":"nan","instruction":"x3","source":"a.py:4"}})",
                      .exit_code = 0,
                      .problem = {}};
  };
  const std::string folders[] = {(folder_ / "open").string()};
  Server server(*Roots::Make(folders), runner);
  const JsonValue reply =
      Call(server, "run",
           R"({"program":"small.hlo","engine":"reference","devices":2,"find_nan":true,
               "custom_call":["f=zeros","--no-sandbox"]})");
  EXPECT_THAT(TextOf(reply), HasSubstr("The first nan is produced by x3"));
  EXPECT_THAT(TextOf(reply), HasSubstr("f32[8]"));
  ASSERT_GE(words.size(), 2U);
  EXPECT_EQ(words[0], "run");
  // Every value is in the same word as its option.
  words.erase(words.begin(), words.begin() + 2);
  EXPECT_THAT(words, testing::UnorderedElementsAre(
                         "--json", "--cache=none", "--random=1", "--custom-call=f=zeros",
                         "--custom-call=--no-sandbox", "--find-nan", "--engine=reference",
                         "--devices=2", "--timeout=60"));
}

TEST_F(McpServerTest, WhatARunCannotUseStartsNothing) {
  const Runner runner = [](const std::vector<std::string>&, const Progress&) {
    ADD_FAILURE() << "started";
    return RunOutcome{};
  };
  const std::string folders[] = {(folder_ / "open").string()};
  Server server(*Roots::Make(folders), runner);
  for (const char* arguments :
       {R"({"program":"small.hlo","devices":0})", R"({"program":"small.hlo","engine":"steam"})",
        R"({"program":"small.hlo","inputs":["../outside.hlo"]})",
        R"({"program":"small.hlo","custom_call":["f=zeros,g=zeros"]})",
        R"({"program":"small.hlo","compare":"small.hlo"})"}) {
    EXPECT_TRUE(Call(server, "run", arguments)["isError"].truth) << arguments;
  }
}

}  // namespace
}  // namespace halo::mcp
