# How a folder becomes targets. One call per layer, so that the top file reads as the list of layers:
#
#   halo_library(<folder> [NOEXCEPT] [DEPENDS <folder>...] [LINK <target>...])
#     halo/<folder>/**.cc    -> halo_<folder>, a static library (an interface one if only headers)
#     halo/<folder>/*_test.cc  -> test/halo_<folder>_test, its cases registered with ctest
#     halo/<folder>/*_fuzz.cc  -> fuzz/<folder>_<name>_fuzz, one each
#     halo/<folder>/*_bench.cc -> bench/halo_<folder>_bench
#   halo_measurements([DEPENDS <folder>...])
#     bench/*.cc             -> bench/<name>, one program each, for whole-file measurements
#   halo_tool(<name> [DEPENDS <folder>...] [LINK <target>...])
#     tools/<name>/*.cc      -> <name> at the top of the binary directory
#
# A folder that is absent or empty is skipped, and so are dependencies on it.

# Everything the fuzz preset builds; empty while there are no fuzz targets.
add_custom_target(fuzzers)

# Sets ${out} to halo_<folder> for each of the given folders that is a target.
function(halo_existing out)
  set(found "")
  foreach(folder IN LISTS ARGN)
    if(TARGET halo_${folder})
      list(APPEND found halo_${folder})
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

function(halo_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NOEXCEPT" "" "DEPENDS;LINK")
  set(dir "${PROJECT_SOURCE_DIR}/halo/${folder}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${dir}/*.cc")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${dir}/*.h")
  set(tests ${sources})
  set(fuzzers ${sources})
  set(benches ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cc$")
  # Files in a test folder (helpers, golden files) belong to tests, not to the library.
  list(FILTER sources EXCLUDE REGEX "/test/[^/]*$")
  if(NOT sources AND NOT headers)
    return()
  endif()

  set(target halo_${folder})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:halo_flags>)
    target_compile_definitions(${target} PRIVATE HALO_VERSION="${PROJECT_VERSION}")
    if(arg_NOEXCEPT)
      target_compile_options(${target} PRIVATE -fno-exceptions)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(halo::${folder} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${folder}
                                             ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  target_compile_features(${target} ${scope} cxx_std_20)
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}"
                                             FILES ${headers})
  halo_existing(deps ${arg_DEPENDS})
  target_link_libraries(${target} ${scope} ${deps} ${arg_LINK})
  # Compiles every header alone: cmake --build … --target all_verify_interface_header_sets
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  set_property(GLOBAL APPEND PROPERTY HALO_LIBRARIES ${target})

  if(HALO_BUILD_TESTS AND tests)
    halo_test(${target}_test SOURCES ${tests} LINK ${target})
  endif()
  if(HALO_BUILD_FUZZERS)
    foreach(source IN LISTS fuzzers)
      halo_fuzzer(${folder} ${source})
    endforeach()
  endif()
  if(HALO_BUILD_BENCHMARKS AND benches)
    add_executable(${target}_bench ${benches})
    target_link_libraries(${target}_bench PRIVATE ${target} halo_flags benchmark::benchmark_main)
    set_target_properties(${target}_bench PROPERTIES
                          RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  endif()
endfunction()

# halo_test(<name> SOURCES … LINK …): a GoogleTest executable whose cases ctest knows one by one.
function(halo_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} halo_flags GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE HALO_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             HALO_SHARED_DIR="${HALO_SHARED}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTIES TIMEOUT 300)
endfunction()

# One fuzz target. With libFuzzer it explores; without, the same code replays the files it is given,
# and ctest replays the kept inputs (tests/fuzz/<target>/) and the folder's golden files.
function(halo_fuzzer folder source)
  get_filename_component(stem "${source}" NAME_WE)
  if(stem MATCHES "^${folder}_")
    set(name ${stem})
  else()
    set(name ${folder}_${stem})
  endif()
  add_executable(${name} ${source})
  add_dependencies(fuzzers ${name})
  target_link_libraries(${name} PRIVATE halo_${folder} halo_flags)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  if(HALO_LIBFUZZER)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    return()
  endif()
  target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/fuzz_replay_main.cc")
  if(HALO_BUILD_TESTS)
    add_test(NAME fuzz_replay.${name}
             COMMAND ${name} "${PROJECT_SOURCE_DIR}/tests/fuzz/${name}"
                             "${PROJECT_SOURCE_DIR}/halo/${folder}/test")
    set_tests_properties(fuzz_replay.${name} PROPERTIES TIMEOUT 300)
  endif()
endfunction()

function(halo_measurements)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "DEPENDS")
  if(NOT HALO_BUILD_BENCHMARKS)
    return()
  endif()
  halo_existing(deps ${arg_DEPENDS})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cc")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ${deps} halo_flags)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  endforeach()
endfunction()

function(halo_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LINK")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/${name}/*.cc")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cc$")
  halo_existing(deps ${arg_DEPENDS})
  if(NOT sources)
    return()
  endif()
  # The program and the library of its layers differ in target name only when they would collide.
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE HALO_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${name} PRIVATE ${deps} ${arg_LINK} halo_flags)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  set_property(GLOBAL APPEND PROPERTY HALO_TOOLS ${name})
  if(HALO_BUILD_TESTS AND tests)
    set(helpers ${sources})
    list(FILTER helpers EXCLUDE REGEX "/main\\.cc$")
    halo_test(${name}_tool_test SOURCES ${tests} ${helpers} LINK ${deps} ${arg_LINK})
    target_include_directories(${name}_tool_test PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_definitions(${name}_tool_test PRIVATE HALO_VERSION="${PROJECT_VERSION}")
  endif()
endfunction()
