# keyswap_add_test(NAME <target> LABEL unit|prop|gpu [threads] [release] [TIMEOUT s]
#                  [OPTIMISED] [WHOLE] [FEW_SANITIZED] SOURCES ... LIBRARIES ...)
# One GoogleTest executable; each of its tests becomes a ctest entry with the labels. Further labels
# say where else it runs: `threads` under the thread sanitizer, `release` in an optimised build.
# The target keyswap_tests_<label> builds every test of that label. A test's time goes into the
# libraries that it tests, so it is compiled without optimisation unless it is OPTIMISED or runs kernels.
# WHOLE: one ctest entry, and 20 cases a property: the tests of another target with other libraries.
# FEW_SANITIZED, with the label `release`: 20 cases a property under sanitizers, all 100 in the optimised build.
# Under the thread sanitizer every property has 20 cases: more of them differ in keys, not in synchronization.
# A test whose one label is `release` is not built by default where there are sanitizers.
function(keyswap_add_test)
    if(NOT KEYSWAP_BUILD_TESTS)
        return()
    endif()
    cmake_parse_arguments(ARG "OPTIMISED;WHOLE;FEW_SANITIZED" "NAME;TIMEOUT" "LABEL;SOURCES;LIBRARIES" ${ARGN})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    if(KEYSWAP_COVERAGE)
        math(EXPR ARG_TIMEOUT "4 * ${ARG_TIMEOUT}") # counted, and not optimised
    endif()
    add_executable(${ARG_NAME} ${ARG_SOURCES})
    if(KEYSWAP_SANITIZE_ADDRESS)
        # Each check of the sanitizers has addresses in its data: position-independent programs of 420 MB would
        # relocate four million of them at every start.
        target_link_options(${ARG_NAME} PRIVATE -no-pie)
    endif()
    target_link_libraries(${ARG_NAME} PRIVATE keyswap::options GTest::gtest GTest::gtest_main ${ARG_LIBRARIES})
    if(NOT ARG_OPTIMISED AND NOT "gpu" IN_LIST ARG_LABEL)
        target_compile_options(${ARG_NAME} PRIVATE -O0)
    endif()
    foreach(label IN LISTS ARG_LABEL)
        keyswap_label_target(${label} ${ARG_NAME})
    endforeach()
    if(ARG_LABEL STREQUAL "release" AND KEYSWAP_SANITIZE_ADDRESS)
        set_target_properties(${ARG_NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
        return()
    endif()
    include(GoogleTest)
    # One label with plus signs, since a list does not get through gtest_discover_tests. `ctest -L
    # release` finds it all the same.
    string(REPLACE ";" "+" labels "${ARG_LABEL}")
    set(few_cases ENVIRONMENT_MODIFICATION "RC_PARAMS=string_append: max_success=20")
    if(ARG_WHOLE)
        add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
        set_tests_properties(
            ${ARG_NAME} PROPERTIES LABELS "${labels}" TIMEOUT ${ARG_TIMEOUT} ${few_cases})
        return()
    endif()
    if(NOT (ARG_FEW_SANITIZED AND KEYSWAP_SANITIZE_ADDRESS) AND NOT KEYSWAP_SANITIZE_THREAD)
        set(few_cases "")
    endif()
    gtest_discover_tests(
        ${ARG_NAME}
        DISCOVERY_TIMEOUT 120
        PROPERTIES LABELS "${labels}" TIMEOUT ${ARG_TIMEOUT} ${few_cases})
endfunction()

# Makes keyswap_tests_<label> build `target` too.
function(keyswap_label_target label target)
    if(NOT TARGET keyswap_tests_${label})
        add_custom_target(keyswap_tests_${label})
    endif()
    add_dependencies(keyswap_tests_${label} ${target})
endfunction()
