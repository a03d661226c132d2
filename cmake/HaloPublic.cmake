# libhaloscope, the public library: all layers of the core in one shared library that exports the C++
# interface of include/haloscope (namespace halo::v0) and the C interface of haloscope/c.h, and nothing
# else. Users link haloscope::core, from the installed package or by add_subdirectory.
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/halo/public/*.cc")
set(tests ${sources})
list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
list(FILTER tests INCLUDE REGEX "_test\\.cc$")
file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/haloscope/*.h")

add_library(haloscope SHARED ${sources})
halo_unity(haloscope ${sources})
add_library(haloscope::core ALIAS haloscope)
target_sources(haloscope PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${headers})
target_compile_features(haloscope PUBLIC cxx_std_20)
target_compile_definitions(haloscope PRIVATE HALO_BUILDING_LIBRARY HALO_VERSION="${PROJECT_VERSION}")
target_link_libraries(haloscope PRIVATE halo_view halo_plugins halo_flags)
# The script hides what visibility cannot: instances of std templates. The static layers export nothing, even what they instantiate
# of public templates. Mach-O has no such scripts.
set(exports "${PROJECT_SOURCE_DIR}/cmake/haloscope.map")
if(NOT APPLE)
  target_link_options(haloscope PRIVATE "-Wl,--version-script=${exports}" -Wl,--exclude-libs,ALL -Wl,--as-needed)
endif()
set_target_properties(haloscope PROPERTIES
  EXPORT_NAME core VERSION "${PROJECT_VERSION}" SOVERSION "${PROJECT_VERSION_MAJOR}" LINK_DEPENDS "${exports}"
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
  VERIFY_INTERFACE_HEADER_SETS ON)

if(HALO_BUILD_TESTS AND NOT HALO_UNIT_TESTS)
  # Against the library as users see it.
  halo_test(haloscope_test SOURCES ${tests} LINK haloscope)
endif()
if(HALO_BUILD_FUZZERS OR HALO_BUILD_BENCHMARKS)
  # Against the library as well; the core generates the calls and compares the results. Also a measurement: `--calls`.
  halo_fuzzer(eval "${PROJECT_SOURCE_DIR}/halo/public/custom_call_fuzz.cc" NAME public_custom_call_fuzz
              LINK haloscope halo_shrink halo_text)
endif()
