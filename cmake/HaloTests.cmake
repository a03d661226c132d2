# Registers the other ctest tests besides the unit tests: the golden files (lit and FileCheck), the rules
# that scripts enforce, and the Python tests of those scripts.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(HALO_LLVM_TOOLS "/usr/lib/llvm-19/bin" CACHE PATH "Folder with FileCheck, not, count, split-file")
find_program(HALO_FILECHECK NAMES FileCheck FileCheck-19 HINTS "${HALO_LLVM_TOOLS}")
find_file(HALO_LIT NAMES lit.py HINTS "${HALO_LLVM_TOOLS}/../build/utils/lit")

if(TARGET halo_api)
  # Also compiled to WebAssembly and against an installed package, to compare the results.
  add_executable(api_smoke "${PROJECT_SOURCE_DIR}/tests/api_smoke.cc")
  target_link_libraries(api_smoke PRIVATE halo_api halo_flags)
  set_target_properties(api_smoke PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
endif()

if(TARGET halo_plugins_test)
  # Beside the test that must refuse it.
  add_library(halo_other_build MODULE "${PROJECT_SOURCE_DIR}/halo/plugins/test/other_build.cc")
  target_link_libraries(halo_other_build PRIVATE halo_flags)
  set_target_properties(halo_other_build PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
  add_dependencies(halo_plugins_test halo_other_build)
endif()

# halo_ranks_test(<library> <program> <test> <launcher> COUNTS <n>... [OPTIONS <word>...] [ARGUMENTS <word>...]): each process that the launcher starts is a device.
function(halo_ranks_test library program test launcher)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "COUNTS;OPTIONS;ARGUMENTS")
  if(NOT TARGET ${library})
    return()
  endif()
  add_executable(${program} "${PROJECT_SOURCE_DIR}/halo/devices/test/ranks.cc")
  target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${program} PRIVATE ${library} halo_flags GTest::gmock GTest::gtest)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
  foreach(devices IN LISTS arg_COUNTS)
    if(launcher)
      add_test(NAME ${test}${devices} COMMAND "${launcher}" ${arg_OPTIONS} -n ${devices} $<TARGET_FILE:${program}>
               ${arg_ARGUMENTS})
    else()
      add_test(NAME ${test}${devices} COMMAND "${CMAKE_COMMAND}" -E echo "skipped: its launcher is not installed")
    endif()
    # MPI itself does not free all its memory.
    set_tests_properties(${test}${devices} PROPERTIES TIMEOUT 120 SKIP_REGULAR_EXPRESSION "^skipped: "
                         ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
  endforeach()
endfunction()
halo_ranks_test(halo_devices devices_ranks devices.ranks "${MPIEXEC_EXECUTABLE}" COUNTS 4 8
                OPTIONS --allow-run-as-root --oversubscribe)
if(NOT HALO_SANITIZE)
  find_program(HALO_MPIEXEC_MPICH NAMES mpiexec.mpich mpiexec.hydra)
  halo_ranks_test(halo_devices_mpich devices_mpich_ranks devices.mpich_ranks "${HALO_MPIEXEC_MPICH}" COUNTS 4
                  # The others repeat what Open MPI's do, with processes that wait busily.
                  ARGUMENTS "--gtest_filter=Ranks.Transfers*:Ranks.DevicesTalk")
endif()

if(HALO_FILECHECK AND HALO_LIT AND TARGET halo)
  get_filename_component(HALO_FILECHECK_DIR "${HALO_FILECHECK}" REALPATH)
  get_filename_component(HALO_FILECHECK_DIR "${HALO_FILECHECK_DIR}" DIRECTORY)
  # lit finds a suite by the configuration file in the folder it is given. Ours is in the binary directory
  # and points to the sources, because golden files are in several folders.
  configure_file("${PROJECT_SOURCE_DIR}/cmake/lit.site.cfg.py.in"
                 "${PROJECT_BINARY_DIR}/lit/lit.site.cfg.py" @ONLY)
  add_test(NAME lit
           COMMAND "${Python3_EXECUTABLE}" "${HALO_LIT}" -v --order=lexical
                   "${PROJECT_BINARY_DIR}/lit")
  set_tests_properties(lit PROPERTIES TIMEOUT 900)
elseif(NOT TARGET halo)
  message(STATUS "no command yet: golden files are not run")
else()
  message(WARNING "FileCheck or lit not found: golden files are not run (Debian: llvm-19-tools)")
endif()

foreach(check IN ITEMS layers folders)
  add_test(NAME ${check}
           COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/check_${check}.py")
endforeach()

if(HALO_SANITIZE)
  set(is_sanitized 1)
else()
  set(is_sanitized 0)
endif()
file(GLOB python_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scripts/*_test.py"
                                         "${PROJECT_SOURCE_DIR}/tests/*_test.py")
foreach(file IN LISTS python_tests)
  get_filename_component(stem "${file}" NAME_WE)
  add_test(NAME python.${stem} COMMAND "${Python3_EXECUTABLE}" "${file}")
  set_tests_properties(python.${stem} PROPERTIES
    ENVIRONMENT "HALO=$<$<TARGET_EXISTS:halo>:$<TARGET_FILE:halo>>;HALO_SANITIZED=${is_sanitized}"
    TIMEOUT 600)
endforeach()

# An interpreter without sanitizers cannot load a library with them.
if(TARGET halo AND NOT HALO_SANITIZE)
  file(GLOB package_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/tests/*_test.py")
  foreach(file IN LISTS package_tests)
    get_filename_component(stem "${file}" NAME_WE)
    add_test(NAME python.package.${stem} COMMAND "${Python3_EXECUTABLE}" "${file}")
    set_tests_properties(python.package.${stem} PROPERTIES TIMEOUT 300
      ENVIRONMENT "HALOSCOPE_LIBRARY=$<TARGET_FILE:haloscope>;HALOSCOPE_COMMAND=$<TARGET_FILE:halo>")
  endforeach()
endif()
