// Which devices of a job behave alike: devices whose collectives span as many nodes, with partners
// that behave alike. All devices run the same program, so one device of each class is enough.
#ifndef HALO_COST_SCALE_JOB_CLASSES_H_
#define HALO_COST_SCALE_JOB_CLASSES_H_

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

// Copies of the program's devices follow each other: device `d` of copy `c` is c * program + d.
struct DeviceLayout {
  int64_t program = 1;   // devices of one copy
  int64_t copies = 1;    // data-parallel
  int64_t per_node = 0;  // consecutive devices of a node; 0: all are in one
  [[nodiscard]] int64_t total() const { return program * copies; }
  [[nodiscard]] int64_t NodeOf(int64_t device) const {
    return per_node > 0 ? device / per_node : 0;
  }
};

// Over how many nodes the same device of all copies is spread, at most.
int64_t NodesAcrossCopies(const DeviceLayout& layout);

// The number of devices that the module is compiled for.
int64_t ProgramDevices(const Module& module);

// What a collective is to the devices of one class.
struct CollectivePart {
  int64_t nodes = 1;               // that its group spans; 2 if one of its pairs crosses nodes
  bool takes_part = true;          // false: a permute that neither sends nor receives
  std::vector<uint32_t> partners;  // classes that it waits for, in order, its own included
};

class JobClasses {
 public:
  // `collectives` are instructions with replica groups or pairs.
  JobClasses(const Module& module, const std::vector<InstId>& collectives,
             const DeviceLayout& layout);

  // Why there are no classes; empty if there are some.
  [[nodiscard]] std::string_view problem() const { return problem_; }
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(sizes_.size()); }
  [[nodiscard]] int64_t size(uint32_t each) const { return sizes_[each]; }
  // `collective` must be one of those given.
  [[nodiscard]] const CollectivePart& part(InstId collective, uint32_t each) const {
    return parts_[by_inst_.at(collective.value)][each];
  }
  // Of a collective between the same devices of all copies.
  [[nodiscard]] const CollectivePart& across_copies(uint32_t each) const { return parts_[0][each]; }

 private:
  // Groups of one attribute. A device that is in no group is alone in its own.
  struct Table {
    bool is_pairs = false;
    std::vector<uint32_t> group;          // by device; of pairs, unused
    std::vector<int32_t> source, target;  // of pairs, by device; -1: none
    std::vector<int64_t> nodes;           // by device
  };
  static uint64_t KeyOf(const Module& module, const Inst& inst);
  void AddTable(const Module& module, const Inst& inst);
  void CountNodes(Table& table) const;
  // Sets of classes by device, as numbers that are equal where the sets are.
  [[nodiscard]] std::vector<uint64_t> PartnerSets(const Table& table) const;
  void Refine();
  void DescribeParts();

  DeviceLayout layout_;         // of the copies that are looked at
  std::vector<int64_t> alike_;  // how many copies each of them is an example of
  std::vector<Table> tables_;
  std::unordered_map<uint64_t, uint32_t> by_key_;   // tables by attribute
  std::unordered_map<uint32_t, uint32_t> by_inst_;  // tables by collective
  std::vector<uint32_t> class_of_;                  // by device
  std::vector<int64_t> sizes_;
  std::vector<std::vector<CollectivePart>> parts_;  // by table, by class
  std::string_view problem_;
};

}  // namespace halo

#endif  // HALO_COST_SCALE_JOB_CLASSES_H_
