// Threads are named by separate events, anywhere in the file, so it is passed over twice: for
// names, then for executions.
#include "halo/profile/chrome_trace.h"

#include <algorithm>
#include <map>

#include "halo/base/json/json_reader.h"
#include "halo/profile/line_roles.h"
#include "halo/profile/profile_diagnostics.h"

namespace halo {
namespace {

constexpr std::string_view kEventsKey = "\"traceEvents\"";
constexpr size_t kLookedAtForEvents = 4096;

bool IsJsonBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Iterates over the elements of the list of events, as text.
class EventTexts {
 public:
  explicit EventTexts(std::string_view text) : text_(text) {
    const size_t key = text_.find(kEventsKey);
    at_ = text_.find('[', key == std::string_view::npos ? 0 : key);
    if (at_ != std::string_view::npos) ++at_;
  }

  bool Next(std::string_view& element) {
    while (at_ < text_.size() && (IsJsonBlank(text_[at_]) || text_[at_] == ',')) ++at_;
    if (at_ >= text_.size()) return false;
    if (text_[at_] == ']') {
      is_whole_ = true;
      return false;
    }
    if (text_[at_] != '{') return false;
    const size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        if (!SkipString()) return false;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        element = text_.substr(begin, ++at_ - begin);
        return true;
      }
    }
    return false;
  }

  // True if the list was closed.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  [[nodiscard]] size_t position() const { return std::min(at_, text_.size()); }

 private:
  // Moves to the closing quote.
  bool SkipString() {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        return true;
      }
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool is_whole_ = false;
};

struct Names {
  std::map<int64_t, std::string> processes;
  std::map<std::pair<int64_t, int64_t>, LineRole> threads;
  std::map<int64_t, bool> has_streams;
};

void ReadNames(std::string_view bytes, Names& names) {
  EventTexts events(bytes);
  std::string_view text;
  while (events.Next(text)) {
    if (text.find("\"M\"") == std::string_view::npos) continue;
    const std::optional<JsonValue> event = ParseJson(text);
    if (!event || (*event)["ph"].AsString() != "M") continue;
    const std::string_view name = (*event)["args"]["name"].AsString();
    const int64_t process = (*event)["pid"].AsInt(0);
    if ((*event)["name"].AsString() == "process_name") {
      names.processes[process] = name;
    } else if ((*event)["name"].AsString() == "thread_name") {
      const LineRole role = RoleOfLine(name);
      names.threads[{process, (*event)["tid"].AsInt(0)}] = role;
      if (role == LineRole::kStream) names.has_streams[process] = true;
    }
  }
}

class TraceReader {
 public:
  TraceReader(const Names& names, ProfileBuilder& out) : names_(names), out_(out) {}

  void Add(const JsonValue& event) {
    if (event["ph"].AsString() != "X") return;
    const int64_t pid = event["pid"].AsInt(0);
    const auto process = names_.processes.find(pid);
    const bool is_device = process != names_.processes.end() && IsDevicePlane(process->second);
    const auto thread = names_.threads.find({pid, event["tid"].AsInt(0)});
    const LineRole role = thread == names_.threads.end() ? LineRole::kOther : thread->second;
    const int64_t start = PicosecondsFrom(event["ts"].AsDouble(0) * 1e-6);
    const int64_t duration = std::max<int64_t>(0, PicosecondsFrom(event["dur"].AsDouble(0) * 1e-6));
    const uint32_t device = DeviceOf(pid, process);
    if (is_device && role == LineRole::kModules) {
      out_.profile.runs.push_back(
          {out_.ProgramFromLabel(event["name"].AsString()), device, start, duration});
      return;
    }
    if (is_device &&
        role != (names_.has_streams.contains(pid) ? LineRole::kStream : LineRole::kOps)) {
      return;
    }
    const JsonValue& facts = event["args"];
    std::string_view op = facts["hlo_op"].AsString();
    // TPUs name the event itself after its op.
    if (op.empty() && is_device && (!facts["hlo_category"].is_null() || role == LineRole::kOps)) {
      op = OpOfText(event["name"].AsString());
    }
    if (op.empty()) {
      if (is_device) ++out_.profile.unnamed;
      return;
    }
    ProfileEvent found;
    const std::string_view module = facts["hlo_module"].AsString();
    if (!module.empty()) {
      const int64_t id = facts["program_id"].AsInt(-1);
      found.program =
          out_.Program(module, id < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(id)));
    }
    found.op = out_.Op(op);
    found.device = device;
    found.start = start;
    found.duration = duration;
    (is_device ? out_.profile.events : host_).push_back(found);
  }

  void Finish() {
    if (out_.profile.events.empty()) {
      out_.profile.events = std::move(host_);
    } else {
      out_.profile.launches = host_.size();
    }
  }

 private:
  uint32_t DeviceOf(int64_t pid, std::map<int64_t, std::string>::const_iterator process) {
    const auto [found, is_new] = devices_.try_emplace(pid, 0);
    if (is_new) {
      found->second = out_.Device(
          process == names_.processes.end() ? "process " + std::to_string(pid) : process->second);
    }
    return found->second;
  }

  const Names& names_;
  ProfileBuilder& out_;
  std::map<int64_t, uint32_t> devices_;
  std::vector<ProfileEvent> host_;
};

}  // namespace

bool LooksLikeChromeTrace(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size() && IsJsonBlank(bytes[at])) ++at;
  const std::string_view head = bytes.substr(at, kLookedAtForEvents);
  if (head.starts_with('[')) return head.find("\"ph\"") != std::string_view::npos;
  return head.starts_with('{') && head.find(kEventsKey) != std::string_view::npos;
}

Profile ReadChromeTrace(std::string_view bytes) {
  ProfileBuilder builder;
  builder.profile.kind = ProfileKind::kChromeTrace;
  Names names;
  ReadNames(bytes, names);
  TraceReader reader(names, builder);
  EventTexts events(bytes);
  std::string_view text;
  size_t bad = 0;
  while (events.Next(text)) {
    const std::optional<JsonValue> event = ParseJson(text);
    if (!event) {
      ++bad;
      continue;
    }
    reader.Add(*event);
  }
  reader.Finish();
  if (!events.is_whole() || bad != 0) {
    builder.profile.diagnostics.Add(
        MakeDiagnostic(diag::kDamagedProfile, bytes, events.position(),
                       bad != 0 ? std::to_string(bad) + " events are not valid JSON"
                                : std::string("the list of events ends early")));
  }
  return builder.Take();
}

}  // namespace halo
