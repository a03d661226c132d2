// Identifies what a binary was built from. The command, the library and their plugins exchange C++
// objects, so they only fit together when all were built from the same sources with the same
// settings; a version number, which many commits share, does not show that.
#ifndef HALO_BASE_BUILD_ID_H_
#define HALO_BASE_BUILD_ID_H_

namespace halo {

// A hash of the sources below halo/ and of the plugins, of the compiler and its settings: 32
// hexadecimal digits. cmake/build_id.cmake computes it during the build.
const char* BuildId();

}  // namespace halo

#endif  // HALO_BASE_BUILD_ID_H_
