#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace keyswap::model {

// Parallel loops on TBB. Bodies are type-erased, so that TBB's templates are compiled once rather
// than for each body and key type.

/// Calls `body(slot, begin, end)` for disjoint ranges of at most `grain` indices that together
/// cover [0, count). Calls with the same slot never overlap.
/// \param slots upper bound of concurrent calls, at least one
void parallel_slots(std::size_t slots,
                    std::uint64_t count,
                    std::uint64_t grain,
                    std::function<void(std::size_t, std::uint64_t, std::uint64_t)> const& body);

/// Number of slots that keeps every thread busy, but at most one per range.
[[nodiscard]] std::size_t parallel_slot_count(std::uint64_t count, std::uint64_t grain);

/// Calls `body(begin, end)` for disjoint ranges of at most `grain` indices that cover [0, count).
void parallel_ranges(std::uint64_t count,
                     std::uint64_t grain,
                     std::function<void(std::uint64_t, std::uint64_t)> const& body);

/// Calls `body(i)` for each i in [0, count).
void parallel_for(std::uint64_t count, std::function<void(std::uint64_t)> const& body);

/// Calls `body(element)` in parallel for each element of an array.
template <class Array, class Body>
void parallel_for_each(Array const& array, Body const& body) {
    parallel_for(array.size(), [&](std::uint64_t i) { body(array[i]); });
}

/// Reduces ranges of [0, count) into one partial result per slot by `body(partial, begin, end)`.
/// \param zero initial value of each partial result
template <class Partial, class Body>
[[nodiscard]] std::vector<Partial>
parallel_partials(std::uint64_t count, std::uint64_t grain, Partial const& zero, Body const& body) {
    std::vector<Partial> partials(parallel_slot_count(count, grain), zero);
    parallel_slots(partials.size(),
                   count,
                   grain,
                   [&](std::size_t slot, std::uint64_t begin, std::uint64_t end) {
                       body(partials[slot], begin, end);
                   });
    return partials;
}

/// Sum over [0, count) by `body(sum, begin, end)` on ranges. \pre the sum is commutative
template <class Sum, class Body>
[[nodiscard]] Sum parallel_sum(std::uint64_t count, std::uint64_t grain, Body const& body) {
    Sum sum{};
    for (Sum const& partial : parallel_partials(count, grain, Sum{}, body)) {
        sum += partial;
    }
    return sum;
}

/// Element-wise sum of counters filled by `body(counters, begin, end)` on ranges. \return [size]
template <class Count>
[[nodiscard]] std::vector<std::uint64_t>
parallel_counts(std::uint64_t count, std::uint64_t grain, std::size_t size, Count const& body) {
    std::vector<std::uint64_t> sum(size, 0);
    auto const count_range = [&](std::vector<std::uint64_t>& counters,
                                 std::uint64_t begin,
                                 std::uint64_t end) { body(std::span(counters), begin, end); };
    for (auto const& partial : parallel_partials(count, grain, sum, count_range)) {
        std::ranges::transform(sum, partial, sum.begin(), std::plus{});
    }
    return sum;
}

} // namespace keyswap::model
