# Toolchain file of the preset arm: compiles for 64-bit ARM Linux on another CPU, against the root of Debian 12 that
# `scripts/python/make_roots arm64-engine` makes, and runs what was compiled with qemu-user. Sets no target features: NEON is
# part of every such CPU, SVE is not assumed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)  # for CMake's own trial programs; GNU's ld links for one CPU
set(CMAKE_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../build/roots/arm64-engine")
cmake_path(NORMAL_PATH CMAKE_SYSROOT)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
# A CPU without SVE: the default would have it, and oneDNN and Highway would use it.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -cpu neoverse-n1 -L "${CMAKE_SYSROOT}")
