# The drivers of RMG sort and sample sort as they are, on stand-ins for CUDA's runtime and for the kernels:
# what the host decides, queues and copies is tested
# where there is no GPU. CUDA's headers are needed, and nothing of it is linked.
if(KEYSWAP_BUILD_TESTS)
    add_library(
        keyswap_kernels_emulated
        emulation/cuda_runtime.cpp
        emulation/level_kernels.cpp
        emulation/multisplitter.cpp
        emulation/pass_kernels.cpp
        emulation/sort_drivers.cpp
        emulation/step_kernels.cpp
        device/cuda_check.cpp
        device/cuda_error.cpp
        device/delay_injection.cpp
        device/device_count.cpp
        device/host_memory.cpp
        device/peer_access.cpp
        ranks/shared_memory.cpp
        ranks/thread_transport.cpp
        ${nccl_sources}
        runtime/chunk_upload.cpp
        runtime/gpu_state.cpp
        runtime/phase_clock.cpp
        runtime/range_digests.cpp
        runtime/rank_words.cpp
        runtime/round_streams.cpp
        runtime/run_context.cpp
        local/local_division.cpp
        local/local_ends.cpp
        local/local_memory.cpp
        local/local_runs.cpp
        local/local_sort.cpp
        local/segment_memory.cpp
        sorts/range_distribution.cpp
        sorts/range_sorter.cpp
        sorts/rank_sorter.cpp
        exchange/digest_records.cpp
        sorts/rmg/digit_counts.cpp
        sorts/rmg/digit_passes.cpp
        sorts/rmg/fast_memory.cpp
        sorts/rmg/fast_run.cpp
        sorts/rmg/fast_sort.cpp
        exchange/key_swap.cpp
        exchange/partition.cpp
        exchange/rank_swap.cpp
        sorts/rmg/rmg_driver.cpp
        sorts/rmg/round_sort.cpp
        exchange/round_swap.cpp
        exchange/scattered_parts.cpp
        exchange/segment_digests.cpp
        sorts/run_header.cpp
        sorts/sample/sample_driver.cpp
        sorts/sample/splitter_passes.cpp
        sorts/sort_run.cpp
        sorts/sorter.cpp
        runtime/sorter_options.cpp
        sorts/sorter_state.cpp)
    keyswap_compile_quickly(keyswap_kernels_emulated)
    target_link_libraries(keyswap_kernels_emulated PUBLIC keyswap_swap_plan keyswap::traces PRIVATE ${CMAKE_DL_LIBS})
    target_include_directories(keyswap_kernels_emulated SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS} $<$<BOOL:${NCCL_INCLUDE_DIR}>:${NCCL_INCLUDE_DIR}>)
    keyswap_add_test(
        NAME kernels_emulated_test
        LABEL gpu
        SOURCES emulation/filled_swap_test.cpp sorts/range_sorter_test.cpp sorts/rank_sorter_test.cpp sorts/rmg/chunk_upload_test.cpp $<$<BOOL:${NCCL_INCLUDE_DIR}>:ranks/peer_memory_test.cpp> $<$<BOOL:${NCCL_INCLUDE_DIR}>:ranks/rank_transport_test.cpp>
        LIBRARIES keyswap_kernels_emulated)
    # The stand-ins for NCCL's functions have to be found by name, as NCCL's are.
    set_target_properties(kernels_emulated_test PROPERTIES ENABLE_EXPORTS ON)
endif()
