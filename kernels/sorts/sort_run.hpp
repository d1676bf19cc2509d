#pragma once

/// \file One call of a sorter: the GPUs with their places, what the phases share, and which
/// algorithm runs.

#include "kernels/device/cuda_check.hpp"
#include "kernels/sort.hpp"
#include "kernels/sorts/rmg/key_swap.hpp"
#include "kernels/sorts/sorter_state.hpp"

#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// What a CUDA failure is to the caller, whose input is in the given state.
[[nodiscard]] SortError error_of(CudaFailure const& failure, InputState input);

class SortRun {
  public:
    /// \param trace null = nothing is recorded
    SortRun(SorterState& state, std::uint64_t key_count, PhaseTiming timing, TraceSink* trace);
    SortRun(SortRun const&) = delete;
    SortRun& operator=(SortRun const&) = delete;

    void use_own_places();
    void use_places(std::span<DeviceChunk const> chunks);
    void start_clock();
    void copy_from_host(HostArrays const& host);

    /// Sorts the chunks in place 0 of every rank and, with host memory given, copies the result
    /// there. Returns when all is done. \throws CudaFailure
    [[nodiscard]] SortReport sort_chunks(std::optional<HostArrays> const& host);

    [[nodiscard]] InputState input() const { return input_; }
    /// Waits for everything that was queued, whether it failed or not.
    void drain() const;

  private:
    [[nodiscard]] SortReport sort_by_partition(std::optional<HostArrays> const& host,
                                               std::optional<FirstPass> first);
    [[nodiscard]] SortReport sort_alone(std::optional<HostArrays> const& host);
    [[nodiscard]] std::vector<OwnershipRecord> sort_by_merge(std::optional<HostArrays> const& host);
    void encode();
    void synchronize() const;
    void copy_array(Rank const& rank,
                    void* destination,
                    void* source,
                    int element_bytes,
                    std::uint64_t begin) const;
    [[nodiscard]] SortReport report_of(int passes,
                                       std::vector<OwnershipRecord> const& ownership) const;

    SorterState& state_;
    PhaseClock clock_;
    InputState input_ = InputState::intact;
    RunContext context_;
    std::vector<Rank> ranks_;
};

} // namespace keyswap::kernels
