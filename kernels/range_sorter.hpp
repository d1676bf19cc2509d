#pragma once

/// \file Sorts a sequence of key ranges in host memory on GPUs: while one range is sorted, the next
/// is uploaded and the previous one downloaded. No CUDA header is needed.

#include "kernels/sort.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace keyswap::kernels {

/// A range's keys and values in host memory and the destination of the result, which may be the
/// same memory. Transfers of pinned memory are several times faster.
struct HostRange {
    void const* keys = nullptr;
    void const* values = nullptr; ///< null without values
    void* sorted_keys = nullptr;
    void* sorted_values = nullptr;
    std::uint64_t count = 0;
};

/// Sorts ranges of up to key_count_max keys. Allocates once: the sorter's workspace and four
/// buffers on each GPU, two of them for the range being sorted.
class RangeSorter {
  public:
    /// \return also an error if the algorithm cannot sort keys in GPU memory
    [[nodiscard]] static SortExpected<RangeSorter> create(SortOptions const& options,
                                                          std::uint64_t key_count_max);
    RangeSorter(RangeSorter&&) noexcept;
    RangeSorter& operator=(RangeSorter&&) noexcept;
    ~RangeSorter();

    [[nodiscard]] RunHeader describe(std::uint64_t key_count) const;
    [[nodiscard]] std::uint64_t bytes_per_gpu() const;

    /// \param next returns the next range, nullopt after the last; at most three are in flight
    /// \param finished called for each range, in order, once its result is in host memory
    [[nodiscard]] SortExpected<void> sort(std::function<std::optional<HostRange>()> const& next,
                                          std::function<void()> const& finished);
    /// Transfers as many bytes to the GPUs and back as a sort of these ranges would, both at once
    /// but without sorting. Overwrites the ranges with meaningless data.
    [[nodiscard]] SortExpected<void> copy_both_ways(std::span<HostRange const> ranges);

  private:
    class Pipeline;
    explicit RangeSorter(std::unique_ptr<Pipeline> pipeline);
    std::unique_ptr<Pipeline> pipeline_;
};

/// Most keys of a range that a RangeSorter can sort. \param bytes_per_gpu memory limit; nullopt:
/// all free memory
[[nodiscard]] SortExpected<std::uint64_t>
range_keys_that_fit(SortOptions const& options, std::optional<std::uint64_t> bytes_per_gpu);

} // namespace keyswap::kernels
