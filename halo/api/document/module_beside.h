// A serialized buffer assignment in a separate file, as a user saves the one that JAX's
// memory_analysis() carries, has only the numbers of instructions. The module that has them is
// looked for beside it.
#ifndef HALO_API_DOCUMENT_MODULE_BESIDE_H_
#define HALO_API_DOCUMENT_MODULE_BESIDE_H_

#include <string>
#include <vector>

#include "halo/base/io/source_buffer.h"

namespace halo {

// Where the module of the assignment in `path` may be: step.hlo.pb for step.buffer_assignment.pb.
std::vector<std::string> ModulesBeside(const std::string& path);

// Both as one HloProto, if there is a module beside; the assignment alone otherwise.
SourceBuffer WithModuleBeside(SourceBuffer assignment, const std::string& path);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_MODULE_BESIDE_H_
