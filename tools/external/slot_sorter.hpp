#pragma once

#include "tools/external/external_run.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

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
    [[nodiscard]] Expected<void> sort_arrays(RangeArrays const& arrays);
    /// Once. By then all threads have filled the memory, and one need not wait for its pages.
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
    std::span<std::byte> values_; ///< of pairs
    std::span<std::byte> scratch_;
    std::span<std::byte> value_scratch_;
    std::map<std::byte const*, std::shared_ptr<void const>> pins_; ///< by the memory's begin
};

} // namespace keyswap::tools
