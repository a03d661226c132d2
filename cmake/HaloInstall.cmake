# `cmake --install`, in components: `core` is the public library with its headers, its package
# configuration for find_package(Haloscope) and its pkg-config file; `command` is the command; `engine`
# holds the plugins that either loads when it needs them. No other header or library is installed.
include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Haloscope")
set(plugin_folder lib/haloscope)

if(TARGET halo)
  install(TARGETS halo RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/schemas" DESTINATION share/haloscope COMPONENT command)
# The viewer's page, where scripts/build_viewer made it.
install(FILES "${PROJECT_BINARY_DIR}/share/haloscope/viewer.html" DESTINATION share/haloscope
        COMPONENT command OPTIONAL)

get_property(plugins GLOBAL PROPERTY HALO_PLUGINS)
if(plugins)
  install(TARGETS ${plugins} LIBRARY DESTINATION ${plugin_folder} COMPONENT engine)
endif()

install(TARGETS haloscope EXPORT HaloscopeTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT core NAMELINK_COMPONENT core
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT core)
install(EXPORT HaloscopeTargets NAMESPACE haloscope:: DESTINATION ${package} COMPONENT core)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/HaloscopeConfig.cmake.in" "${PROJECT_BINARY_DIR}/HaloscopeConfig.cmake"
  INSTALL_DESTINATION ${package} PATH_VARS plugin_folder)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/HaloscopeConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/HaloscopeConfig.cmake" "${PROJECT_BINARY_DIR}/HaloscopeConfigVersion.cmake"
        DESTINATION ${package} COMPONENT core)
file(RELATIVE_PATH pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/haloscope.pc.in" "${PROJECT_BINARY_DIR}/haloscope.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/haloscope.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT core)
