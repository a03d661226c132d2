// Tests messages, lines, frames and JSON values.
#include "halo/rpc/message.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/rpc/frame_buffer.h"
#include "halo/rpc/json_tree.h"
#include "halo/rpc/line_buffer.h"

namespace halo::rpc {
namespace {

TEST(RpcMessageTest, RequestsAndNotificationsAreToldApart) {
  const Message request = ReadMessage(R"({"jsonrpc":"2.0","id":"a\"b","method":"ping"})");
  EXPECT_EQ(request.kind, Message::Kind::kRequest);
  EXPECT_EQ(request.id, R"("a\"b")");
  EXPECT_EQ(request.method, "ping");
  const Message notification = ReadMessage(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
  EXPECT_EQ(notification.kind, Message::Kind::kNotification);
  EXPECT_EQ(CompactJson(notification.params["requestId"]), "7");
  EXPECT_EQ(ReadMessage(R"({"jsonrpc":"2.0","id":3,"result":{}})").kind, Message::Kind::kResponse);
}

TEST(RpcMessageTest, MalformedMessagesCarryTheErrorToReplyWith) {
  struct Case {
    const char* line;
    RpcError error;
    const char* id;
  };
  const Case cases[] = {
      {"{", RpcError::kParse, "null"},
      {"", RpcError::kParse, "null"},
      {"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"\x01\"}", RpcError::kParse, "null"},
      {"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"\xFF\"}", RpcError::kParse, "null"},
      {"[]", RpcError::kInvalidRequest, "null"},
      {"7", RpcError::kInvalidRequest, "null"},
      {R"({"jsonrpc":"1.0","id":4,"method":"x"})", RpcError::kInvalidRequest, "4"},
      {R"({"jsonrpc":"2.0","id":4})", RpcError::kInvalidRequest, "4"},
      {R"({"jsonrpc":"2.0","id":4,"method":5})", RpcError::kInvalidRequest, "4"},
      {R"({"jsonrpc":"2.0","id":4.5,"method":"x"})", RpcError::kInvalidRequest, "null"},
      {R"({"jsonrpc":"2.0","id":null,"method":"x"})", RpcError::kInvalidRequest, "null"},
      {R"({"jsonrpc":"2.0","id":4,"method":"x","params":[1]})", RpcError::kInvalidParams, "4"},
  };
  for (const Case& each : cases) {
    const Message message = ReadMessage(each.line);
    EXPECT_EQ(message.kind, Message::Kind::kMalformed) << each.line;
    EXPECT_EQ(message.error, each.error) << each.line;
    EXPECT_EQ(message.id, each.id) << each.line;
    EXPECT_TRUE(ParseJson(ErrorMessage(message.id, message.error, message.problem)).has_value());
  }
}

TEST(RpcMessageTest, LinesComeInPieces) {
  LineBuffer lines;
  std::string line;
  bool is_too_long = false;
  lines.Add("one\ntw");
  ASSERT_TRUE(lines.Next(line, is_too_long));
  EXPECT_EQ(line, "one");
  EXPECT_FALSE(lines.Next(line, is_too_long));
  lines.Add("o\n");
  ASSERT_TRUE(lines.Next(line, is_too_long));
  EXPECT_EQ(line, "two");
  lines.Add("rest");
  EXPECT_FALSE(lines.Next(line, is_too_long));
  EXPECT_TRUE(lines.Last(line));
  EXPECT_EQ(line, "rest");
}

TEST(RpcMessageTest, LongLinesAreDroppedOnce) {
  LineBuffer lines;
  std::string line;
  bool is_too_long = false;
  for (int i = 0; i < 5; ++i) {
    lines.Add(std::string(kMaxMessage / 2, 'x'));
    EXPECT_FALSE(lines.Next(line, is_too_long));
  }
  lines.Add("\nnext\n");
  ASSERT_TRUE(lines.Next(line, is_too_long));
  EXPECT_TRUE(is_too_long);
  ASSERT_TRUE(lines.Next(line, is_too_long));
  EXPECT_FALSE(is_too_long);
  EXPECT_EQ(line, "next");
}

TEST(RpcFrameTest, FramesComeInPieces) {
  const std::string stream =
      "Content-Type: x\r\ncontent-length: 3\r\n\r\nabc" + Framed("") + Framed("{}\n");
  for (size_t step = 1; step <= stream.size(); ++step) {
    FrameBuffer frames(10);
    std::vector<std::string> found;
    std::string message;
    for (size_t at = 0; at < stream.size(); at += step) {
      frames.Add(std::string_view(stream).substr(at, step));
      while (frames.Next(message) == FrameBuffer::Status::kMessage) found.push_back(message);
    }
    EXPECT_EQ(found, (std::vector<std::string>{"abc", "", "{}\n"})) << step;
  }
}

TEST(RpcFrameTest, BadFramesAreReportedOnce) {
  FrameBuffer frames(4);
  std::string message;
  frames.Add(Framed("too long") + "Length: 3\r\n\r\n" + Framed("next"));
  EXPECT_EQ(frames.Next(message), FrameBuffer::Status::kTooLong);
  EXPECT_EQ(frames.Next(message), FrameBuffer::Status::kBadHeader);
  EXPECT_EQ(frames.Next(message), FrameBuffer::Status::kMessage);
  EXPECT_EQ(message, "next");
  frames.Add(std::string(10000, 'x'));
  EXPECT_EQ(frames.Next(message), FrameBuffer::Status::kBadHeader);
  EXPECT_EQ(frames.Next(message), FrameBuffer::Status::kIncomplete);
}

TEST(RpcJsonTreeTest, ValuesAreWrittenOnOneLine) {
  JsonValue object = MakeObject();
  Put(object, "text", "a\nb\"\xFF");
  Put(object, "number", 12);
  Put(object, "real", 0.000123456);
  Put(object, "truth", true);
  EXPECT_EQ(CompactJson(object),
            R"({"text":"a\nb\"\ufffd","number":12,"real":0.0001235,"truth":true})");
  EXPECT_EQ(PlainText(object), "text: a b\"\xFF\nnumber: 12\nreal: 0.0001235\ntruth: yes\n");
}

TEST(RpcJsonTreeTest, StringsAreShortenedBetweenCharacters) {
  JsonValue value = MakeText("aa\xC3\xA4\xC3\xA4\xC3\xA4");
  ShortenStrings(6, value);
  EXPECT_EQ(value.text, "aa\xE2\x80\xA6");
}

}  // namespace
}  // namespace halo::rpc
