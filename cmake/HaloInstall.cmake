# `cmake --install`: the command, the libraries with their headers, and a package configuration for
# find_package(Haloscope).
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY HALO_LIBRARIES)
get_property(tools GLOBAL PROPERTY HALO_TOOLS)

if(tools)
  install(TARGETS ${tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

get_property(plugins GLOBAL PROPERTY HALO_PLUGINS)
if(plugins)
  install(TARGETS ${plugins} LIBRARY DESTINATION lib/haloscope)
endif()

# The viewer's page, if scripts/build_viewer has built it.
install(FILES "${PROJECT_BINARY_DIR}/share/haloscope/viewer.html" DESTINATION share/haloscope OPTIONAL)

if(libraries)
  set(extra "")
  foreach(target IN ITEMS halo_zlib halo_zstd halo_threads halo_llvm halo_onednn halo_highway halo_gomp
          halo_mpi)
    if(TARGET ${target})
      list(APPEND extra ${target})
    endif()
  endforeach()
  install(TARGETS ${libraries} ${extra} EXPORT HaloscopeTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILE_SET lone DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  # CMake does not install tables that headers include (ops.def etc.) as headers.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/halo" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.def" PATTERN "*.inc" PATTERN "test" EXCLUDE)
  install(EXPORT HaloscopeTargets NAMESPACE halo::
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Haloscope)
  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/HaloscopeConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/HaloscopeConfig.cmake"
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Haloscope)
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/HaloscopeConfigVersion.cmake"
                                   COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/HaloscopeConfig.cmake"
                "${PROJECT_BINARY_DIR}/HaloscopeConfigVersion.cmake"
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Haloscope)
endif()
