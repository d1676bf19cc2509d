# Makes all packages of a build, unpacks them elsewhere and sorts with the program of the archive, in an
# environment that names no folder of libraries. Inputs: BUILD_DIR, SOURCE_DIR, WORK_DIR, WITH_SQLITE (whether the
# program has it).
function(must_succeed)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed: ${ARGN}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR}/deb)
must_succeed(${CMAKE_CPACK_COMMAND} --config ${BUILD_DIR}/CPackConfig.cmake -B ${WORK_DIR}/made)
file(GLOB deb ${WORK_DIR}/made/keyswap_*.deb)
file(GLOB python_deb ${WORK_DIR}/made/python3-keyswap_*.deb)
file(GLOB archive ${WORK_DIR}/made/*.tar.gz)
must_succeed(dpkg-deb --extract ${deb} ${WORK_DIR}/deb)
must_succeed(${CMAKE_COMMAND} -E tar xf ${archive})
file(GLOB unpacked ${WORK_DIR}/keyswap-*)

foreach(prefix IN ITEMS ${WORK_DIR}/deb/usr ${unpacked})
    foreach(file IN ITEMS bin/keyswap share/man/man1/keyswap.1 share/man/man1/keyswap-check.1
                          share/man/man1/keyswap-bench-model.1 share/doc/keyswap/QUESTIONS.md share/bash-completion/completions/keyswap
                          share/zsh/site-functions/_keyswap share/fish/vendor_completions.d/keyswap.fish
                          share/doc/keyswap/copyright include/keyswap.h lib/libkeyswap.so lib/libkeyswap.so.0)
        if(NOT EXISTS ${prefix}/${file})
            message(FATAL_ERROR "${prefix} has no ${file}")
        endif()
    endforeach()
    if(EXISTS ${prefix}/include/keyswap)
        message(FATAL_ERROR "${prefix} has headers of C++")
    endif()
    # A program in C finds the package's library, and runs.
    file(REMOVE_RECURSE ${WORK_DIR}/c)
    must_succeed(${CMAKE_COMMAND} -S ${SOURCE_DIR}/c -B ${WORK_DIR}/c -DCMAKE_PREFIX_PATH=${prefix})
    must_succeed(${CMAKE_COMMAND} --build ${WORK_DIR}/c)
    must_succeed(${WORK_DIR}/c/example)
endforeach()

# Each .deb names a package for each library; which ones, dpkg-shlibdeps finds.
set(packages libc6 libstdc\\+\\+6 libtbb12 zlib1g libzstd1)
if(WITH_SQLITE)
    list(APPEND packages libsqlite3-0)
endif()
foreach(file IN ITEMS ${deb} ${python_deb})
    must_succeed(dpkg-deb --field ${file} Depends)
    foreach(package IN LISTS packages)
        if(NOT output MATCHES "(^|, )${package} ")
            message(FATAL_ERROR "${file} does not depend on ${package}: ${output}")
        endif()
    endforeach()
endforeach()
if(NOT output MATCHES "(^|, )python3 ")
    message(FATAL_ERROR "${python_deb} does not depend on python3: ${output}")
endif()
must_succeed(dpkg-deb --extract ${python_deb} ${WORK_DIR}/python)
must_succeed(${CMAKE_COMMAND} -E env --unset=KEYSWAP_LIBRARY PYTHONPATH=${WORK_DIR}/python/usr/lib/python3/dist-packages
             PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "import keyswap; assert keyswap.check([2, 1], keyswap.sort([2, 1]))")

# The archive has all libraries but glibc's, with their licences.
set(without ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH PATH=/usr/bin:/bin)
must_succeed(${without} ldd ${unpacked}/bin/keyswap)
string(REGEX MATCHALL "=> [^\n]*" found "${output}")
if(NOT found)
    message(FATAL_ERROR "no libraries: ${output}")
endif()
foreach(library IN LISTS found)
    if(NOT library MATCHES "^=> ${unpacked}/bin/[.][.]/lib/keyswap/"
       AND NOT library MATCHES "^=> [^ ]*/lib(c|m|dl|rt|pthread|resolv|util)[.]so")
        message(FATAL_ERROR "the archive needs what it does not hold: ${library}")
    endif()
endforeach()
file(GLOB licences ${unpacked}/share/doc/keyswap/libraries/*)
if(NOT licences)
    message(FATAL_ERROR "the archive holds no licences of its libraries")
endif()

set(keyswap ${without} ${unpacked}/bin/keyswap)
must_succeed(${keyswap} --version)
must_succeed(${keyswap} sort --distribution zipf --keys 1000 --gpu-count 3 --output sorted.npy --record run.trace.zst)
must_succeed(${keyswap} verify run.trace.zst)
must_succeed(${keyswap} simulate --platform dgx-a100 --keys 1e9 --gpus 0,1)
