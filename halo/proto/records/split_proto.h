// Messages that XLA splits into the records of a Riegeli file: a manifest names the message, and
// each further record is a part to merge, or the bytes of one field. Joining the parts gives an
// ordinary serialized message.
#ifndef HALO_PROTO_RECORDS_SPLIT_PROTO_H_
#define HALO_PROTO_RECORDS_SPLIT_PROTO_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "halo/base/diagnostics/result.h"

namespace halo {

enum class SplitMessage : uint8_t {
  kHlo,                // HloProto
  kExecutable,         // GpuExecutableProto
  kWrappedExecutable,  // ExecutableAndOptionsProto, which holds such an executable
  kOther,
};

// What the first record says that the file holds.
SplitMessage MessageOfRecords(std::string_view file);

// The HloProto in a file: one that was split, or the one inside a compiled GPU executable. `name`
// is the file's, for messages.
Result<std::string> JoinSplitModule(std::string_view file, const std::string& name);

}  // namespace halo

#endif  // HALO_PROTO_RECORDS_SPLIT_PROTO_H_
