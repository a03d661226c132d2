# The Debian package: `cpack` makes one .deb of all components of HaloInstall.cmake. Its dependencies are those that
# dpkg-shlibdeps finds. scripts/package/build_deb stages the files and calls it.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/haloscope RENAME copyright COMPONENT command)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME haloscope)
set(CPACK_PACKAGE_VENDOR "The Haloscope authors")
set(CPACK_PACKAGE_CONTACT "The Haloscope authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Haloscope reads what XLA dumps and explains it: memory, time, errors and differences. It also runs
 programs, compiled for this machine. This package has the command halo, the library libhaloscope and the compiled engine.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when it is installed, so dpkg-shlibdeps does not see it.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libopenblas0)
include(CPack)
