#pragma once

/// \file What a multisplit is asked for, as a part of a live case.

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
    BucketFunction function; ///< of labels: nothing is said of the column, see label_column()
    std::string method = "fused";
    std::uint64_t slice_count = 0; ///< elements that `fused` takes at once; 0 = as many as it can
    friend bool operator==(LiveSplit const&, LiveSplit const&) = default;
};

/// The labels of a case whose rule is a column of them: those of an index are always the same.
[[nodiscard]] std::vector<std::uint32_t> label_column(LiveSplit const& split, std::size_t count);

/// The function as records have it, with what a column of labels is. \param count of the keys
[[nodiscard]] BucketFunction recorded_function(LiveSplit const& split, std::size_t count);

/// Every rule, with many buckets and few, and of every kind of width, origin and splitters. The
/// method is left open.
/// \param images keys from which some splitters are taken
[[nodiscard]] LiveSplit
draw_split(int key_bits, std::vector<std::uint64_t> const& images, std::uint64_t seed);

/// Moves about half of the keys to the edges of the function's buckets, or next to them.
void move_to_edges(LiveSplit const& split,
                   int key_bits,
                   std::uint64_t seed,
                   std::vector<std::uint64_t>& images);

/// Splits that may show the same fault with less: rules that are simpler (splitters, then delta,
/// then a digit), fewer buckets, no slices. None is as complex as this one.
[[nodiscard]] std::vector<LiveSplit> simpler_splits(LiveSplit const& split, int key_bits);

/// The function of keys that are the upper halves of 64-bit ones.
[[nodiscard]] BucketFunction upper_half(BucketFunction const& function);

[[nodiscard]] nlohmann::ordered_json to_json(LiveSplit const& split);
[[nodiscard]] Expected<LiveSplit> parse_live_split(nlohmann::json const& json);

} // namespace keyswap::proptests
