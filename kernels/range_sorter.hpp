#pragma once

/// \file Sorts ranges of keys that lie in host memory one after the other on GPUs: one is on its
/// way there and one on its way back while a third one is sorted. No CUDA header is needed.

#include "kernels/sort.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace keyswap::kernels {

/// A range's keys and values in host memory, and where they go. Both may be the same memory;
/// pinned memory is several times faster.
struct HostRange {
    void const* keys = nullptr;
    void const* values = nullptr; ///< null without values
    void* sorted_keys = nullptr;
    void* sorted_values = nullptr;
    std::uint64_t count = 0;
};

/// Sorts ranges of up to a number of keys. Its memory is allocated once: the sort's, and on each
/// GPU four buffers, two for the range that is being sorted.
class RangeSorter {
  public:
    /// \return an error, too, if the sort takes no keys that lie on GPUs
    [[nodiscard]] static SortExpected<RangeSorter> create(SortOptions const& options,
                                                          std::uint64_t key_count_max);
    RangeSorter(RangeSorter&&) noexcept;
    RangeSorter& operator=(RangeSorter&&) noexcept;
    ~RangeSorter();

    [[nodiscard]] RunHeader describe(std::uint64_t key_count) const;
    [[nodiscard]] std::uint64_t bytes_per_gpu() const;

    /// \param next gives a range, or nullopt behind the last; at most three are under way
    /// \param finished called for each range, in order, once it is in its place
    [[nodiscard]] SortExpected<void> sort(std::function<std::optional<HostRange>()> const& next,
                                          std::function<void()> const& finished);
    /// Moves as many bytes to the GPUs and back as a sort of these ranges, both at once and without
    /// a sort. Contents of the ranges are lost.
    [[nodiscard]] SortExpected<void> copy_both_ways(std::span<HostRange const> ranges);

  private:
    class Pipeline;
    explicit RangeSorter(std::unique_ptr<Pipeline> pipeline);
    std::unique_ptr<Pipeline> pipeline_;
};

/// Keys of a range that a RangeSorter takes at most. \param bytes_per_gpu that it may take;
/// nullopt: what is free
[[nodiscard]] SortExpected<std::uint64_t>
range_keys_that_fit(SortOptions const& options, std::optional<std::uint64_t> bytes_per_gpu);

} // namespace keyswap::kernels
