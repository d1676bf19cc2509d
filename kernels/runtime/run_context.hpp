#pragma once

/// \file What the phases of one call share, whichever sort it is.

#include "kernels/primitives/key_shape.hpp"
#include "kernels/primitives/partition/placement_rule.hpp"
#include "kernels/ranks/rank_transport.hpp"
#include "kernels/runtime/gpu_state.hpp"
#include "kernels/runtime/phase_clock.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace keyswap::kernels {

/// Memory in which the GPUs' histograms meet; on the device of this process's first GPU and in
/// pinned memory.
struct ExchangeBuffers {
    DeviceBuffer<std::uint64_t> table;         ///< [g][refined buckets][digits]
    DeviceBuffer<PlacementDecision> decisions; ///< [refined buckets][digits]
    PinnedBuffer<std::uint64_t> host_table;    ///< as table
    PinnedBuffer<PlacementDecision> host_decisions;
    DeviceBuffer<std::byte>
        rank_slices; ///< [1 + ranks] slices (rank_words.hpp); empty without ranks
    PinnedBuffer<std::byte> host_rank_slices; ///< [ranks]
};

/// Entries that a table of histograms needs at most: g * max(1, g-1) * digits.
[[nodiscard]] std::size_t table_size(std::uint32_t gpu_count, int digit_bits);

/// Host memory that takes the result, if any.
struct HostArrays {
    void* keys = nullptr;
    void* values = nullptr;
};

/// What does not change during a call.
struct RunContext {
    ElementShape shape;
    KeyShape key_shape;
    PlacementRule rule;
    std::uint64_t key_count = 0;
    std::uint64_t fuse_below = 0;
    FastTuning tuning;
    /// Scatters of keys without values by variant `fast`, which has the memory for it, need not be
    /// stable; the first one encodes the keys.
    bool unstable_scatter = false;
    Stability ties = Stability::unstable; ///< see SortShape
    ImageCode code;
    TraceSink* trace = nullptr;
    PhaseClock* clock = nullptr;
    ExchangeBuffers const* exchange = nullptr;
    /// Null where all GPUs are this process's; else it has one of them, and this reaches the
    /// others.
    RankTransport* ranks = nullptr;
    InputState* input = nullptr; ///< set to lost before the caller's keys are overwritten
    /// Set to lost before the GPUs' buffers are overwritten; null where the caller's keys lie
    /// elsewhere.
    InputState* chunk_input = nullptr;

    void mark_chunks_overwritten() const {
        if (chunk_input != nullptr) {
            *chunk_input = InputState::lost;
        }
    }
};

/// A GPU's keys of the input. \param gpu any of the sort, this process's or not
[[nodiscard]] KeyRange chunk_of(RunContext const& context, GpuId gpu);

/// Waits for what was queued in a stream, other ranks' part of it too.
/// \throws CudaFailure, RankLost
void await_stream(RunContext const& context, cudaStream_t stream, std::string_view step);

/// Turns the keys in a GPU's current buffer into images, or back, in its stream.
void change_images(RunContext const& context, GpuState const& gpu, ImageChange change);

/// Turns the keys of all GPUs into images.
void encode_keys(RunContext const& context, std::vector<GpuState> const& gpus);

/// Copies a range of a GPU's buffer `from` to where the host's arrays have it.
/// \param base global index of the GPU's first key
void copy_to_host(RunContext const& context,
                  GpuState const& gpu,
                  cudaStream_t stream,
                  SortRangeRecord const& range,
                  int from,
                  std::uint64_t base,
                  HostArrays const& host);

/// The same of all that a GPU owns, from its current buffer and in its stream, as a phase of its
/// own.
void copy_owned_to_host(RunContext const& context,
                        GpuState const& gpu,
                        OwnershipRecord const& owned,
                        HostArrays const& host);

} // namespace keyswap::kernels
