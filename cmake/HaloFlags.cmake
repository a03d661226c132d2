# Language level, optimisation, warnings and sanitizers, the same for every target of the project.
# Targets created by HaloLibrary.cmake get them from the interface library halo_flags.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Inside another project that project's build type, flags, launcher and linker stay as they are.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
  endif()

  # Release keeps line tables by default so that profiles and crash reports name lines. Debug is for a debugger: nothing
  # is optimised away. With a sanitizer it is optimised a little by default, for fuzzing; compiling without
  # takes less than half as long.
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  if(HALO_LINE_TABLES)
    string(APPEND CMAKE_CXX_FLAGS_RELEASE " -g1")
  endif()
  if(HALO_SANITIZE)
    set(CMAKE_CXX_FLAGS_DEBUG "${HALO_SANITIZED_FLAGS} -D_GLIBCXX_ASSERTIONS")
  else()
    set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g -D_GLIBCXX_ASSERTIONS")
  endif()

  # A precompiled header from the cache is refused as older than its source.
  find_program(HALO_CCACHE ccache)
  if(HALO_CCACHE AND NOT HALO_PCH AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${HALO_CCACHE}")
  endif()

  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    find_program(HALO_LLD NAMES ld.lld-19 ld.lld)
    if(HALO_LLD)
      add_link_options(-fuse-ld=lld)
    endif()
  endif()
endif()

if(HALO_LTO)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

if(HALO_SANITIZE)
  add_compile_options(-fsanitize=${HALO_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -DHALO_SANITIZED=1)
  add_link_options(-fsanitize=${HALO_SANITIZE})
endif()

if(HALO_LIBFUZZER)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HALO_LIBFUZZER needs Clang")
  endif()
  # Instruments every object for coverage; only the fuzz targets link libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

add_library(halo_flags INTERFACE)
target_compile_features(halo_flags INTERFACE cxx_std_20)
# Binaries must not contain the path of the checkout, except in a plain Debug build, where debuggers use it
# to find the sources.
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT HALO_SANITIZE)
  target_compile_options(halo_flags INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
else()
  target_compile_options(halo_flags INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
endif()
# GCC contracts multiply-adds unless told otherwise; the evaluator's results must not depend on it.
target_compile_options(halo_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-ffp-contract=off>)
target_compile_options(halo_flags INTERFACE
  -Wall -Wextra $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wshadow> -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wextra-semi -Wcast-qual -Wformat=2 -Wundef -Wvla
  $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wimplicit-fallthrough -Wunreachable-code
    -Wrange-loop-analysis -Wnewline-eof -Wthread-safety>
  $<$<BOOL:${HALO_WERROR}>:-Werror>
  # A local name may well be that of a file-local one in a neighbouring file.
  $<$<BOOL:${HALO_UNITY}>:-Wno-shadow>)
