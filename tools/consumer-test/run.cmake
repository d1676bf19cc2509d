# Installs the build into a new prefix, then configures, builds and runs a program that finds it there.
# Inputs: BUILD_DIR, SOURCE_DIR, WORK_DIR, CXX_COMPILER, CXX_LAUNCHER, BUILD_TYPE.
function(must_succeed)
    execute_process(
        COMMAND ${ARGN}
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed: ${ARGN}\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
must_succeed(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
must_succeed(
    ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/build -G Ninja -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${CXX_LAUNCHER}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
must_succeed(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
must_succeed(${WORK_DIR}/build/consumer)

# The tests of a wrong sort: they fail, say why, and end at as few keys as show it.
execute_process(COMMAND ${WORK_DIR}/build/my_sort_test RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
    message(FATAL_ERROR "the tests of a wrong sort passed:\n${output}")
endif()
if(NOT output MATCHES "std::vector<int>:[ \n]+\\[-?[0-9]+, -?[0-9]+, -?[0-9]+\\]")
    message(FATAL_ERROR "the counterexample was not shrunk to three keys:\n${output}")
endif()
foreach(expected IN ITEMS "Zoo/MySort.Sorts/AllEqual" "is a sorted permutation of the 10,000 keys" "The output lacks 4,999 keys of value 3")
    string(FIND "${output}" "${expected}" place)
    if(place EQUAL -1)
        message(FATAL_ERROR "the tests of a wrong sort do not say '${expected}':\n${output}")
    endif()
endforeach()
must_succeed(${WORK_DIR}/prefix/bin/keyswap --version)
foreach(file IN ITEMS share/man/man1/keyswap.1 share/bash-completion/completions/keyswap
                      share/zsh/site-functions/_keyswap share/fish/vendor_completions.d/keyswap.fish)
    if(NOT EXISTS ${WORK_DIR}/prefix/${file})
        message(FATAL_ERROR "${file} was not installed")
    endif()
endforeach()
