# keyswap_add_test(NAME <target> LABEL unit|prop|gpu SOURCES ... LIBRARIES ...)
# One GoogleTest executable; each of its tests becomes a ctest entry with the label.
function(keyswap_add_test)
    if(NOT KEYSWAP_BUILD_TESTS)
        return()
    endif()
    cmake_parse_arguments(ARG "" "NAME;LABEL;TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    add_executable(${ARG_NAME} ${ARG_SOURCES})
    target_link_libraries(${ARG_NAME} PRIVATE keyswap::options GTest::gtest GTest::gtest_main ${ARG_LIBRARIES})
    include(GoogleTest)
    gtest_discover_tests(
        ${ARG_NAME}
        DISCOVERY_TIMEOUT 120
        PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
endfunction()
