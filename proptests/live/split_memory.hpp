#pragma once

/// \file Host memory of a multisplit or shuffle case.

#include "kernels/multisplit.hpp"
#include "model/keys/key_order.hpp"
#include "proptests/live/live_case.hpp"
#include "traces/testing/value_fixtures.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Arrays of one call, in host memory.
template <class Word>
struct SplitMemory {
    std::vector<Word> keys;
    std::vector<Word> output;
    std::vector<std::byte> values;
    std::vector<std::byte> output_values;
    std::vector<std::uint32_t> labels;
    std::vector<std::uint64_t> starts;
    kernels::MultisplitArrays arrays;

    explicit SplitMemory(LiveCase const& live_case)
        : keys(words_of<Word>(live_case)), output(keys.size()),
          values(testing::index_values(keys.size(), live_case.config.value_type)),
          output_values(values.size()), labels(label_column(*live_case.split, keys.size())),
          starts(live_case.split->function.buckets) {
        model::to_keys(
            live_case.config.key_type, live_case.config.direction, std::span<Word>(keys));
        arrays.keys_in = keys.data();
        arrays.keys_out = output.data();
        arrays.values_in = values.data();
        arrays.values_out = output_values.data();
        arrays.labels = labels.data();
        arrays.label_bytes = sizeof(std::uint32_t);
        arrays.starts = starts.data();
    }

    /// The output converted to images, under ZeroOrder::total.
    [[nodiscard]] std::vector<std::uint64_t> output_images(LiveCase const& live_case) const {
        std::vector<Word> words = output;
        model::to_images(live_case.config.key_type,
                         live_case.config.direction,
                         ZeroOrder::total,
                         std::span<Word>(words));
        return {words.begin(), words.end()};
    }
};

/// Checks that a call with `count` keys is refused without touching the output.
/// \param name the object created for fewer keys, for the message
/// \param call (arrays, count) -> true if the call succeeded
template <class Call>
[[nodiscard]] std::optional<std::string>
check_too_many(std::uint64_t count, std::string const& name, Call const& call) {
    std::vector<std::uint64_t> const keys(count, 7);
    std::vector<std::uint64_t> output(keys.size(), 8);
    std::vector<std::uint64_t> starts(65'536);
    kernels::MultisplitArrays arrays;
    arrays.keys_in = keys.data();
    arrays.keys_out = output.data();
    arrays.values_in = keys.data();
    arrays.values_out = output.data();
    arrays.labels = keys.data();
    arrays.starts = starts.data();
    bool const done = call(arrays, count);
    bool const intact = std::ranges::all_of(output, [](std::uint64_t word) { return word == 8; });
    return done || !intact ? std::optional<std::string>("a call of more keys than the " + name +
                                                        " was made for was not refused cleanly")
                           : std::nullopt;
}

} // namespace keyswap::proptests
