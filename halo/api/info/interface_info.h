// Lists a module's parameters and outputs, and which of them share memory.
#ifndef HALO_API_INFO_INTERFACE_INFO_H_
#define HALO_API_INFO_INTERFACE_INFO_H_

#include "halo/api/info/module_info.h"

namespace halo {

// Fills in parameters, outputs and their totals.
void DescribeInterface(const Module& module, v0::InfoModule& info);

}  // namespace halo

#endif  // HALO_API_INFO_INTERFACE_INFO_H_
