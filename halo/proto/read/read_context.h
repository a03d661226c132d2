// State shared by the files of the proto reader: the module being built, the diagnostics, and
// tables of encoded pieces that were already read (dumps repeat shapes and shardings thousands of
// times).
#ifndef HALO_PROTO_READ_READ_CONTEXT_H_
#define HALO_PROTO_READ_READ_CONTEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/ir/module.h"
#include "halo/proto/wire/wire.h"

namespace halo {

class ProtoContext {
 public:
  ProtoContext(std::string_view file, Module& target, Diagnostics& out)
      : module(target), diagnostics(out), file_(file) {}

  Module& module;
  Diagnostics& diagnostics;
  std::vector<std::string_view> payloads;  // HloModuleProto's table of shared configs
  bool sort_configs = false;               // for this and the next, see ProtoReadOptions
  bool stack_frames = true;

  // Reports an error at `where`, a part of the file. Returns false.
  bool Report(DiagCode code, std::string_view where, std::string message);
  // Reports a damaged message if `reader` found one. True if it did not.
  bool Check(const WireReader& reader, std::string_view message);
  // A field that is not in fields.def: warns once per message and field number.
  void Unknown(std::string_view message_name, const WireReader& reader);

  // ---- read_shape_proto.cc
  bool ReadShape(std::string_view proto, ShapeId& shape) { return ReadShape(proto, shape, 0); }

  // ---- read_literal_proto.cc
  // The value of a constant of shape `shape`, converted from the layout of the literal.
  bool ReadLiteral(std::string_view proto, ShapeId shape, LiteralId& literal);
  // The shape stated in a LiteralProto.
  bool ReadLiteralShape(std::string_view proto, ShapeId& shape);

  // ---- read_common_attributes.cc
  // The canonical text of an OpSharding. `leaves` as for CanonicalShardingText.
  bool ReadShardingText(std::string_view proto, size_t leaves, StrId& text);

 private:
  bool ReadShape(std::string_view proto, ShapeId& shape, int depth);
  bool ReadShapeFields(std::string_view proto, ShapeId& shape, int depth);
  bool ReadLayout(std::string_view proto, size_t rank, LayoutId& layout, int depth);
  bool ReadLiteralLeaves(std::string_view proto, ShapeId shape, int depth);
  bool ReadLeaf(std::string_view proto, ShapeId shape);

  std::string_view file_;
  std::unordered_map<std::string_view, ShapeId> shapes_;
  std::unordered_map<std::string, StrId> shardings_;
  std::unordered_set<std::string> warned_;
  std::vector<uint8_t> bits_;
};

}  // namespace halo

#endif  // HALO_PROTO_READ_READ_CONTEXT_H_
