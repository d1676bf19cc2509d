# keyswap_embed_texts(<output.cpp> <header> <namespace> <type> <function> <files>...)
# Writes a source file in which `std::vector<type> function()` gives {name, text} of each file
# (name = without folder and extension), so that programs need no data files where they run.
function(keyswap_embed_texts output header namespace type function)
    set(entries "")
    foreach(file IN LISTS ARGN)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
        get_filename_component(name "${file}" NAME_WE)
        file(READ "${file}" text)
        string(APPEND entries "        {\"${name}\", R\"embedded(${text})embedded\"},\n")
    endforeach()
    string(
        CONCAT content
               "// Made from data files by CMake.\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#include \"${header}\"\n\nnamespace ${namespace} {\n\n"
               "std::vector<${type}> ${function}() {\n    return {\n${entries}    };\n}\n\n"
               "} // namespace ${namespace}\n")
    file(CONFIGURE OUTPUT "${output}" CONTENT "@content@" @ONLY)
endfunction()
