/// \file HET merge sort (Gowanlock and Karsin 2018; variant 2n of Maltenberger et al., SIGMOD
/// 2022): GPUs sort chunks, the CPU merges them.

#include "kernels/device/stream.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "kernels/sorts/merge/chunk_sort.hpp"
#include "kernels/sorts/merge/host_merge.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <thread>

namespace keyswap::kernels {

namespace {

/// Pinned copy of a GPU's sorted chunk for the CPU's merge.
struct StagedChunk final : SortMemory {
    PinnedBuffer<std::byte> keys;
    PinnedBuffer<std::byte> values;
};

std::unique_ptr<SortMemory>
make_staged_chunk(SortOptions const& options, GpuId /*gpu*/, std::uint64_t capacity) {
    ElementShape const shape = element_shape(options);
    auto const count = static_cast<std::size_t>(capacity);
    auto staged = std::make_unique<StagedChunk>();
    staged->keys = PinnedBuffer<std::byte>{count * static_cast<std::size_t>(shape.key_bytes)};
    staged->values = PinnedBuffer<std::byte>{count * static_cast<std::size_t>(shape.value_bytes)};
    return staged;
}

/// Queues the downloads of all sorted chunks. \return [g] runs in the pinned copies
std::vector<HostPiece> stage_chunks(RunContext const& context, std::vector<GpuState> const& gpus) {
    RunContext to_staging = context;
    InputState staging_state = InputState::intact;
    to_staging.input = &staging_state; // does not overwrite the caller's keys
    std::vector<HostPiece> runs;
    for (GpuState const& gpu : gpus) {
        auto& staged = static_cast<StagedChunk&>(*gpu.resources->own);
        Columns<void> const chunk{staged.keys.data(), staged.values.data()};
        copy_owned_to_host(to_staging, gpu, {gpu.id, 0, gpu.count}, chunk);
        runs.push_back({{chunk.keys, chunk.values}, gpu.count});
    }
    return runs;
}

/// Records the CPU's merge of all sorted chunks, if there are several.
void record_host_merge(RunContext const& context, std::vector<GpuState> const& gpus) {
    MergeRecord merge;
    for (GpuState const& gpu : gpus) {
        if (gpu.count > 0) {
            merge.runs.push_back(gpu.count);
        }
    }
    if (context.trace != nullptr && merge.runs.size() > 1) {
        context.trace->write(merge);
    }
}

SortOutcome sort_by_het_merge(SortCall const& call) {
    KEYSWAP_EXPECTS(call.host.has_value()); // checked by Sorter
    std::vector<OwnershipRecord> ownership = sort_chunks(call.context, call.gpus);
    std::vector<HostPiece> const runs = stage_chunks(call.context, call.gpus);
    for (GpuState const& gpu : call.gpus) {
        if (!has_fault(DeviceFault::host_merge_too_early)) {
            wait_for(gpu.stream);
        }
    }
    *call.context.input = InputState::lost;
    record_host_merge(call.context, call.gpus);
    merge_on_host(call.context.shape.key_bytes,
                  call.context.shape.value_bytes,
                  runs,
                  call.context.code,
                  *call.host,
                  std::max(1U, std::thread::hardware_concurrency()));
    return {0, ownership};
}

} // namespace

SortDriver const& het_merge_driver() {
    static constexpr SortDriver driver{
        "het-merge", false, nullptr, make_staged_chunk, sort_by_het_merge};
    return driver;
}

} // namespace keyswap::kernels
