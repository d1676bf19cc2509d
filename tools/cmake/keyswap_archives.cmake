# `cpack` makes a .deb, which depends on the packages of its libraries, and a .tar.gz, which holds all of
# them but glibc's and runs from any folder. Both hold the program, its documents and the C interface; who builds
# against the other libraries has `cmake --install`. A second .deb, python3-keyswap, has the Python package.
set(CPACK_PACKAGE_VENDOR "Keyswap")
set(CPACK_PACKAGE_CONTACT "The Keyswap authors <keyswap@localhost>") # dpkg wants an address
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_SYSTEM_NAME linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME keyswap)
set(CPACK_DEBIAN_PROGRAM_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-keyswap)
set(CPACK_DEBIAN_PYTHON_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-numpy, python3-pandas, python3-pytest, python3-hypothesis")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Checks of sorts, and predictions of multi-GPU sorts, from Python")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/keyswap_components.cmake)

install(
    RUNTIME_DEPENDENCY_SET keyswap_libraries
    PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|cuda))[.]so"
    LIBRARY DESTINATION lib/keyswap COMPONENT libraries EXCLUDE_FROM_ALL)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/bundled_libraries.cmake COMPONENT libraries EXCLUDE_FROM_ALL)
# RPATH, unlike RUNPATH, serves the libraries of the libraries too.
set_target_properties(keyswap PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/keyswap")
target_link_options(keyswap PRIVATE -Wl,--disable-new-dtags)
include(CPack)
