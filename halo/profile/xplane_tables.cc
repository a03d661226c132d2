// Names are looked up once for each entry of a table, not for each event that refers to it.
#include "halo/profile/xplane_tables.h"

#include <algorithm>
#include <charconv>

#include "halo/proto/wire/wire.h"

namespace halo {

using namespace xplane;  // NOLINT: numbers of fields

std::string_view TextField(std::string_view message, uint32_t field) {
  std::string_view text;
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.field() == field) reader.Get(text);
  }
  return text;
}

void WireMap::Add(std::string_view entry) {
  int64_t key = 0;
  std::string_view value;
  WireReader reader(entry);
  while (reader.Next()) {
    if (reader.field() == kMapKey) reader.Get(key);
    if (reader.field() == kMapValue) reader.Get(value);
  }
  if (!value.empty()) entries_.push_back({key, value});
}

void WireMap::Sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.key != b.key ? a.key < b.key : a.value.data() < b.value.data();
  });
}

size_t WireMap::Find(int64_t key) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), key,
                       [](const Entry& each, int64_t wanted) { return each.key < wanted; });
  return found == entries_.end() || found->key != key
             ? size()
             : static_cast<size_t>(found - entries_.begin());
}

XPlane::Role XPlane::RoleOf(std::string_view name) {
  if (name == "hlo_op") return Role::kOp;
  if (name == "hlo_module") return Role::kModule;
  if (name == "program_id") return Role::kProgramId;
  if (name == "hlo_category") return Role::kCategory;
  if (name == "Hlo Proto" || name == "hlo_proto") return Role::kProto;
  return Role::kOther;
}

XPlane::XPlane(std::string_view message) {
  WireReader reader(message);
  std::string_view text;
  while (reader.Next()) {
    if (!reader.Get(text)) continue;
    switch (reader.field()) {
      case kPlaneName: name = text; break;
      case kPlaneLine: lines.push_back(text); break;
      case kPlaneEvents: events.Add(text); break;
      case kPlaneStats: stats.Add(text); break;
      default: break;
    }
  }
  is_whole = reader.ok();
  events.Sort();
  stats.Sort();
  for (size_t i = 0; i < stats.size(); ++i) {
    stat_names_.push_back(TextField(stats.message(i), kMetadataName));
    roles_.push_back(RoleOf(stat_names_.back()));
  }
}

void XPlane::ReadStat(std::string_view message, EventFacts& facts) const {
  constexpr size_t kMostDigits = 20;
  int64_t key = 0, number = 0, reference = 0;
  std::string_view text;
  bool is_reference = false;
  WireReader reader(message);
  while (reader.Next()) {
    switch (reader.field()) {
      case kStatMetadata: reader.Get(key); break;
      case kStatUint:
      case kStatInt: reader.Get(number); break;
      case kStatText:
      case kStatBytes: reader.Get(text); break;
      case kStatRef: is_reference = reader.Get(reference); break;
      default: break;
    }
  }
  const size_t index = stats.Find(key);
  if (index == stats.size() || roles_[index] == Role::kOther) return;
  if (is_reference) {
    const size_t target = stats.Find(reference);
    if (target != stats.size()) text = stat_names_[target];
  }
  switch (roles_[index]) {
    case Role::kOp: facts.op = text; break;
    case Role::kModule: facts.module = text; break;
    case Role::kProgramId: {
      uint64_t id = static_cast<uint64_t>(number);
      if (!text.empty() && text.size() <= kMostDigits) {
        std::from_chars(text.data(), text.data() + text.size(), id);
      }
      facts.id = id;
      break;
    }
    case Role::kCategory: facts.is_op = true; break;
    case Role::kProto: facts.proto = text; break;
    case Role::kOther: break;
  }
}

}  // namespace halo
