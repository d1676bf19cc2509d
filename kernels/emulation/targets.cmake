# The drivers of RMG sort and sample sort on stand-ins for CUDA's runtime and for the kernels: tests what the
# host decides, queues and copies without a GPU. Needs CUDA's headers, but links none of it.
if(KEYSWAP_BUILD_TESTS)
    add_library(
        keyswap_kernels_emulated
        emulation/cuda_runtime.cpp
        emulation/level_kernels.cpp
        emulation/multisplitter.cpp
        emulation/pass_kernels.cpp
        emulation/sort_drivers.cpp
        emulation/step_kernels.cpp
        ${host_sources}
        sorts/rmg/rmg_driver.cpp
        sorts/sample/sample_driver.cpp)
    keyswap_compile_quickly(keyswap_kernels_emulated)
    target_link_libraries(keyswap_kernels_emulated PUBLIC keyswap_swap_plan keyswap::traces PRIVATE ${CMAKE_DL_LIBS})
    target_include_directories(keyswap_kernels_emulated SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS} $<$<BOOL:${NCCL_INCLUDE_DIR}>:${NCCL_INCLUDE_DIR}>)
    keyswap_add_test(
        NAME kernels_emulated_test
        LABEL gpu
        SOURCES device/peer_access_test.cpp emulation/filled_swap_test.cpp sorts/range_sorter_test.cpp sorts/rank_sorter_test.cpp sorts/rmg/chunk_upload_test.cpp $<$<BOOL:${NCCL_INCLUDE_DIR}>:ranks/peer_memory_test.cpp> $<$<BOOL:${NCCL_INCLUDE_DIR}>:ranks/rank_transport_test.cpp>
        LIBRARIES keyswap_kernels_emulated)
    # The stand-ins for NCCL's functions have to be found by name, as NCCL's are.
    set_target_properties(kernels_emulated_test PROPERTIES ENABLE_EXPORTS ON)
endif()
