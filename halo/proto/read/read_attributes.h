// Converts an instruction's fields to its attribute list: exactly the attributes that XLA prints
// for it, in its printing order. ops.def lists which attributes an op has; this file decides when
// one is printed.
#ifndef HALO_PROTO_READ_READ_ATTRIBUTES_H_
#define HALO_PROTO_READ_READ_ATTRIBUTES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "halo/proto/read/instruction_fields.h"
#include "halo/proto/read/read_context.h"

namespace halo {

// What an instruction may refer to.
struct ProtoScope {
  const std::unordered_map<int64_t, CompId>* computations = nullptr;
  std::function<std::optional<InstId>(int64_t id)> instruction;
  std::function<std::optional<ShapeId>(int64_t id)> shape_of;
};

class AttributeReader {
 public:
  AttributeReader(ProtoContext& context, const ProtoScope& scope)
      : context_(context), module_(context.module), scope_(scope) {}

  // `inst` has its name, opcode and shape. False if an error was reported; whatever could be read
  // is still kept.
  bool Read(const InstructionFields& fields, Inst& inst);

 private:
  // ---- read_attributes.cc: the op's own that are plain values
  std::optional<Attr> Own(AttrKey key);
  std::optional<Attr> Called(AttrKey key, size_t index);
  std::optional<Attr> CalledList(AttrKey key, AttrForm form);
  std::optional<Attr> Comparison(AttrKey key);
  std::optional<Attr> Dimensions(AttrKey key);
  std::optional<Attr> DotDimensions(AttrKey key);
  std::optional<Attr> GatherDimensions(AttrKey key);
  std::optional<Attr> ScatterDimensions(AttrKey key);
  std::optional<Attr> Solve(AttrKey key);

  // ---- read_message_attributes.cc: the op's own that are messages
  std::optional<Attr> ReadWindow();
  std::optional<Attr> DimLabels();
  std::optional<Attr> Slices();
  std::optional<Attr> Padding();
  std::optional<Attr> Precision();
  std::optional<Attr> Algorithm();
  std::optional<Attr> Groups();
  std::optional<Attr> SourceTargets();
  std::optional<Attr> PermutedSliceSizes();
  std::optional<Attr> OperandShapes();
  std::optional<Attr> Aliasing();
  std::optional<Attr> Sparsity();
  std::optional<Attr> Domain();
  std::optional<Attr> Replication();

  // ---- read_common_attributes.cc: those that any op may have
  std::optional<Attr> Sharding();
  std::optional<Attr> ControlPredecessors();
  std::optional<Attr> Statistics();
  std::optional<Attr> Accuracy();
  std::optional<Attr> Origin();
  std::optional<Attr> Metadata();
  std::optional<Attr> BackendConfig();

  // ---- Helpers
  Attr Bool(AttrKey key, bool value) { return Attr{key, AttrForm::kPlain, 0, value ? 1u : 0u}; }
  std::optional<Attr> IfTrue(AttrKey key, bool value) {
    return value ? std::optional(Bool(key, true)) : std::nullopt;
  }
  std::optional<Attr> ListOf(AttrKey key, std::string_view message, uint32_t field, bool always);
  std::optional<Attr> IntOf(AttrKey key, std::string_view message, uint32_t field);
  std::string_view PayloadText(std::string_view payload, bool& present);
  bool Fail(DiagCode code, std::string_view where, std::string message);

  ProtoContext& context_;
  Module& module_;
  const ProtoScope& scope_;
  const InstructionFields* f_ = nullptr;
  const Inst* inst_ = nullptr;
  bool good_ = true;
  std::vector<Attr> list_;
  std::vector<int64_t> ints_;
};

// key="value" pairs of FrontendAttributes, sorted by key as XLA prints them; nullopt if there are
// none.
std::optional<Attr> ReadFrontendAttributes(ProtoContext& context, std::string_view proto);

}  // namespace halo

#endif  // HALO_PROTO_READ_READ_ATTRIBUTES_H_
