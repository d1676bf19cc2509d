# Read by cpack once for each kind of archive: which parts of the installation it holds.
set(CPACK_COMPONENTS_ALL program)
if(CPACK_GENERATOR STREQUAL "DEB") # a package for each
    list(APPEND CPACK_COMPONENTS_ALL python)
    set(CPACK_COMPONENTS_GROUPING IGNORE)
endif()
if(CPACK_GENERATOR STREQUAL "TGZ")
    list(APPEND CPACK_COMPONENTS_ALL libraries)
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
