// Methods of the Language Server Protocol over the texts that an editor has open. One message at a
// time; streams, threads and waiting are up to the caller, who also has whole texts read.
#ifndef HALO_LSP_SERVER_LSP_SERVER_H_
#define HALO_LSP_SERVER_LSP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/lsp/document/open_text.h"
#include "halo/rpc/message.h"

namespace halo::lsp {

// A message may hold a whole text.
inline constexpr size_t kMaxLspMessage = size_t{1} << 30;

// The requests about texts that it answers.
std::vector<std::string_view> AnsweredMethods();

using Sender = std::function<void(std::string)>;

class Server {
 public:
  explicit Server(const OpenTextOptions& options = {}) : options_(options) {}

  void Handle(rpc::Message message, const Sender& send);

  // True once the client has asked the server to exit.
  [[nodiscard]] bool has_exited() const { return state_ == State::kExited; }
  // True if it asked for that as it should.
  [[nodiscard]] bool was_shut_down() const { return was_shut_down_; }

  [[nodiscard]] bool NeedsWhole() const;
  // The next text that should be read as a whole; nothing if there is none.
  std::optional<WholeRequest> NextWhole();
  void Accept(WholeProgram program, const Sender& send);

 private:
  enum class State : uint8_t { kNew, kReady, kShutDown, kExited };

  struct Entry {
    std::unique_ptr<OpenText> text;
    std::string published;  // the diagnostics last sent
  };

  void Initialize(const rpc::Message& message, const Sender& send);
  void Notify(rpc::Message& message, const Sender& send);
  void Open(JsonValue& params, const Sender& send);
  void Change(const JsonValue& params, const Sender& send);
  void Answer(const rpc::Message& message, const Sender& send);
  void Publish(Entry& entry, const Sender& send);
  // Asks the client to ask again for what depends on whole texts.
  void Refresh(const Sender& send);

  OpenTextOptions options_;
  State state_ = State::kNew;
  bool was_shut_down_ = false;
  Encoding encoding_ = Encoding::kUtf16;
  bool refreshes_hints_ = false, refreshes_lenses_ = false;
  int64_t requests_ = 0;  // made to the client
  std::map<std::string, Entry, std::less<>> texts_;
};

}  // namespace halo::lsp

#endif  // HALO_LSP_SERVER_LSP_SERVER_H_
