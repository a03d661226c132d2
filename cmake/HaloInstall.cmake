# `cmake --install`, in components: `core` is the public library with its headers, its package
# configuration for find_package(Haloscope) and its pkg-config file; `command` is the command with its man
# pages and completions; `engine` holds the plugins that either loads when it needs them. No other header or
# library is installed.
include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Haloscope")
set(plugin_folder lib/haloscope)

if(TARGET halo)
  install(TARGETS halo RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  # The command writes its own man pages and completions, so it must run on this machine.
  if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    set(share "${PROJECT_BINARY_DIR}/share")
    set(bash "${share}/bash-completion/completions")
    set(zsh "${share}/zsh/site-functions")
    set(fish "${share}/fish/vendor_completions.d")
    add_custom_command(
      OUTPUT "${share}/man/man1/halo.1" "${bash}/halo" "${zsh}/_halo" "${fish}/halo.fish"
      COMMAND ${CMAKE_COMMAND} -E make_directory "${share}/man/man1" "${bash}" "${zsh}" "${fish}"
      COMMAND halo man --output "${share}/man/man1"
      COMMAND halo completion bash > "${bash}/halo"
      COMMAND halo completion zsh > "${zsh}/_halo"
      COMMAND halo completion fish > "${fish}/halo.fish"
      DEPENDS halo
      COMMENT "Writing man pages and completions")
    add_custom_target(halo_manuals ALL DEPENDS "${share}/man/man1/halo.1")
    # The descriptions of documents and requests, as schemas and as types of other languages. The package and the page
    # take theirs from where their sources are, so that both run without being built.
    set(described "${PROJECT_BINARY_DIR}/described")
    add_custom_command(
      OUTPUT "${described}/_documents.py" "${described}/documents.ts"
      COMMAND ${CMAKE_COMMAND} -E rm -rf "${share}/haloscope/schemas"
      COMMAND ${CMAKE_COMMAND} -E make_directory "${share}/haloscope/schemas" "${described}"
      COMMAND halo describe --schemas "${share}/haloscope/schemas"
      COMMAND halo describe --python > "${described}/_documents.py"
      COMMAND halo describe --typescript > "${described}/documents.ts"
      COMMAND ${CMAKE_COMMAND} -E copy_if_different "${described}/_documents.py"
              "${PROJECT_SOURCE_DIR}/python/src/haloscope/_documents.py"
      COMMAND ${CMAKE_COMMAND} -E copy_if_different "${described}/documents.ts"
              "${PROJECT_SOURCE_DIR}/viewer/src/core/documents.ts"
      DEPENDS halo
      COMMENT "Writing schemas and types from the descriptions of results")
    add_custom_target(halo_descriptions ALL DEPENDS "${described}/_documents.py" "${described}/documents.ts")
    install(DIRECTORY "${share}/haloscope/schemas" DESTINATION share/haloscope COMPONENT command)
    foreach(folder IN ITEMS man bash-completion zsh fish)
      install(DIRECTORY "${share}/${folder}" DESTINATION share COMPONENT command)
    endforeach()
  endif()
endif()
# The viewer's page with the licences of what it bundles, where scripts/build_viewer made it.
install(FILES "${PROJECT_BINARY_DIR}/share/haloscope/viewer.html" "${PROJECT_BINARY_DIR}/share/haloscope/viewer-licenses.md"
        DESTINATION share/haloscope COMPONENT command OPTIONAL)

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
