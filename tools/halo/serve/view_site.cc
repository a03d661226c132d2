// Serves four addresses and nothing else.
#include "tools/halo/serve/view_site.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "halo/dump/open_file.h"
#include "tools/halo/serve/secret.h"
#include "tools/halo/serve/viewer_page.h"

namespace halo::tool {
namespace {

// What follows the token in "/token/path"; nothing if there is no second slash.
std::optional<std::string_view> BelowToken(std::string_view path) {
  const size_t slash = path.find('/', 1);
  if (slash == std::string_view::npos) return std::nullopt;
  return path.substr(slash + 1);
}

// An index below `count`; nothing if the text is not one.
std::optional<size_t> IndexFrom(std::string_view text, size_t count) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index >= count) {
    return std::nullopt;
  }
  return index;
}

// Programs kept in memory between requests.
constexpr size_t kMaxOpened = 4;

}  // namespace

ViewSite::ViewSite(Dump dump, std::optional<Dump> against, DumpOptions how, DumpChoice choice,
                   std::vector<std::string> profiles, SourceBuffer page, std::string token)
    : how_(how),
      choice_(std::move(choice)),
      profiles_(std::move(profiles)),
      page_(std::move(page)),
      policy_(PolicyOf(page_.bytes()) + "; frame-ancestors 'none'"),
      token_(std::move(token)),
      state_(StateOf(std::move(dump), std::move(against))) {}

std::shared_ptr<const ViewSite::State> ViewSite::StateOf(Dump dump,
                                                         std::optional<Dump> against) const {
  auto state = std::make_shared<State>();
  state->dump = std::move(dump);
  state->against = std::move(against);
  state->served = MakeServed(state->dump, choice_, state->against ? "diff" : "overview",
                             state->against ? &*state->against : nullptr);
  return state;
}

void ViewSite::SetPort(int port) {
  hosts_ = {fmt::format("127.0.0.1:{}", port), fmt::format("localhost:{}", port)};
}

std::shared_ptr<const ViewSite::State> ViewSite::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void ViewSite::IndexAgain() {
  const std::shared_ptr<const State> now = state();
  Result<Dump> dump = IndexDump(now->dump.given, how_);
  if (!dump) return;
  std::optional<Dump> against = now->against;
  if (against) {
    Result<Dump> other = IndexDump(against->given, how_);
    if (other) against = *std::move(other);
  }
  std::shared_ptr<const State> made = StateOf(*std::move(dump), std::move(against));
  const std::lock_guard lock(mutex_);
  state_ = std::move(made);
}

std::optional<HttpResponse> ViewSite::Refusal(const HttpRequest& request) const {
  const auto is_host = [&](std::string_view host) {
    return std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end();
  };
  // In a DNS rebinding attack, the page's own name, which resolves to this machine, is the host.
  if (!is_host(request.host)) return HttpRefusal(403, "unknown host");
  if (!request.origin.empty()) {
    const std::string_view origin = request.origin;
    if (!origin.starts_with("http://") || !is_host(origin.substr(7))) {
      return HttpRefusal(403, "the request comes from another site");
    }
  }
  const std::optional<std::string_view> path = BelowToken(request.path);
  const std::string_view given = std::string_view(request.path).substr(1);
  if (!path || !SameSecret(given.substr(0, given.size() - path->size() - 1), token_)) {
    return HttpRefusal(403, "the token is missing; use the address that halo view printed");
  }
  const bool is_post = request.method == "POST";
  if (*path == "ask" && !is_post) return HttpRefusal(405, "use POST");
  if (*path != "ask" && is_post) return HttpRefusal(405, "only requests may be posted");
  return std::nullopt;
}

HttpResponse ViewSite::Respond(const HttpRequest& request) {
  const std::string_view path = BelowToken(request.path).value_or("");
  if (path == "ask") return Ask(request);
  if (path.empty()) return Page();
  if (path == "manifest.json") {
    IndexAgain();
    HttpResponse response;
    response.type = "application/json";
    response.body = state()->served.manifest;
    return response;
  }
  if (path.starts_with("file/")) return File(path.substr(5));
  return HttpRefusal(404, "not found");
}

HttpResponse ViewSite::Page() const {
  HttpResponse response;
  response.type = "text/html; charset=utf-8";
  response.headers.emplace_back("Content-Security-Policy", policy_);
  WritePage(page_.bytes(), state()->served.manifest, {}, [&](std::string_view part) {
    response.body += part;
    return true;
  });
  return response;
}

HttpResponse ViewSite::Ask(const HttpRequest& request) {
  const std::shared_ptr<const State> now = state();
  const auto index = IndexFrom(QueryValue(request.query, "program"), now->served.programs.size());
  if (!index) return HttpRefusal(404, "there is no such program");
  const std::string_view other = QueryValue(request.query, "against");
  const auto against = IndexFrom(other, now->served.programs.size());
  if (!other.empty() && !against)
    return HttpRefusal(404, "there is no such program to compare with");
  HttpResponse response;
  response.type = "application/octet-stream";
  const std::lock_guard lock(asking_);
  const uint32_t before = against ? Opened(FilesOf(*now, *against)) : 0;
  response.body = host_.Ask(Opened(FilesOf(*now, *index)), request.body, before);
  return response;
}

std::vector<ServedPrograms::File> ViewSite::FilesOf(const State& state, size_t program) const {
  const ServedPrograms::Program& wanted = state.served.programs[program];
  std::vector<ServedPrograms::File> files;
  const auto add = [&](int32_t file) {
    files.push_back(state.served.files[static_cast<size_t>(file)]);
  };
  if (wanted.file >= 0) add(wanted.file);
  for (const int32_t piece : wanted.assignment) add(piece);
  if (wanted.file < 0) return files;
  for (const std::string& profile : profiles_) files.push_back({profile, {}});
  return files;
}

uint32_t ViewSite::Opened(const std::vector<ServedPrograms::File>& files) {
  for (size_t i = 0; i < opened_.size(); ++i) {
    if (opened_[i].files != files) continue;
    std::rotate(opened_.begin() + static_cast<ptrdiff_t>(i),
                opened_.begin() + static_cast<ptrdiff_t>(i) + 1, opened_.end());
    return opened_.back().documents.front();
  }
  if (opened_.size() >= kMaxOpened) {
    for (const uint32_t document : opened_.front().documents) host_.Close(document);
    opened_.erase(opened_.begin());
  }
  std::vector<uint32_t> documents;
  for (const auto& [path, folder] : files) {
    documents.push_back(host_.Open(OpenDumpFile(path, folder), path));
    if (documents.size() > 1) host_.Pair(documents.front(), documents.back());
  }
  opened_.push_back({files, documents});
  return documents.front();
}

HttpResponse ViewSite::File(std::string_view number) const {
  const std::shared_ptr<const State> now = state();
  const auto index = IndexFrom(number, now->served.files.size());
  if (!index) return HttpRefusal(404, "there is no such file");
  const auto& [path, folder] = now->served.files[*index];
  Result<SourceBuffer> source = OpenDumpFile(path, folder);
  if (!source) return HttpRefusal(404, source.error().message);
  HttpResponse response;
  response.type = "application/octet-stream";
  auto owner = std::make_shared<SourceBuffer>(std::move(*source));
  response.bytes = owner->bytes();
  if (owner->compression() != Compression::kNone) response.owned = response.bytes.size();
  response.owner = std::move(owner);
  return response;
}

}  // namespace halo::tool
