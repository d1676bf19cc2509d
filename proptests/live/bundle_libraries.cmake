# Copies the shared libraries that a program needs next to it, except those of every Linux system.
# usage: cmake -DPROGRAM=file -DDESTINATION=folder -P bundle_libraries.cmake
# Those of an earlier build are found next to the program too, and would contradict the system's.
file(GLOB earlier "${DESTINATION}/*.so*")
if(earlier)
    file(REMOVE ${earlier})
endif()
file(
    GET_RUNTIME_DEPENDENCIES
    EXECUTABLES ${PROGRAM}
    RESOLVED_DEPENDENCIES_VAR found
    UNRESOLVED_DEPENDENCIES_VAR missing)
foreach(library IN LISTS found)
    if(NOT library MATCHES "/(ld-linux[^/]*|lib(c|m|dl|rt|pthread))[.]so")
        file(COPY ${library} DESTINATION ${DESTINATION} FOLLOW_SYMLINK_CHAIN)
    endif()
endforeach()
