// Makes the libraries that kernels call keep to the CPU level of this process.
#ifndef HALO_CODEGEN_LIMIT_LIBRARIES_H_
#define HALO_CODEGEN_LIMIT_LIBRARIES_H_

namespace halo {

// Must come before the first call of a library; later calls do nothing.
void LimitLibraries();

}  // namespace halo

#endif  // HALO_CODEGEN_LIMIT_LIBRARIES_H_
