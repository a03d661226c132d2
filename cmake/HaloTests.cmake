# What ctest runs besides the unit tests: the golden files (lit and FileCheck), the rules that scripts
# enforce, and the Python tests of those scripts.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(HALO_LLVM_TOOLS "/usr/lib/llvm-19/bin" CACHE PATH "Folder with FileCheck, not, count, split-file")
find_program(HALO_FILECHECK NAMES FileCheck FileCheck-19 HINTS "${HALO_LLVM_TOOLS}")
find_file(HALO_LIT NAMES lit.py HINTS "${HALO_LLVM_TOOLS}/../build/utils/lit")

if(TARGET halo_api)
  # Also compiled as WebAssembly and against an installed package, to compare the answers.
  add_executable(api_smoke "${PROJECT_SOURCE_DIR}/tests/api_smoke.cc")
  target_link_libraries(api_smoke PRIVATE halo_api halo_flags)
  set_target_properties(api_smoke PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
endif()

if(HALO_FILECHECK AND HALO_LIT AND TARGET halo)
  get_filename_component(HALO_FILECHECK_DIR "${HALO_FILECHECK}" REALPATH)
  get_filename_component(HALO_FILECHECK_DIR "${HALO_FILECHECK_DIR}" DIRECTORY)
  # A suite is found by the configuration file in the folder given to lit; ours stands in the binary
  # directory and points back at the sources, because golden files live in several folders.
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

if(EXISTS "${PROJECT_SOURCE_DIR}/docs/ARCHITECTURE.md")
  add_test(NAME layers
           COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/check_layers.py")
endif()

file(GLOB python_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scripts/*_test.py"
                                         "${PROJECT_SOURCE_DIR}/tests/*_test.py")
foreach(file IN LISTS python_tests)
  get_filename_component(stem "${file}" NAME_WE)
  add_test(NAME python.${stem} COMMAND "${Python3_EXECUTABLE}" "${file}")
  set_tests_properties(python.${stem} PROPERTIES
    ENVIRONMENT "HALO=$<$<TARGET_EXISTS:halo>:$<TARGET_FILE:halo>>" TIMEOUT 600)
endforeach()
