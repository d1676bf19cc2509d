#pragma once

/// \file Parameters and phases shared by sorts with a single exchange of buckets.

#include "traces/catalog/algorithm_info.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace keyswap {

[[nodiscard]] constexpr ParameterInfo tolerance_parameter(std::uint64_t ppm,
                                                          std::string_view source) {
    return {"tolerance-ppm",
            "ppm of a chunk",
            "How far a GPU's range may exceed its chunk at each end, in ppm of a chunk",
            0,
            500'000, // twice the tolerance must fit into a chunk, or two overhangs would meet
            ppm,
            source};
}
inline constexpr std::uint64_t splitter_tolerance_ppm = 20'000;
inline constexpr std::string_view splitter_tolerance_source =
    "a bucket's share of a chunk: splitters never meet a border exactly";

inline constexpr ParameterInfo fuse_parameter{
    "fuse-ppm",
    "ppm of a chunk",
    "Size below which neighbouring buckets are sorted together, in ppm of a chunk",
    0,
    1'000'000,
    10'000,
    "RMG paper, section 3.3"};

[[nodiscard]] constexpr ParameterInfo ways_parameter(std::string_view source) {
    return {"ways",
            "buckets",
            "Buckets into which a pass divides each bucket",
            2,
            256, // a bucket's index has 8 bits
            256,
            source};
}

[[nodiscard]] constexpr ParameterInfo sample_seed_parameter(std::string_view meaning) {
    return {"sample-seed",
            "",
            meaning,
            0,
            std::numeric_limits<std::uint64_t>::max(),
            1,
            "any number will do; 1, as for the seed of keys"};
}

inline constexpr std::array exchange_phases{Phase::host_to_device,
                                            Phase::histogram,
                                            Phase::scatter,
                                            Phase::planning,
                                            Phase::key_swap,
                                            Phase::bucket_sort,
                                            Phase::device_to_host};
/// For variants that overlap each round's sort with copies back.
inline constexpr std::array round_phases{Phase::host_to_device,
                                         Phase::histogram,
                                         Phase::scatter,
                                         Phase::planning,
                                         Phase::key_swap,
                                         Phase::bucket_sort,
                                         Phase::bucket_sort_and_copy_back,
                                         Phase::device_to_host};

} // namespace keyswap
