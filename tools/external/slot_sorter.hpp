#pragma once

#include "tools/external/external_run.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace keyswap::tools {

/// Room for a range.
struct Slot {
    std::span<std::byte> records;
    std::span<std::uint32_t> order; ///< [records], or empty if the records themselves are sorted
};

/// Sorts slots with the job's engine, which takes arrays where records are no keys.
class SlotSorter {
  public:
    /// Takes the arrays from the run's arena.
    explicit SlotSorter(ExternalRun& run);
    /// Room from the run's arena for as many records as are sorted at once.
    [[nodiscard]] Slot take_slot();
    /// Sorts the first records of a slot, or finds their order. Equal records are as they came.
    [[nodiscard]] Expected<void> sort(Slot const& slot, std::uint64_t count);

  private:
    [[nodiscard]] std::span<std::byte> take_pinned(std::uint64_t size_bytes);
    [[nodiscard]] RangeArrays arrays_of(std::uint64_t count, std::span<std::byte> values) const;
    [[nodiscard]] Expected<void> sort_pairs(std::span<std::byte> records);
    [[nodiscard]] Expected<void> find_order(std::span<std::byte const> records,
                                            std::span<std::uint32_t> order);

    ExternalRun& run_;
    RangeMethod method_;
    SortShape shape_;
    std::uint64_t records_max_;
    std::span<std::byte> keys_;
    std::span<std::byte> values_; ///< of pairs
    std::span<std::byte> scratch_;
    std::span<std::byte> value_scratch_;
    std::vector<std::shared_ptr<void const>> pins_;
};

/// Threads that so many bytes occupy.
[[nodiscard]] unsigned threads_for(ExternalJob const& job, std::uint64_t size_bytes);

/// Calls `work` with the number of each thread, as run_on_threads() does.
[[nodiscard]] Expected<void> on_threads(unsigned threads,
                                        std::function<void(unsigned thread)> const& work);

} // namespace keyswap::tools
