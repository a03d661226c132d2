# The library halo_build_id: halo::BuildId() with a hash of all sources that the command, the library
# and the plugins share. Linked by those and by codegen alone, so that other tests need not be linked
# again whenever a source changes.
file(GLOB_RECURSE names CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     "${PROJECT_SOURCE_DIR}/halo/*.cc" "${PROJECT_SOURCE_DIR}/halo/*.h" "${PROJECT_SOURCE_DIR}/halo/*.def"
     "${PROJECT_SOURCE_DIR}/halo/*.inc" "${PROJECT_SOURCE_DIR}/tools/engine/*.cc"
     "${PROJECT_SOURCE_DIR}/tools/devices/*.cc")
list(FILTER names EXCLUDE REGEX "_(test|fuzz|bench)\\.cc$|/test/")
list(SORT names)
list(TRANSFORM names PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE sources)
list(JOIN names "\n" listed)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/build_id/sources.txt" CONTENT "${listed}\n" @ONLY)
string(JOIN " " settings "${PROJECT_VERSION}" "${CMAKE_CXX_COMPILER_ID}" "${CMAKE_CXX_COMPILER_VERSION}"
       "${CMAKE_BUILD_TYPE}" "${CMAKE_CXX_FLAGS}" "${HALO_SANITIZE}" "${HALO_THREADS}")
set(build_id "${PROJECT_BINARY_DIR}/build_id/build_id.cc")
add_custom_command(OUTPUT "${build_id}"
  COMMAND "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DFILES=${PROJECT_BINARY_DIR}/build_id/sources.txt"
          "-DSETTINGS=${settings}" "-DOUTPUT=${build_id}" -P "${PROJECT_SOURCE_DIR}/cmake/build_id.cmake"
  DEPENDS ${sources} "${PROJECT_BINARY_DIR}/build_id/sources.txt" "${PROJECT_SOURCE_DIR}/cmake/build_id.cmake"
  COMMENT "Hashing sources" VERBATIM)
add_library(halo_build_id STATIC "${build_id}")
target_include_directories(halo_build_id PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(halo_build_id PRIVATE $<BUILD_INTERFACE:halo_flags>)
