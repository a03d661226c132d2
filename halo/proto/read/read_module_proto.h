// Converts an HloModuleProto to a Module: header attributes, stack tables, computations with their
// instructions in printing order.
#ifndef HALO_PROTO_READ_READ_MODULE_PROTO_H_
#define HALO_PROTO_READ_READ_MODULE_PROTO_H_

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/proto/read/instruction_fields.h"
#include "halo/proto/read/read_context.h"
#include "halo/proto/wire/computation_order.h"

namespace halo {

class ModuleReader {
 public:
  explicit ModuleReader(ProtoContext& context) : context_(context), module_(context.module) {}

  bool Read(std::string_view proto);

  // Fields of the module that a Module cannot represent, including their tags.
  [[nodiscard]] const std::vector<std::string_view>& kept_fields() const { return kept_fields_; }
  [[nodiscard]] std::vector<int64_t> TakeInstructionIds() { return std::move(instruction_ids_); }
  [[nodiscard]] std::vector<int64_t> computation_ids() const;

 private:
  // An instruction that was seen but not yet created.
  struct Draft {
    std::string_view proto;
    std::string_view shape;
    uint32_t local_id = 0;
  };
  struct CompDraft {
    std::string_view proto;
    std::string_view name;
    std::string_view thread;
    int64_t id = 0;
    int64_t root_id = 0;
    std::vector<std::string_view> instructions;
  };

  bool ReadFields(std::string_view proto);
  bool ReadComputationFields(std::string_view proto);
  bool ReadComputation(uint32_t index);
  bool ReadDrafts(const CompDraft& comp);
  [[nodiscard]] bool HasCircle() const;
  void ApplySchedule(const CompDraft& comp);
  bool IndexDrafts(const CompDraft& comp);
  bool ReadInstruction(const Draft& draft, uint32_t comp);
  [[nodiscard]] uint32_t Position(int64_t id) const;
  void ReadSchedule(std::string_view proto);
  bool ReadStackTables(std::string_view proto);
  void FindEntry();
  void ReadHeader();
  void AddAliases(std::vector<Attr>& attrs);
  void AddDonors(std::vector<Attr>& attrs);
  void AddProgramLayout(std::vector<Attr>& attrs);
  void AddDeviceCounts(std::vector<Attr>& attrs);

  ProtoContext& context_;
  Module& module_;

  std::string_view name_, entry_name_, program_shape_, schedule_, aliases_, donors_,
      device_assignment_, stack_, frontend_attributes_;
  int64_t entry_id_ = 0;
  bool has_entry_id_ = false;
  std::vector<CompDraft> comps_;
  std::unordered_map<int64_t, CompId> comp_of_;
  std::unordered_map<int64_t, std::string_view> sequences_;
  std::vector<std::string_view> kept_fields_;
  std::vector<CallSites> calls_;
  std::vector<int64_t> instruction_ids_;

  // The computation being read.
  std::vector<Draft> drafts_;
  std::vector<uint32_t> dense_;                                    // local id to index in drafts_
  std::unordered_map<uint32_t, uint32_t> sparse_;                  // the same if ids are far apart
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> sites_;  // local id, callees
  uint32_t first_ = 0;
  InstructionFields fields_;
};

}  // namespace halo

#endif  // HALO_PROTO_READ_READ_MODULE_PROTO_H_
