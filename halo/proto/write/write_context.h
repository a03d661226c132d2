// State shared by the files of the proto writer: the module, the ids of its parts, the bytes so
// far, and the diagnostics.
#ifndef HALO_PROTO_WRITE_WRITE_CONTEXT_H_
#define HALO_PROTO_WRITE_WRITE_CONTEXT_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/ir/module.h"
#include "halo/proto/wire/wire.h"
#include "halo/proto/write/write_proto.h"

namespace halo {

class ProtoWriter {
 public:
  // `plain_names`: the module has names that were assigned without checking for duplicates.
  ProtoWriter(const Module& module, const ProtoWriteOptions& options, bool plain_names,
              Diagnostics& diagnostics)
      : module_(module), options_(options), plain_names_(plain_names), diagnostics_(diagnostics) {}

  // Writes the fields of an HloModuleProto into `out`.
  void WriteModule(WireWriter& out);
  // Writes the fields of a LiteralProto.
  void WriteLiteral(LiteralId literal, ShapeId shape, WireWriter& out);

 private:
  // ---- write_order.cc
  void OrderComputations();
  void OrderInstructions(CompId comp);
  void GiveIds();
  void GiveNames();

  // ---- write_module.cc
  void WriteComputation(CompId comp, WireWriter& out);
  void WriteProgramShape(uint32_t field, const Computation& comp, bool is_host, WireWriter& out);
  void WriteSchedule(WireWriter& out);
  void WriteHeader(WireWriter& out);
  void WriteStackTables(WireWriter& out);

  // ---- write_instruction.cc
  void WriteInstruction(InstId id, WireWriter& out);
  void WriteOwn(const Inst& inst, const Attr& attr, WireWriter& out);
  void WriteCalled(const Inst& inst, WireWriter& out);
  void WriteNeeded(const Inst& inst, WireWriter& out);
  void WriteComparisonType(const Inst& inst, WireWriter& out);
  void WriteDot(const Inst& inst, WireWriter& out);
  void WriteGather(const Inst& inst, WireWriter& out);
  void WriteScatter(const Inst& inst, WireWriter& out);
  void WriteSolve(const Inst& inst, WireWriter& out);
  void WritePrecision(const Inst& inst, WireWriter& out);
  void WriteWindow(const Inst& inst, WireWriter& out);
  void WriteAliasing(std::span<const int64_t> encoded, WireWriter& out);
  void WriteNestedSizes(const Attr& attr, WireWriter& out);
  void WriteConstant(const Inst& inst, WireWriter& out);

  // ---- write_common.cc
  void WriteShared(const Inst& inst, const Attr& attr, WireWriter& out);
  void WriteShardingField(uint32_t field, std::string_view text, size_t leaves, WireWriter& out);
  void WriteMetadata(const Inst& inst, const Attr& attr, WireWriter& out);
  void WriteDict(uint32_t field, const Attr& attr, WireWriter& out);
  void WriteStatistics(std::string_view text, WireWriter& out);
  void WriteAccuracy(std::string_view text, WireWriter& out);
  void WriteOrigin(std::string_view text, WireWriter& out);
  void WriteDomain(std::string_view text, WireWriter& out);
  void WriteSparsity(std::string_view text, WireWriter& out);
  void WriteDimLabels(std::string_view text, WireWriter& out);

  // ---- write_shape.cc
  void WriteShape(uint32_t field, ShapeId shape, WireWriter& out);
  void WriteShapeFields(ShapeId shape, WireWriter& out);
  void WriteUnknownArray(ShapeId shape, WireWriter& out);
  void WriteLayout(const Layout& layout, WireWriter& out);
  void WriteLeaf(ShapeId shape, std::span<const uint8_t>& bits, WireWriter& out);
  void WriteLiteralFields(ShapeId shape, std::span<const uint8_t>& bits, WireWriter& out);
  void WriteLiteralShape(ShapeId shape, WireWriter& out);

  [[nodiscard]] std::string_view NameOf(InstId id) const;
  [[nodiscard]] std::string_view NameOf(CompId id) const;
  [[nodiscard]] std::string_view Text(const Attr& attr) const {
    return module_.text(StrId(attr.value));
  }
  [[nodiscard]] int64_t Int(const Inst& inst, AttrKey key, int64_t fallback) const {
    return module_.IntOr(inst.attrs, key, fallback);
  }
  [[nodiscard]] std::span<const int64_t> Ints(const Inst& inst, AttrKey key) const {
    return module_.IntsOf(inst.attrs, key);
  }
  [[nodiscard]] bool Has(const Inst& inst, AttrKey key) const {
    return module_.Find(inst, key) != nullptr;
  }
  // Reports that protos cannot represent `what`, once for each value.
  void Omit(std::string_view what);

  const Module& module_;
  const ProtoWriteOptions& options_;
  bool plain_names_;
  Diagnostics& diagnostics_;
  std::vector<CompId> comps_;               // callees first
  std::vector<std::vector<InstId>> insts_;  // by CompId: operands first
  std::vector<int64_t> inst_ids_, comp_ids_;
  std::vector<bool> is_fusion_;  // by CompId: the body of a fusion
  std::unordered_map<uint32_t, std::string> inst_names_, comp_names_;  // only if changed
  std::unordered_map<uint32_t, std::string> shapes_;                   // by ShapeId: encoded
  std::set<std::string, std::less<>> omitted_;
};

}  // namespace halo

#endif  // HALO_PROTO_WRITE_WRITE_CONTEXT_H_
