// Compares values of several devices by their digests, in whatever order the devices report them.
// Finds the first value at which devices that must agree differ, and the first at which any devices
// differ.
#ifndef HALO_API_OBSERVE_AGREEMENT_TABLE_H_
#define HALO_API_OBSERVE_AGREEMENT_TABLE_H_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "halo/analysis/devices/replication.h"
#include "halo/ir/module.h"

namespace halo {

// One array that a device produced.
struct OfferedValue {
  int64_t device = 0;
  int64_t sequence = 0;  // how many values the device produced before; a tuple counts as one
  InstId inst;
  int64_t execution = 0;  // execution count of the instruction on this device
  size_t leaf = 0;
  uint64_t digest = 0;
};

struct DisagreeingDevices {
  InstId inst;
  int64_t execution = 0;
  size_t leaf = 0;
  int64_t sequence = 0;
  int64_t device = 0, other = 0;
};

class AgreementTable {
 public:
  AgreementTable(const Replication& replication, int64_t devices)
      : replication_(replication), reached_(static_cast<size_t>(devices), 0) {}

  void Offer(const OfferedValue& value);
  // True once no device can report an earlier difference.
  [[nodiscard]] bool IsSettled() const;

  [[nodiscard]] const std::optional<DisagreeingDevices>& difference() const { return difference_; }
  [[nodiscard]] const std::optional<DisagreeingDevices>& divergence() const { return divergence_; }
  [[nodiscard]] int64_t compared() const { return compared_; }

 private:
  struct Key {
    uint32_t inst, leaf;
    int64_t execution;
    int64_t holder;  // the first device of the class; -1: all devices
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct First {
    uint64_t digest;
    int64_t device;
    int64_t missing;  // devices that have not reported yet
  };

  void Compare(const OfferedValue& value, int64_t holder, int64_t members,
               std::optional<DisagreeingDevices>& earliest);

  const Replication& replication_;
  std::vector<int64_t> reached_;  // by device: the latest sequence number
  std::unordered_map<Key, First, KeyHash> open_;
  std::optional<DisagreeingDevices> difference_, divergence_;
  int64_t compared_ = 0;
};

}  // namespace halo

#endif  // HALO_API_OBSERVE_AGREEMENT_TABLE_H_
