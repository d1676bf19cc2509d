#pragma once

/// \file The origin of the first keys of a merge. Source: merge path (Odeh, Green, Mwassi, Shmueli,
/// Birk, IPDPS Workshops 2012).

#include "traces/records/digest.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Number of first-run keys among the first `taken` keys of a stable merge; equal keys of the first
/// run precede those of the second.
/// \param first_key, second_key functions from an index to the key of a run
/// \pre taken <= first_count + second_count
template <class FirstKey, class SecondKey>
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t
count_from_first(std::uint64_t taken,
                 std::uint64_t first_count,
                 std::uint64_t second_count,
                 FirstKey const& first_key,
                 SecondKey const& second_key) {
    std::uint64_t least = taken > second_count ? taken - second_count : 0;
    std::uint64_t most = taken < first_count ? taken : first_count;
    while (least < most) {
        std::uint64_t const middle = least + (most - least) / 2;
        // First-run key `middle` precedes the last key that the second run would contribute.
        if (second_key(taken - 1 - middle) < first_key(middle)) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    return least;
}

/// A pair of adjacent runs that a pass merges; the last pair may lack a second run.
struct RunPair {
    std::uint64_t begin = 0;        ///< index of the first run's first key
    std::uint64_t first_count = 0;  ///< keys
    std::uint64_t second_count = 0; ///< keys; 0 if there is no second run
    friend bool operator==(RunPair const&, RunPair const&) = default;
};

/// \param run keys per run; the last run may be shorter
/// \pre 2 * run * index < count
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr RunPair
run_pair(std::uint64_t index, std::uint64_t run, std::uint64_t count) {
    std::uint64_t const begin = 2 * run * index;
    std::uint64_t const left = count - begin;
    std::uint64_t const first = left < run ? left : run;
    std::uint64_t const second = left - first < run ? left - first : run;
    return {begin, first, second};
}

} // namespace keyswap::kernels
