// Reads arbitrary bytes, which must never crash. A module that reads without errors must, once
// written, read again to the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "halo/proto/read/buffer_assignment_proto.h"
#include "halo/proto/read/read_proto.h"
#include "halo/proto/write/write_proto.h"

namespace {

using namespace halo;

std::string Write(const ProtoReadResult& read, bool& clean) {
  ProtoWriteOptions options;
  options.kind = ProtoKind::kHloModuleProto;
  options.instruction_ids = read.instruction_ids;
  options.computation_ids = read.computation_ids;
  options.kept_fields = read.kept_fields;
  ProtoWriteResult written = WriteHloProto(read.module, options);
  clean = written.diagnostics.ok();
  return std::move(written.bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Diagnostics ignored;
  const BufferAssignmentData plan = ReadBufferAssignmentProto(bytes, ignored);
  if (ignored.empty()) {
    const std::string written = WriteBufferAssignmentProto(plan);
    if (ReadBufferAssignmentProto(written, ignored) != plan) std::abort();
  }

  const ProtoReadResult first = ReadHloProto(bytes);
  if (!first.diagnostics.ok()) return 0;
  bool clean = true;
  const std::string once = Write(first, clean);
  const ProtoReadResult second = ReadHloProto(once, {.kind = ProtoKind::kHloModuleProto});
  if (!second.diagnostics.ok()) std::abort();
  const std::string twice = Write(second, clean);
  const ProtoReadResult third = ReadHloProto(twice, {.kind = ProtoKind::kHloModuleProto});
  if (Write(third, clean) != twice) std::abort();
  return 0;
}
