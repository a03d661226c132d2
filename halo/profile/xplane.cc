// A plane's tables of names follow its lines in the file, so each plane is passed over twice.
#include "halo/profile/xplane.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "halo/base/hash.h"
#include "halo/profile/line_roles.h"
#include "halo/profile/profile_diagnostics.h"
#include "halo/profile/xplane_tables.h"
#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

using namespace xplane;  // NOLINT: numbers of fields

constexpr std::string_view kProgramsPlane = "/host:metadata";
constexpr int64_t kNanosecond = 1000;

int64_t Bounded(int64_t picoseconds) {
  return std::clamp(picoseconds, -kMaxPicoseconds, kMaxPicoseconds);
}

// What an entry of the table of events says; read once for all events that refer to it.
struct EventName {
  bool is_read = false;
  std::string_view text;  // its name
  EventFacts named;
};

class PlaneReader {
 public:
  PlaneReader(const XPlane& plane, bool is_host, ProfileBuilder& out)
      : plane_(plane), is_host_(is_host), out_(out), names_(plane.events.size() + 1) {}

  void Read() {
    struct Line {
      std::string_view message, name;
      LineRole role;
    };
    std::vector<Line> lines;
    bool has_streams = false;
    for (const std::string_view message : plane_.lines) {
      std::string_view name = TextField(message, kLineName);
      if (name.empty()) name = TextField(message, kLineDisplayName);
      lines.push_back({message, name, RoleOfLine(name)});
      has_streams |= lines.back().role == LineRole::kStream;
    }
    for (const Line& line : lines) {
      const bool takes_ops =
          is_host_ || line.role == (has_streams ? LineRole::kStream : LineRole::kOps);
      if (takes_ops || line.role == LineRole::kModules) {
        ReadLine(line.message, !is_host_ && line.role == LineRole::kModules);
      }
    }
  }

 private:
  void ReadLine(std::string_view message, bool is_modules) {
    int64_t timestamp = 0;
    WireReader header(message);
    while (header.Next()) {
      if (header.field() == kLineTimestamp) header.Get(timestamp);
    }
    const int64_t begin =
        std::clamp(timestamp, -kMaxPicoseconds / kNanosecond, kMaxPicoseconds / kNanosecond) *
        kNanosecond;
    WireReader reader(message);
    std::string_view event;
    while (reader.Next()) {
      if (reader.field() == kLineEvent && reader.Get(event)) ReadEvent(event, begin, is_modules);
    }
  }

  const EventName& NameOf(int64_t key) {
    EventName& name = names_[plane_.events.Find(key)];
    if (name.is_read || &name == &names_.back()) return name;
    name.is_read = true;
    std::string_view display;
    WireReader reader(plane_.events.message(plane_.events.Find(key)));
    std::string_view stat;
    while (reader.Next()) {
      switch (reader.field()) {
        case kMetadataName: reader.Get(name.text); break;
        case kMetadataDisplayName: reader.Get(display); break;
        case kMetadataStat:
          if (reader.Get(stat)) plane_.ReadStat(stat, name.named);
          break;
        default: break;
      }
    }
    if (!display.empty() && name.named.is_op) name.text = display;
    if (name.named.op.empty() && name.named.is_op) name.named.op = OpOfText(name.text);
    return name;
  }

  void ReadEvent(std::string_view message, int64_t begin, bool is_modules) {
    int64_t key = 0, offset = 0, duration = 0;
    WireReader reader(message);
    std::string_view stat;
    EventFacts named;
    while (reader.Next()) {
      switch (reader.field()) {
        case kEventMetadata: reader.Get(key); break;
        case kEventOffset: reader.Get(offset); break;
        case kEventDuration: reader.Get(duration); break;
        case kEventStat:
          if (reader.Get(stat)) plane_.ReadStat(stat, named);
          break;
        default: break;
      }
    }
    const EventName& name = NameOf(key);
    const int64_t start = Bounded(begin + Bounded(offset));
    duration = std::clamp<int64_t>(duration, 0, kMaxPicoseconds);
    if (is_modules) {
      out_.profile.runs.push_back(
          {Once(labels_, name.text, [&] { return out_.ProgramFromLabel(name.text); }), Device(),
           start, duration});
      return;
    }
    const std::string_view op = named.op.empty() ? name.named.op : named.op;
    if (op.empty()) {
      if (!is_host_) ++out_.profile.unnamed;
      return;
    }
    ProfileEvent event;
    const std::string_view module = named.module.empty() ? name.named.module : named.module;
    const std::optional<uint64_t> id = named.id ? named.id : name.named.id;
    // TPUs record the id of the program only; its name is that of the run.
    if (!module.empty()) {
      const auto [found, is_new] = programs_.try_emplace({KeyOf(module), id}, 0);
      if (is_new) found->second = out_.Program(module, id);
      event.program = found->second;
    }
    event.op = Once(ops_, op, [&] { return out_.Op(op); });
    event.device = Device();
    event.start = start;
    event.duration = duration;
    out_.profile.events.push_back(event);
  }

  // Texts of the file's tables are referred to by many events, so each is looked up once, by where
  // it is in the file: a long one would make reading quadratic otherwise. A text may be a part of
  // another one, and the label of a program may also be the name of an op.
  using TextKey = std::pair<const char*, size_t>;
  static TextKey KeyOf(std::string_view text) { return {text.data(), text.size()}; }
  struct HashTextKey {
    size_t operator()(const TextKey& key) const {
      return HashMix(reinterpret_cast<uintptr_t>(key.first) ^ kTableKeys.k0,
                     key.second ^ kTableKeys.k1);
    }
  };
  using Indices = std::unordered_map<TextKey, uint32_t, HashTextKey>;

  template <class Make>
  static uint32_t Once(Indices& known, std::string_view text, Make make) {
    const auto [found, is_new] = known.try_emplace(KeyOf(text), 0);
    if (is_new) found->second = make();
    return found->second;
  }

  uint32_t Device() {
    if (device_ == kNoIndex) device_ = out_.Device(plane_.name);
    return device_;
  }

  const XPlane& plane_;
  bool is_host_;
  ProfileBuilder& out_;
  uint32_t device_ = kNoIndex;
  Indices ops_, labels_;
  std::map<std::pair<TextKey, std::optional<uint64_t>>, uint32_t> programs_;
  std::vector<EventName> names_;  // by index in the table of events; the last is for none
};

}  // namespace

bool LooksLikeXSpace(std::string_view bytes) {
  WireReader space(bytes);
  std::string_view plane;
  const bool is_whole = space.Next();
  if (space.field() != kSpacePlane) return false;
  if (is_whole) {
    if (!space.Get(plane)) return false;
  } else {
    if (space.fault() != WireFault::kCutShort) return false;
    plane = bytes.substr(std::min(space.position(), bytes.size()));
  }
  WireReader reader(plane);
  for (int before = 0; before < 4 && reader.Next(); ++before) {
    std::string_view name;
    if (reader.field() != kPlaneName || !reader.Get(name)) continue;
    return name.starts_with("/host:") || name.starts_with("/device:") ||
           name.starts_with("#Chip") || name == "Task Environment";
  }
  return false;
}

std::vector<EmbeddedProgram> ListEmbeddedPrograms(std::string_view bytes) {
  std::vector<EmbeddedProgram> programs;
  WireReader space(bytes);
  std::string_view message;
  while (space.Next()) {
    if (space.field() != kSpacePlane || !space.Get(message)) continue;
    if (TextField(message, kPlaneName) != kProgramsPlane) continue;
    const XPlane plane(message);
    for (size_t i = 0; i < plane.events.size(); ++i) {
      EventFacts named;
      std::string_view name;
      int64_t id = 0;
      WireReader reader(plane.events.message(i));
      std::string_view stat;
      while (reader.Next()) {
        if (reader.field() == kEventMetadata) reader.Get(id);
        if (reader.field() == kMetadataName) reader.Get(name);
        if (reader.field() == kMetadataStat && reader.Get(stat)) plane.ReadStat(stat, named);
      }
      if (named.proto.empty()) continue;
      // "jit_step(12)". Older profiles have the id as the key of the entry only.
      const ProfileProgram program = ParseProgramLabel(name);
      const std::optional<uint64_t> known = named.id ? named.id : program.id;
      programs.push_back({program.name, known ? known : static_cast<uint64_t>(id), named.proto});
    }
  }
  return programs;
}

Profile ReadXSpace(std::string_view bytes) {
  ProfileBuilder builder;
  builder.profile.kind = ProfileKind::kXSpace;
  std::vector<std::string_view> planes;
  WireReader space(bytes);
  std::string_view message;
  while (space.Next()) {
    if (space.field() == kSpacePlane && space.Get(message)) planes.push_back(message);
  }
  bool is_whole = space.ok();
  const auto read = [&](bool is_host) {
    for (const std::string_view each : planes) {
      const std::string_view name = TextField(each, kPlaneName);
      if (name == kProgramsPlane || IsDevicePlane(name) == is_host) continue;
      const XPlane plane(each);
      is_whole &= plane.is_whole;
      PlaneReader(plane, is_host, builder).Read();
    }
  };
  read(/*is_host=*/false);
  const size_t of_devices = builder.profile.events.size();
  read(/*is_host=*/true);
  if (of_devices != 0) {
    builder.profile.launches = builder.profile.events.size() - of_devices;
    builder.profile.events.resize(of_devices);
  }
  if (!is_whole) {
    builder.profile.diagnostics.Add(MakeBinaryDiagnostic(diag::kDamagedProfile, space.position(),
                                                         "the profile is damaged or cut short"));
  }
  return builder.Take();
}

}  // namespace halo
