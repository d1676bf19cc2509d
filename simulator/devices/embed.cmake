# Writes OUTPUT, a C++ file that holds the profiles of this folder as raw strings.
# Usage: cmake -DFOLDER=simulator/devices -DOUTPUT=file.cpp -P embed.cmake
file(GLOB cpu_files ${FOLDER}/cpu-*.toml)
file(GLOB gpu_files ${FOLDER}/*.toml)
list(REMOVE_ITEM gpu_files ${cpu_files})
list(SORT cpu_files)
list(SORT gpu_files)

function(make_table function_name files)
    set(rows "")
    set(count 0)
    foreach(file IN LISTS files)
        get_filename_component(name ${file} NAME_WE)
        file(READ ${file} text)
        string(APPEND rows "        {\"${name}\", R\"keyswap(${text})keyswap\"},\n")
        math(EXPR count "${count} + 1")
    endforeach()
    set(body "${body}std::span<EmbeddedProfile const> ${function_name}() {\n    static constexpr std::array<EmbeddedProfile, ${count}> table{{\n${rows}    }};\n    return table;\n}\n" PARENT_SCOPE)
endfunction()

set(body "#include \"simulator/device_profile_embedded.hpp\"\n\n#include <array>\n\nnamespace keyswap::simulator {\n\n")
make_table(embedded_profiles "${gpu_files}")
make_table(embedded_host_profiles "${cpu_files}")
file(WRITE ${OUTPUT} "${body}\n} // namespace keyswap::simulator\n")
