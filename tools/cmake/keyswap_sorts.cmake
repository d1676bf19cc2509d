# Sorts are found through registries that the build generates, so that a further sort changes no
# shared source file: each folder's CMakeLists.txt has one line for it,
#
#     keyswap_add_sort(model p2p_merge sorts/merge/p2p_merge.cpp [further sources])
#
# and one of these files defines the function that the registry calls:
#
#     folder     function                                    registry
#     traces     AlgorithmInfo const& p2p_merge_algorithm()  catalog()
#     model      Algorithm const& p2p_merge_model()          algorithms()
#     simulator  ScheduleKind const& p2p_merge_schedule()    schedule_kinds()
#     kernels    SortDriver const& p2p_merge_driver()        sort_drivers()
#
# WIDE_KEYS in the line of kernels: its driver takes keys of 16 bytes as well.
# The order of the lines is the order of tables. With IN <program> the sort belongs to that program
# alone (keyswap_add_sorts_to), and not to the libraries.

# keyswap_sort_registry(<folder> <target> HEADER h NAMESPACE n TYPE t SUFFIX s FUNCTION f)
# Says what the registry of a folder looks like and which library it belongs to.
function(keyswap_sort_registry folder target)
    cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;TYPE;SUFFIX;FUNCTION" "" ${ARGN})
    set_property(GLOBAL APPEND PROPERTY KEYSWAP_SORT_FOLDERS ${folder})
    set_property(GLOBAL PROPERTY KEYSWAP_SORT_TARGET_${folder} ${target})
    foreach(word IN ITEMS HEADER NAMESPACE TYPE SUFFIX FUNCTION)
        set_property(GLOBAL PROPERTY KEYSWAP_SORT_${word}_${folder} "${ARG_${word}}")
    endforeach()
endfunction()

function(keyswap_add_sort folder name)
    cmake_parse_arguments(ARG "WIDE_KEYS" "IN" "" ${ARGN})
    list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    set_property(GLOBAL APPEND PROPERTY KEYSWAP_SORTS_${folder}_${ARG_IN} ${name})
    if(ARG_WIDE_KEYS)
        set_property(GLOBAL APPEND PROPERTY KEYSWAP_WIDE_SORTS_${folder} ${name})
    endif()
    if(ARG_IN)
        set_property(GLOBAL APPEND PROPERTY KEYSWAP_SORT_SOURCES_${ARG_IN} ${ARG_UNPARSED_ARGUMENTS})
    else()
        set_property(GLOBAL APPEND PROPERTY KEYSWAP_SORT_SOURCES_OF_${folder} ${ARG_UNPARSED_ARGUMENTS})
    endif()
endfunction()

# Sets `count` and `entries` to the names of sorts as the catalogue has them, as C++.
function(keyswap_sort_entries count entries)
    list(LENGTH ARGN length)
    set(lines "")
    foreach(name IN LISTS ARGN)
        string(REPLACE "_" "-" name ${name})
        string(APPEND lines "        \"${name}\",\n")
    endforeach()
    set(${count} ${length} PARENT_SCOPE)
    set(${entries} "${lines}" PARENT_SCOPE)
endfunction()

# Writes the names of the folder's sorts, and of those with wide keys, into a file.
function(keyswap_write_sort_names folder template output)
    get_property(names GLOBAL PROPERTY KEYSWAP_SORTS_${folder}_)
    get_property(wide_names GLOBAL PROPERTY KEYSWAP_WIDE_SORTS_${folder})
    keyswap_sort_entries(COUNT ENTRIES ${names})
    keyswap_sort_entries(WIDE_COUNT WIDE_ENTRIES ${wide_names})
    configure_file(${template} ${output} @ONLY)
endfunction()

# Writes the registry of `folder` with the sorts `names` into `output`.
function(keyswap_write_sort_registry folder output)
    foreach(word IN ITEMS HEADER NAMESPACE TYPE SUFFIX FUNCTION)
        get_property(${word} GLOBAL PROPERTY KEYSWAP_SORT_${word}_${folder})
    endforeach()
    set(DECLARATIONS "")
    set(ENTRIES "")
    foreach(name IN LISTS ARGN)
        string(APPEND DECLARATIONS "${TYPE} const& ${name}${SUFFIX}();\n")
        string(APPEND ENTRIES "        &${name}${SUFFIX}(),\n")
    endforeach()
    list(LENGTH ARGN COUNT)
    configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/sort_registry.cpp.in ${output} @ONLY)
endfunction()

# keyswap_finish_sorts(<folder>): after the last keyswap_add_sort of the folder.
function(keyswap_finish_sorts folder)
    get_property(names GLOBAL PROPERTY KEYSWAP_SORTS_${folder}_)
    get_property(sources GLOBAL PROPERTY KEYSWAP_SORT_SOURCES_OF_${folder})
    get_property(target GLOBAL PROPERTY KEYSWAP_SORT_TARGET_${folder})
    set(output ${CMAKE_CURRENT_BINARY_DIR}/sort_registry.cpp)
    keyswap_write_sort_registry(${folder} ${output} ${names})
    target_sources(${target} PRIVATE ${sources} ${output})
endfunction()

# keyswap_add_sorts_to(<executable> <program>)
# Gives an executable the sorts of the libraries and those added with IN <program>. Its registries
# take the place of the libraries' own: a linker takes a function from a static library only where
# the program has none of that name.
function(keyswap_add_sorts_to executable program)
    get_property(folders GLOBAL PROPERTY KEYSWAP_SORT_FOLDERS)
    get_property(sources GLOBAL PROPERTY KEYSWAP_SORT_SOURCES_${program})
    foreach(folder IN LISTS folders)
        get_property(names GLOBAL PROPERTY KEYSWAP_SORTS_${folder}_)
        get_property(own GLOBAL PROPERTY KEYSWAP_SORTS_${folder}_${program})
        if(NOT own)
            continue()
        endif()
        set(output ${CMAKE_CURRENT_BINARY_DIR}/${program}_sort_registry_${folder}.cpp)
        keyswap_write_sort_registry(${folder} ${output} ${names} ${own})
        list(APPEND sources ${output})
    endforeach()
    target_sources(${executable} PRIVATE ${sources})
endfunction()
