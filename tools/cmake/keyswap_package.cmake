# Install rules and the CMake package: find_package(keyswap) gives keyswap::traces, keyswap::model and
# keyswap::simulator. Called last, when every library is known.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/keyswap)
set(packaged_libraries keyswap_options)
foreach(folder IN ITEMS traces model simulator)
    if(TARGET keyswap_${folder})
        list(APPEND packaged_libraries keyswap_${folder})
    endif()
    install(
        DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/keyswap
        FILES_MATCHING
        PATTERN "*.hpp")
endforeach()
set_target_properties(keyswap_options PROPERTIES EXPORT_NAME options)

install(
    TARGETS ${packaged_libraries}
    EXPORT keyswap_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS keyswap RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(
    EXPORT keyswap_targets
    NAMESPACE keyswap::
    FILE keyswap-targets.cmake
    DESTINATION ${package_dir})
configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/tools/cmake/keyswap-config.cmake.in
    ${PROJECT_BINARY_DIR}/keyswap-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/keyswap-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/keyswap-config.cmake
              ${PROJECT_BINARY_DIR}/keyswap-config-version.cmake DESTINATION ${package_dir})
