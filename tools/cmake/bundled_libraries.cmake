# After an archive's libraries are in its folder: has them find each other there, and adds the licences of
# the Debian packages that they come from.
set(prefix $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
file(GLOB libraries RELATIVE ${prefix}/lib/keyswap ${prefix}/lib/keyswap/*.so*)
foreach(library IN LISTS libraries)
    # A library with a path of its own, such as Open MPI's, would not see the program's.
    file(RPATH_REMOVE FILE ${prefix}/lib/keyswap/${library})
    execute_process(COMMAND dpkg-query --search */*-linux-gnu/${library} OUTPUT_VARIABLE owner ERROR_QUIET)
    string(REGEX MATCH "^[^:,]+" package "${owner}")
    if(package AND EXISTS /usr/share/doc/${package}/copyright)
        configure_file(/usr/share/doc/${package}/copyright
                       ${prefix}/share/doc/keyswap/libraries/${package} COPYONLY)
    else()
        message(WARNING "The licence of ${library} was not found: add it before you pass the archive on")
    endif()
endforeach()
