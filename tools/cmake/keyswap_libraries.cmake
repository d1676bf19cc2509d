# What the build needs of the system is looked for here alone, so that it is decided once what is required
# and what is optional. A missing required library stops the configuration with its Debian package; an
# optional one leaves something out, and the line that says so names what. Other files ask
# KEYSWAP_WITH_<NAME>, never whether an imported target is there: FindMPI makes MPI::MPI_C even where it
# found nothing. -DCMAKE_DISABLE_FIND_PACKAGE_<PACKAGE>=ON leaves out one that was found by find_package(),
# -DKEYSWAP_HIGHWAY=OFF Highway. (tools/test bare builds without each.)
set(keyswap_missing_libraries "")
set(keyswap_missing_packages "")

# keyswap_require(<package> <Debian package> [arguments of find_package]...)
macro(keyswap_require package debian)
    find_package(${package} QUIET ${ARGN})
    if(NOT ${package}_FOUND)
        list(APPEND keyswap_missing_libraries ${package})
        list(APPEND keyswap_missing_packages ${debian})
    endif()
endmacro()

# keyswap_optional(<NAME> <found> <Debian package or other remedy> <what is left out>)
macro(keyswap_optional name found remedy without)
    if(${found})
        set(KEYSWAP_WITH_${name} ON)
        message(STATUS "${name}: yes")
    else()
        set(KEYSWAP_WITH_${name} OFF)
        message(STATUS "${name}: no, ${without} (${remedy})")
    endif()
endmacro()

keyswap_require(Threads libc6-dev)
keyswap_require(ZLIB zlib1g-dev)
keyswap_require(zstd libzstd-dev MODULE)
keyswap_require(nlohmann_json nlohmann-json3-dev)
keyswap_require(tl-expected libexpected-dev)
keyswap_require(TBB libtbb-dev)
keyswap_require(Eigen3 libeigen3-dev NO_MODULE)
keyswap_require(tomlplusplus libtomlplusplus-dev)
keyswap_require(CLI11 libcli11-dev)
if(KEYSWAP_BUILD_TESTS)
    keyswap_require(GTest "libgtest-dev libgmock-dev")
    keyswap_require(Python3 python3 COMPONENTS Interpreter)
endif()
if(KEYSWAP_BUILD_TESTS OR KEYSWAP_FUZZ)
    keyswap_require(rapidcheck librapidcheck-dev)
endif()
if(keyswap_missing_packages)
    list(JOIN keyswap_missing_libraries ", " missing)
    list(JOIN keyswap_missing_packages " " packages)
    set(without_tests "")
    if(KEYSWAP_BUILD_TESTS)
        set(without_tests "  What only tests need is not asked for with -DKEYSWAP_BUILD_TESTS=OFF.")
    endif()
    message(
        FATAL_ERROR
            "Keyswap needs libraries that were not found: ${missing}.  On Debian:\n"
            "  apt-get install ${packages}\n"
            "Elsewhere install their equivalents, and give their folder with -DCMAKE_PREFIX_PATH=FOLDER if it "
            "is not the system's.${without_tests}")
endif()

find_package(MPI QUIET COMPONENTS C)
keyswap_optional(MPI MPI_C_FOUND libopenmpi-dev "keyswap::ranks and keyswap sort --ranks mpi are left out")

find_package(Python3 QUIET COMPONENTS Interpreter)
keyswap_optional(PYTHON Python3_Interpreter_FOUND python3 "the target keyswap_wheel is left out")

find_package(SQLite3 QUIET)
keyswap_optional(SQLITE SQLite3_FOUND libsqlite3-dev "keyswap report reads no exports of Nsight Systems")

find_package(OpenMP QUIET COMPONENTS CXX)
keyswap_optional(OPENMP OpenMP_CXX_FOUND libgomp1 "benchmarks beside libstdc++'s parallel mode are left out")

option(KEYSWAP_HIGHWAY "SIMD in the CPU sorts by Highway, if it is found" ON)
find_path(KEYSWAP_HIGHWAY_INCLUDE_DIR hwy/highway.h)
find_library(KEYSWAP_HIGHWAY_LIBRARY hwy)
find_library(KEYSWAP_HIGHWAY_SORT_LIBRARY hwy_contrib)
set(found OFF)
if(KEYSWAP_HIGHWAY AND KEYSWAP_HIGHWAY_INCLUDE_DIR AND KEYSWAP_HIGHWAY_LIBRARY)
    set(found ON)
endif()
keyswap_optional(HIGHWAY found libhwy-dev "simd-merge is built scalar")
if(NOT KEYSWAP_HIGHWAY_SORT_LIBRARY)
    set(found OFF)
endif()
keyswap_optional(VQSORT found libhwy-dev "benchmarks beside Highway's own sort are left out")

find_path(KEYSWAP_BOOST_INCLUDE_DIR boost/sort/sort.hpp)
keyswap_optional(BOOST_SORT KEYSWAP_BOOST_INCLUDE_DIR libboost-dev "benchmarks beside Boost's sorts are left out")

set(found OFF)
if(KEYSWAP_BUILD_TESTS)
    find_path(SIMGRID_INCLUDE_DIR simgrid/s4u.hpp)
    find_library(SIMGRID_LIBRARY simgrid)
    if(SIMGRID_INCLUDE_DIR AND SIMGRID_LIBRARY)
        set(found ON)
    endif()
    keyswap_optional(SIMGRID found libsimgrid-dev "SimGrid does not judge flow rates in the tests")
endif()

if(KEYSWAP_WITH_CUDA)
    # NCCL is loaded when it is needed; only its header has to be here.
    find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    keyswap_optional(NCCL NCCL_INCLUDE_DIR "nccl.h, NVIDIA's libnccl-dev" "processes with a GPU each cannot use NCCL")
endif()
mark_as_advanced(KEYSWAP_HIGHWAY_INCLUDE_DIR KEYSWAP_HIGHWAY_LIBRARY KEYSWAP_HIGHWAY_SORT_LIBRARY
                 KEYSWAP_BOOST_INCLUDE_DIR SIMGRID_INCLUDE_DIR SIMGRID_LIBRARY NCCL_INCLUDE_DIR)
