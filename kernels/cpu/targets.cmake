# Sorts of CPUs. Without Highway, and where the processor lacks its instructions, the same algorithms run
# scalar.
set(keyswap_cpu_sources cpu/buffered_radix.cpp cpu/cpu_sort.cpp cpu/merge_kernels.cpp cpu/run_merge.cpp cpu/simd_merge.cpp
                        cpu/thread_team.cpp)
if(KEYSWAP_WITH_HIGHWAY)
    # It is compiled once for each instruction set, and so alone.
    set_source_files_properties(cpu/merge_network.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endif()

# With the argument SCALAR: without Highway, wherever that is.
function(keyswap_add_cpu_sorts target)
    add_library(${target} STATIC ${keyswap_cpu_sources})
    target_link_libraries(${target} PUBLIC keyswap::traces keyswap::options Threads::Threads)
    if(KEYSWAP_WITH_HIGHWAY AND NOT "SCALAR" IN_LIST ARGN)
        target_sources(${target} PRIVATE cpu/merge_network.cpp)
        target_compile_definitions(${target} PRIVATE KEYSWAP_WITH_HIGHWAY)
        target_include_directories(${target} SYSTEM PRIVATE ${KEYSWAP_HIGHWAY_INCLUDE_DIR})
        target_link_libraries(${target} PRIVATE ${KEYSWAP_HIGHWAY_LIBRARY})
    endif()
endfunction()
keyswap_add_cpu_sorts(keyswap_cpu_sorts)
if(KEYSWAP_BUILD_TESTS)
    # The same with faults to plant, for tests of the checker.
    keyswap_add_cpu_sorts(keyswap_cpu_sorts_faults)
    target_compile_definitions(keyswap_cpu_sorts_faults PUBLIC KEYSWAP_CPU_FAULTS)
    # What is built where there is no Highway.
    keyswap_add_cpu_sorts(keyswap_cpu_sorts_scalar SCALAR)
endif()
