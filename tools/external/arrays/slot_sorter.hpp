#pragma once

#include "tools/external/external_run.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

namespace keyswap::tools {

/// Buffer for one range.
struct Slot {
    std::span<std::byte> records;
    std::span<std::uint32_t> order; ///< [records], or empty if the records are sorted in place
};

/// Sorts slots with the job's engine, through key and value arrays if records are not plain keys.
class SlotSorter {
  public:
    /// Allocates the arrays from the run's arena.
    explicit SlotSorter(ExternalRun& run);
    /// Allocates a slot from the run's arena for the largest range sorted at once.
    [[nodiscard]] Slot take_slot();
    /// Sorts the first `count` records of a slot in place, or writes their order to it. Stable.
    [[nodiscard]] Expected<void> sort(Slot const& slot, std::uint64_t count);

  private:
    [[nodiscard]] Expected<void> sort_arrays(RangeArrays const& arrays);
    /// Pins once per buffer: at its first sort, when all threads have already faulted in its pages.
    void pin(std::byte* memory, std::uint64_t size_bytes);
    [[nodiscard]] RangeArrays arrays_of(std::uint64_t count, std::span<std::byte> values) const;
    [[nodiscard]] Expected<void> sort_pairs(std::span<std::byte> records);
    [[nodiscard]] Expected<void> find_order(std::span<std::byte const> records,
                                            std::span<std::uint32_t> order);

    ExternalRun& run_;
    RangeMethod method_;
    SortShape shape_;
    std::uint64_t records_max_;
    std::span<std::byte> keys_;
    std::span<std::byte> values_; ///< if method_ is pairs
    std::span<std::byte> scratch_;
    std::span<std::byte> value_scratch_;
    std::map<std::byte const*, std::shared_ptr<void const>> pins_; ///< by start address
};

} // namespace keyswap::tools
