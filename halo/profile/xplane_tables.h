// The tables of names of an XPlane, and what the stats of an event say with their help. Which
// events count is decided elsewhere.
#ifndef HALO_PROFILE_XPLANE_TABLES_H_
#define HALO_PROFILE_XPLANE_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace halo {

// Numbers of the fields of an XSpace's messages.
namespace xplane {
inline constexpr uint32_t kSpacePlane = 1;
inline constexpr uint32_t kPlaneName = 2, kPlaneLine = 3, kPlaneEvents = 4, kPlaneStats = 5;
inline constexpr uint32_t kMapKey = 1, kMapValue = 2;
inline constexpr uint32_t kLineName = 2, kLineTimestamp = 3, kLineEvent = 4, kLineDisplayName = 11;
inline constexpr uint32_t kEventMetadata = 1, kEventOffset = 2, kEventDuration = 3, kEventStat = 4;
inline constexpr uint32_t kMetadataName = 2, kMetadataDisplayName = 4, kMetadataStat = 5;
inline constexpr uint32_t kStatMetadata = 1, kStatUint = 3, kStatInt = 4, kStatText = 5,
                          kStatBytes = 6, kStatRef = 7;
}  // namespace xplane

// The last text of this field in a message; empty if there is none.
std::string_view TextField(std::string_view message, uint32_t field);

// A map<int64, Message>; sorted once, then found by binary search.
class WireMap {
 public:
  void Add(std::string_view entry);
  void Sort();
  [[nodiscard]] size_t size() const { return entries_.size(); }
  [[nodiscard]] std::string_view message(size_t index) const { return entries_[index].value; }
  // size() if there is none.
  [[nodiscard]] size_t Find(int64_t key) const;

 private:
  struct Entry {
    int64_t key;
    std::string_view value;
  };
  std::vector<Entry> entries_;
};

// What the stats of an event, or of its metadata, say.
struct EventFacts {
  std::string_view op, module, proto;
  std::optional<uint64_t> id;  // of the program
  bool is_op = false;          // they name a category of op
};

class XPlane {
 public:
  explicit XPlane(std::string_view message);

  void ReadStat(std::string_view message, EventFacts& facts) const;

  std::string_view name;
  std::vector<std::string_view> lines;
  WireMap events, stats;
  bool is_whole = true;

 private:
  enum class Role : uint8_t { kOther, kOp, kModule, kProgramId, kCategory, kProto };
  static Role RoleOf(std::string_view name);

  std::vector<std::string_view> stat_names_;  // by index in `stats`
  std::vector<Role> roles_;
};

}  // namespace halo

#endif  // HALO_PROFILE_XPLANE_TABLES_H_
