#pragma once

/// \file One call of a sorter: GPUs and their buffers, the data shared by phases, and the choice of
/// the algorithm.

#include "kernels/runtime/sort_driver.hpp"
#include "kernels/sort.hpp"
#include "kernels/sorts/sorter_state.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

class SortRun {
  public:
    /// \param trace null: no records
    SortRun(SorterState& state, std::uint64_t key_count, PhaseTiming timing, TraceSink* trace);
    SortRun(SortRun const&) = delete;
    SortRun& operator=(SortRun const&) = delete;

    void use_own_buffers();
    void use_buffers(std::span<DeviceChunk const> chunks);
    void start_clock();
    /// \param host begins at the keys of this process's first GPU
    void copy_from_host(Columns<void> const& host);
    /// Downloads the keys that this process's only GPU owns to the start of `host`, and waits.
    /// \pre sort_chunks() has finished \throws CudaFailure
    void copy_share_to_host(SortReport& report, Columns<void> const& host);

    /// Sorts the chunks in buffer 0 of every GPU; if `host` is given, downloads the result. Waits
    /// for all work. \throws CudaFailure
    [[nodiscard]] SortReport sort_chunks(std::optional<Columns<void>> const& host);

    [[nodiscard]] InputState input() const { return input_; }
    [[nodiscard]] RunContext const& context() const { return context_; }
    [[nodiscard]] std::vector<GpuState> const& gpus() const { return gpus_; }
    /// Makes no further collective calls; no effect without ranks.
    void abandon() const noexcept;
    /// Waits for all queued work and ignores its errors.
    void drain() const;

  private:
    void synchronize() const;
    [[nodiscard]] SortReport report_of(SortOutcome const& outcome) const;

    SorterState& state_;
    PhaseClock& clock_;
    InputState input_ = InputState::intact;
    RunContext context_;
    std::vector<GpuState> gpus_;
};

/// Calls `body`, unless there are more keys than the sorter was created for; if it throws, waits
/// for all queued work and returns an error. After a failure of its machine or peers, a rank makes
/// no further collective calls. \param trace may be null
[[nodiscard]] SortExpected<SortReport> run_sort(SorterState& state,
                                                std::uint64_t key_count,
                                                PhaseTiming timing,
                                                TraceSink* trace,
                                                std::function<SortReport(SortRun&)> const& body);

} // namespace keyswap::kernels
