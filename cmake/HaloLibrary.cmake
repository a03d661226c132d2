# How a folder becomes targets. One call per layer, so that the top file reads as the list of layers:
#
#   halo_library(<folder> [NOEXCEPT] [DEPENDS <folder>...] [LINK <target>...] [PRECOMPILE <header>...])
#     halo/<folder>/**.cc    -> halo_<folder>, a static library (an interface one if only headers)
#     halo/<folder>/*_test.cc  -> test/halo_<folder>_test, its cases registered with ctest
#     halo/<folder>/*_fuzz.cc  -> fuzz/<folder>_<name>_fuzz, one each
#     halo/<folder>/*_bench.cc -> bench/halo_<folder>_bench
#   halo_measurements([DEPENDS <folder>...])
#     bench/*.cc             -> bench/<name>, one program each, for whole-file measurements
#   halo_tool(<name> [DEPENDS <folder>...] [LINK <target>...] [PRECOMPILE <header>...])
#     tools/<name>/*.cc      -> <name> at the top of the binary directory
#     tools/<name>/*_test.cc -> test/<name>_tool_test
#     tools/<name>/*_fuzz.cc -> fuzz/<name>_<file>_fuzz, one each
#
#   halo_plugin(<name> FOLDER <folder> [DEPENDS <folder>...])
#     tools/<folder>/*.cc    -> lib<name>.so beside the tools, loaded when needed
#
# A folder that is absent or empty is skipped, and so are dependencies on it.

# Parses what nearly every file includes once per target, with HALO_PCH. Off by default: a file that
# forgets an include would not be noticed, and compiler caches do not look through it.
function(halo_precompile target count)
  if(NOT HALO_PCH OR count LESS 6)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <charconv> <cmath> <cstdint> <cstring> <functional> <map> <memory> <optional> <span>
    <string> <string_view> <tuple> <unordered_map> <unordered_set> <utility> <vector> ${ARGN})
endfunction()

# Every fuzz target; empty while there are none.
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
  cmake_parse_arguments(PARSE_ARGV 1 arg "NOEXCEPT" "" "DEPENDS;LINK;PRECOMPILE")
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
    list(LENGTH sources count)
    halo_precompile(${target} ${count} ${arg_PRECOMPILE})
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
  # A source file includes its own header first, which shows that the header stands alone; of headers
  # without a source file only compiling them shows it.
  set(lone "")
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.h$" ".cc" source "${header}")
    if(NOT source IN_LIST sources)
      list(APPEND lone "${header}")
    endif()
  endforeach()
  list(REMOVE_ITEM headers ${lone})
  target_sources(${target} ${scope}
                 FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${headers}
                 FILE_SET lone TYPE HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${lone})
  halo_existing(deps ${arg_DEPENDS})
  target_link_libraries(${target} ${scope} ${deps} ${arg_LINK})
  # Compiles them: cmake --build … --target all_verify_interface_header_sets
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON
                                             INTERFACE_HEADER_SETS_TO_VERIFY lone)
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
  list(LENGTH arg_SOURCES count)
  halo_precompile(${name} ${count} <gmock/gmock.h> <gtest/gtest.h>)
  target_link_libraries(${name} PRIVATE ${arg_LINK} halo_flags GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE HALO_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             HALO_SHARED_DIR="${HALO_SHARED}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTIES TIMEOUT 300)
endfunction()

# One fuzz target. With libFuzzer it explores; without, the same code replays the files it is given.
# Either way ctest replays the kept inputs (tests/fuzz/<target>/) and the folder's golden files.
# NAME and SOURCES are for targets outside of the layers.
function(halo_fuzzer folder source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NAME" "SOURCES")
  get_filename_component(stem "${source}" NAME_WE)
  if(arg_NAME)
    set(name ${arg_NAME})
  elseif(stem MATCHES "^${folder}_")
    set(name ${stem})
  else()
    set(name ${folder}_${stem})
  endif()
  add_executable(${name} ${source} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  add_dependencies(fuzzers ${name})
  target_link_libraries(${name} PRIVATE halo_${folder} halo_flags)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  set(replayed "")
  foreach(place "tests/fuzz/${name}" "halo/${folder}/test")
    if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${place}")
      list(APPEND replayed "${PROJECT_SOURCE_DIR}/${place}")
    endif()
  endforeach()
  if(HALO_LIBFUZZER)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    list(PREPEND replayed -runs=0 -verbosity=0)
  else()
    target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/fuzz_replay_main.cc")
  endif()
  if(HALO_BUILD_TESTS AND replayed MATCHES "/")
    add_test(NAME fuzz_replay.${name} COMMAND ${name} ${replayed})
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
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LINK;PRECOMPILE")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/${name}/*.cc")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fuzzers ${sources})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cc$")
  halo_existing(deps ${arg_DEPENDS})
  if(NOT sources)
    return()
  endif()
  # All but main.cc is compiled once, for the program and for its tests.
  set(main ${sources})
  list(FILTER main INCLUDE REGEX "/main\\.cc$")
  list(REMOVE_ITEM sources ${main})
  set(parts ${name}_parts)
  add_library(${parts} STATIC ${sources})
  list(LENGTH sources count)
  halo_precompile(${parts} ${count} ${arg_PRECOMPILE})
  target_include_directories(${parts} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${parts} PUBLIC HALO_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${parts} PUBLIC ${deps} ${arg_LINK} PRIVATE halo_flags)
  set_target_properties(${parts} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE ${parts} halo_flags)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  set_property(GLOBAL APPEND PROPERTY HALO_TOOLS ${name})
  if(HALO_BUILD_FUZZERS)
    # A target is fuzzed with the one file that it is named after.
    foreach(source IN LISTS fuzzers)
      get_filename_component(stem "${source}" NAME_WE)
      string(REGEX REPLACE "_fuzz\\.cc$" ".cc" tried "${source}")
      halo_fuzzer(base ${source} NAME ${name}_${stem} SOURCES ${tried})
    endforeach()
  endif()
  if(HALO_BUILD_TESTS AND tests)
    halo_test(${name}_tool_test SOURCES ${tests} LINK ${parts})
  endif()
endfunction()

function(halo_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "DEPENDS")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/${arg_FOLDER}/*.cc")
  halo_existing(deps ${arg_DEPENDS})
  add_library(${name} MODULE ${sources})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE HALO_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${name} PRIVATE ${deps} halo_flags)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  set_property(GLOBAL APPEND PROPERTY HALO_PLUGINS ${name})
endfunction()
