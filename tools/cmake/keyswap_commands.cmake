# keyswap_add_command([<folder>/]<name> [LIBRARIES ...])
# Adds tools/commands/<folder>/command_<name>.cpp to the `keyswap` program. keyswap_finish_commands() then generates
# the function that adds all of them, in the order of these calls, which is the order of --help.
set_property(GLOBAL PROPERTY KEYSWAP_COMMANDS "")

function(keyswap_add_command command)
    get_filename_component(folder ${command} DIRECTORY)
    get_filename_component(name ${command} NAME)
    cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
    cmake_path(SET file NORMALIZE commands/${folder}/command_${name}.cpp)
    target_sources(keyswap_commands PRIVATE ${file})
    if(ARG_LIBRARIES)
        target_link_libraries(keyswap_commands PUBLIC ${ARG_LIBRARIES})
    endif()
    set_property(GLOBAL APPEND PROPERTY KEYSWAP_COMMANDS ${name})
endfunction()

function(keyswap_finish_commands)
    get_property(names GLOBAL PROPERTY KEYSWAP_COMMANDS)
    set(DECLARATIONS "")
    set(CALLS "")
    foreach(name IN LISTS names)
        string(APPEND DECLARATIONS "void add_${name}_command(CLI::App& app, ChosenCommand& chosen);\n")
        string(APPEND CALLS "    add_${name}_command(app, chosen);\n")
    endforeach()
    configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/command_list.cpp.in
                   ${CMAKE_CURRENT_BINARY_DIR}/command_list.cpp @ONLY)
    target_sources(keyswap_commands PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/command_list.cpp)
endfunction()
