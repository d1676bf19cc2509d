#pragma once

/// \file The multisplit part of a live case.

#include "traces/errors/input_error.hpp"
#include "traces/records/bucket_function.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <rapidcheck.h>
#include <string>
#include <vector>

namespace keyswap::proptests {

struct LiveSplit {
    BucketFunction function; ///< for labels, column details are left out; see label_column()
    std::string method = "fused";
    std::uint64_t slice_count = 0; ///< elements per slice of `fused`; 0 = maximum
    friend bool operator==(LiveSplit const&, LiveSplit const&) = default;
};

/// Labels for a case whose rule is a label column; a fixed function of the index.
[[nodiscard]] std::vector<std::uint32_t> label_column(LiveSplit const& split, std::size_t count);

/// The function as recorded, with the details of its label column. \param count number of keys
[[nodiscard]] BucketFunction recorded_function(LiveSplit const& split, std::size_t count);

/// Draws from every rule, few and many buckets, and every kind of width, origin and splitters. Does
/// not choose a method.
/// \param images keys from which some of the splitters are drawn
[[nodiscard]] LiveSplit
draw_split(int key_bits, std::vector<std::uint64_t> const& images, std::uint64_t seed);

/// Moves about half of the keys onto or next to the edges of the function's buckets.
void move_to_edges(LiveSplit const& split,
                   int key_bits,
                   std::uint64_t seed,
                   std::vector<std::uint64_t>& images);

/// Simpler splits that may show the same fault: simpler rules (splitters > delta > digit), fewer
/// buckets, no slices. Each is strictly simpler.
[[nodiscard]] std::vector<LiveSplit> simpler_splits(LiveSplit const& split, int key_bits);

/// The equivalent function for keys reduced to their upper 32 bits.
[[nodiscard]] BucketFunction upper_half(BucketFunction const& function);

[[nodiscard]] nlohmann::ordered_json to_json(LiveSplit const& split);
[[nodiscard]] Expected<LiveSplit> parse_live_split(nlohmann::json const& json);

} // namespace keyswap::proptests
