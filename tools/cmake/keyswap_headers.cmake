# keyswap_check_headers(LIBRARIES): the target keyswap_headers shows that each header compiles alone.
# A header with a source file of its name is left to that file, which includes it first
# (tools/house/include_rule_test.cpp sees to that); for each other one a file is compiled that includes
# nothing else. All headers are looked for, since a list could forget one. Headers of kernels/ are
# compiled where CUDA's are found, those of model/mpi/ where MPI's are, and the one that needs SQLite's where
# these are. Where rooms are compiled together (keyswap_unity.cmake), the source files of the program are
# compiled alone by the preset `release`; those of proptests/ are not.
function(keyswap_check_headers)
    set(folders traces model simulator tools proptests)
    if(TARGET keyswap_kernels) # whose headers need CUDA
        list(APPEND folders kernels)
    endif()
    set(sources "")
    foreach(folder IN LISTS folders)
        file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
        if(NOT KEYSWAP_WITH_MPI)
            list(FILTER headers EXCLUDE REGEX "^model/mpi/")
        endif()
        if(NOT KEYSWAP_WITH_SQLITE)
            list(FILTER headers EXCLUDE REGEX "^tools/testing/nsight_fixture.hpp$")
        endif()
        foreach(header IN LISTS headers)
            string(REGEX REPLACE "\\.hpp$" "" stem ${header})
            if(EXISTS ${PROJECT_SOURCE_DIR}/${stem}.cpp AND NOT (KEYSWAP_UNITY AND folder STREQUAL "proptests"))
                continue()
            endif()
            set(source ${PROJECT_BINARY_DIR}/headers/${header}.cpp)
            file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
            list(APPEND sources ${source})
        endforeach()
    endforeach()
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -fno-sanitize=all) # nothing of them runs
    add_library(keyswap_headers OBJECT ${sources})
    target_compile_options(keyswap_headers PRIVATE -O0 -g0)
    target_compile_definitions(keyswap_headers PRIVATE KEYSWAP_PROGRAM="keyswap" KEYSWAP_SOURCE_DIR="." KEYSWAP_TEST_MPIRUN="mpirun") # of tests that run them
    target_link_libraries(keyswap_headers PRIVATE ${ARGN})
endfunction()
