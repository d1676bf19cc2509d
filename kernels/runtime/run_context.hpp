#pragma once

/// \file Data shared by the phases of one call of any sort.

#include "kernels/primitives/key_shape.hpp"
#include "kernels/primitives/partition/placement_rule.hpp"
#include "kernels/primitives/radix_sort/radix_policy.hpp"
#include "kernels/ranks/shared_memory.hpp"
#include "kernels/runtime/gpu_state.hpp"
#include "kernels/runtime/phase_clock.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace keyswap::kernels {

/// Memory that collects the GPUs' histograms, on the device of this process's first GPU and in
/// pinned memory.
struct ExchangeBuffers {
    DeviceBuffer<std::uint64_t> table;         ///< [g][refined buckets][digits]
    DeviceBuffer<PlacementDecision> decisions; ///< [refined buckets][digits]
    PinnedBuffer<std::uint64_t> host_table;    ///< like table
    PinnedBuffer<PlacementDecision> host_decisions;
    DeviceBuffer<std::byte>
        rank_slices; ///< [1 + ranks] slices (rank_words.hpp); empty without ranks
    PinnedBuffer<std::byte> host_rank_slices; ///< [ranks]
};

/// Most entries of a table of histograms: g * max(1, g-1) * digits.
[[nodiscard]] std::size_t table_size(std::uint32_t gpu_count, int digit_bits);

/// Constants of a call.
struct RunContext {
    ElementShape shape;
    KeyShape key_shape;
    PlacementRule rule;
    std::uint64_t key_count = 0;
    std::uint64_t fuse_below = 0;
    FastTuning tuning;
    /// Variant `fast` with keys only: scatters need not be stable; the first one encodes the
    /// keys.
    bool unstable_scatter = false;
    RadixPolicy radix_policy = RadixPolicy::own; ///< of bucket sorts
    Stability ties = Stability::unstable;        ///< see SortShape
    ImageCode code;
    TraceSink* trace = nullptr;
    PhaseClock* clock = nullptr;
    ExchangeBuffers const* exchange = nullptr;
    /// Null if all GPUs belong to this process; otherwise it has one GPU, and this is its transport
    /// to the others.
    RankTransport* ranks = nullptr;
    SharedBuffers const* shared = nullptr; ///< null without ranks
    InputState* input = nullptr;           ///< set to lost before the caller's keys are overwritten
    /// Set to lost before the GPUs' buffers are overwritten; null if these do not hold the caller's
    /// keys.
    InputState* chunk_input = nullptr;

    void mark_chunks_overwritten() const {
        if (chunk_input != nullptr) {
            *chunk_input = InputState::lost;
        }
    }
};

/// Begins a phase of a GPU in its stream; pass the result to context.clock->end().
[[nodiscard]] inline OpenPhase
begin_phase(RunContext const& context, GpuState const& gpu, Phase phase, int pass = 0) {
    return context.clock->begin(gpu.id, gpu.device, gpu.stream, phase, pass);
}

/// Writes records to the trace; no effect without a trace.
template <class Records>
void write_records(RunContext const& context, Records const& records) {
    if (context.trace != nullptr) {
        for (auto const& record : records) {
            context.trace->write(record);
        }
    }
}

/// A GPU's chunk of the input. \param gpu any GPU of the sort, including those of other ranks
[[nodiscard]] KeyRange chunk_of(RunContext const& context, GpuId gpu);

/// The raw keys in a GPU's current buffer. \pre keys of 4 or 8 bytes
[[nodiscard]] inline RawKeys raw_keys(RunContext const& context, GpuState const& gpu) {
    return {context.shape.key_bytes, gpu.keys(), gpu.count, context.code};
}
/// Waits for a stream, including other ranks' part of its work.
/// \throws CudaFailure, RankLost
void await_stream(RunContext const& context, cudaStream_t stream, std::string_view step);

/// Turns the keys in a GPU's current buffer into images, or back, in its stream.
void change_images(RunContext const& context, GpuState const& gpu, ImageChange change);

/// Turns the keys of all GPUs into images.
void encode_keys(RunContext const& context, std::vector<GpuState> const& gpus);

/// Downloads a range of a GPU's buffer `from` to its location in the host's arrays.
/// \param base global index of the GPU's first key
void copy_to_host(RunContext const& context,
                  GpuState const& gpu,
                  cudaStream_t stream,
                  SortRangeRecord const& range,
                  int from,
                  std::uint64_t base,
                  Columns<void> const& host);

/// Downloads all keys a GPU owns, from its current buffer and in its stream, as a timed
/// phase.
void copy_owned_to_host(RunContext const& context,
                        GpuState const& gpu,
                        OwnershipRecord const& owned,
                        Columns<void> const& host);

} // namespace keyswap::kernels
