# Compiler flags of every target, as an interface library instead of CMAKE_CXX_FLAGS.
find_program(KEYSWAP_CCACHE ccache)
if(KEYSWAP_CCACHE)
    foreach(language IN ITEMS CXX CUDA)
        if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
            set(CMAKE_${language}_COMPILER_LAUNCHER ${KEYSWAP_CCACHE})
        endif()
    endforeach()
endif()

add_library(keyswap_options INTERFACE)
add_library(keyswap::options ALIAS keyswap_options)
target_compile_features(keyswap_options INTERFACE cxx_std_20)
target_include_directories(
    keyswap_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/keyswap>)

# -ffp-contract=off: generators and cost model give the same bits on every machine.
target_compile_options(
    keyswap_options
    # GCC 12 takes std::string's operator+ for a copy that overlaps itself (its bug 105651).
    # Its optimiser takes a variant's and a map's members for uninitialised where they are moved from.
    INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>>
              $<BUILD_INTERFACE:$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Release>>:-Wno-maybe-uninitialized>>
              # Nobody puts functions of his own in the place of ours, so that they may be inlined.
              $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>>
              $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-ffp-contract=off>>)
if(KEYSWAP_WARNINGS_AS_ERRORS)
    target_compile_options(keyswap_options INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Werror>>)
endif()
if(KEYSWAP_SANITIZE_ADDRESS)
    # A null pointer's use is a fault that the address sanitizer reports, and it sees the borders of
    # every object; the same checks once more make a third of the code.
    target_compile_options(
        keyswap_options INTERFACE $<BUILD_INTERFACE:-fsanitize=address,undefined;-fno-sanitize=null,object-size;-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
    target_link_options(keyswap_options INTERFACE $<BUILD_INTERFACE:-fsanitize=address,undefined>)
endif()
if(KEYSWAP_SANITIZE_ADDRESS OR KEYSWAP_SANITIZE_THREAD)
    # Half of the time of binutils' linker, on programs of 300 MB.
    find_program(KEYSWAP_LLD ld.lld)
    mark_as_advanced(KEYSWAP_LLD)
    if(KEYSWAP_LLD)
        target_link_options(keyswap_options INTERFACE $<BUILD_INTERFACE:-fuse-ld=lld>)
    endif()
endif()
if(KEYSWAP_FUZZ)
    target_compile_options(keyswap_options INTERFACE $<BUILD_INTERFACE:-fsanitize=fuzzer-no-link>)
endif()
if(KEYSWAP_SANITIZE_THREAD)
    target_compile_options(keyswap_options INTERFACE $<BUILD_INTERFACE:-fsanitize=thread>)
    target_link_options(keyswap_options INTERFACE $<BUILD_INTERFACE:-fsanitize=thread>)
endif()
if(KEYSWAP_COVERAGE)
    target_compile_options(keyswap_options INTERFACE $<BUILD_INTERFACE:--coverage>)
    target_link_options(keyswap_options INTERFACE $<BUILD_INTERFACE:--coverage>)
endif()

# keyswap_compile_quickly(TARGET): for code in which tests spend little of their time. Without the
# optimiser, which sees every sanitizer's check, a file takes half as long to compile.
function(keyswap_compile_quickly target)
    if(KEYSWAP_SANITIZE_ADDRESS OR KEYSWAP_SANITIZE_THREAD)
        target_compile_options(${target} PRIVATE -O0)
    endif()
endfunction()
