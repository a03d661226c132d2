# Run during the build: cmake -DROOT= -DFILES= -DSETTINGS= -DOUTPUT= -P build_id.cmake
# Hashes the sources that FILES lists, by relative path and contents, and the SETTINGS they are
# compiled with, and writes a C++ file that defines halo::BuildId(). Binaries that exchange C++ objects
# compare it: equal ids mean the same declarations on both sides.
file(STRINGS "${FILES}" names)
set(text "${SETTINGS}\n")
foreach(name IN LISTS names)
  file(SHA256 "${ROOT}/${name}" hash)
  string(APPEND text "${hash} ${name}\n")
endforeach()
string(SHA256 id "${text}")
string(SUBSTRING "${id}" 0 32 id)
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT
[[// Written by cmake/build_id.cmake.
#include "halo/base/build_id.h"

const char* halo::BuildId() { return "@id@"; }
]])
