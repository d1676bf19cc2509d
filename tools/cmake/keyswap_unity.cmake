# keyswap_unite_rooms(): with KEYSWAP_UNITY the files of a target that lie in one room (a folder) are
# compiled together, as one translation unit. A header is then read once, and a template instantiated
# once, for all of them: the sanitizers' build takes half the processor time, see tools/FIGURES.md.
# So inside a room a name means one thing, in anonymous namespaces too; the groups are rooms, not
# batches of a size, so that a new file can clash with its neighbours only. Generated sources and
# those with options of their own stay alone.
function(keyswap_unite_rooms)
    foreach(folder IN ITEMS traces model simulator kernels proptests tools)
        get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} PROPERTY BUILDSYSTEM_TARGETS)
        foreach(target IN LISTS targets)
            get_target_property(type ${target} TYPE)
            if(type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$")
                keyswap_unite_rooms_of(${target} ${PROJECT_SOURCE_DIR}/${folder})
            endif()
        endforeach()
    endforeach()
endfunction()

function(keyswap_unite_rooms_of target directory)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        if(NOT source MATCHES "\\.cpp$" OR NOT EXISTS ${directory}/${source})
            continue()
        endif()
        get_filename_component(room ${source} DIRECTORY)
        string(MAKE_C_IDENTIFIER "room_${room}" room)
        set_source_files_properties(
            ${directory}/${source} DIRECTORY ${directory} PROPERTIES UNITY_GROUP ${room})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
