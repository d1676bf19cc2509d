#pragma once

/// \file One input of a real sort or multisplit: configuration, variant, GPUs and keys. Once
/// shrunk, it is small enough to be read by a person and saved.

#include "kernels/exchange_plan/fast_tuning.hpp"
#include "model/keys/wide_integer.hpp"
#include "model/plan/sort_config.hpp"
#include "model/verify/recorded_run.hpp"
#include "proptests/live/live_split.hpp"
#include "traces/catalog/algorithm_info.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <rapidcheck.h>
#include <string>
#include <type_traits>
#include <vector>

namespace keyswap::proptests {

/// Complete input of a real sort, or of a multisplit; a multisplit ignores the algorithm and is a
/// shuffle if there are several GPUs.
struct LiveCase {
    std::string algorithm = "rmg"; ///< name in the catalogue
    model::SortConfig config;      ///< key_count is images.size(), gpu_count is devices.size()
    std::string variant = "paper"; ///< a variant of the algorithm
    kernels::FastTuning tuning;
    std::vector<int> devices; ///< device number of each GPU; numbers may repeat
    bool on_devices = false;  ///< chunks are in GPU memory and sorted in place; else in host memory
    bool by_ranks = false;    ///< one rank per GPU, without access to other ranks' memory
    bool over_nccl = false;   ///< ranks exchange over NCCL, on distinct devices
    /// Seed of delays between stream operations (see kernels/device); nullopt = no delays.
    std::optional<std::uint64_t> delay_seed;
    /// Order-preserving images of the keys in input order. For 128-bit keys wide_image() expands
    /// them, so that such cases are saved, compared and shrunk like narrower ones.
    std::vector<std::uint64_t> images;
    int wide_shift = 64;            ///< for 128-bit keys: 0 to 64 bits below the image
    std::optional<LiveSplit> split; ///< a multisplit instead of a sort
    friend bool operator==(LiveCase const&, LiveCase const&) = default;
};

/// Image, then bits of its hash: preserves order and equality. \pre 0 <= shift <= 64
[[nodiscard]] constexpr model::uint128 wide_image(std::uint64_t image, int shift) {
    std::uint64_t const below = shift == 0 ? 0 : mix_bits(image) >> (64 - shift);
    return (model::uint128{image} << shift) | below;
}

/// The keys' images as words of the key width.
template <class Word>
[[nodiscard]] std::vector<Word> words_of(LiveCase const& live_case) {
    std::vector<Word> words(live_case.images.size());
    std::ranges::transform(live_case.images, words.begin(), [&](std::uint64_t image) {
        if constexpr (sizeof(Word) > sizeof(image)) {
            return wide_image(image, live_case.wide_shift);
        } else {
            return static_cast<Word>(image);
        }
    });
    return words;
}

/// The inverse of words_of(), in any order; nullopt if a word belongs to no image.
template <class Word>
[[nodiscard]] std::optional<std::vector<std::uint64_t>> images_of(LiveCase const& live_case,
                                                                  std::vector<Word> const& words) {
    std::vector<std::uint64_t> images;
    images.reserve(words.size());
    for (Word const word : words) {
        if constexpr (sizeof(Word) > sizeof(std::uint64_t)) {
            auto const image = static_cast<std::uint64_t>(word >> live_case.wide_shift);
            if (wide_image(image, live_case.wide_shift) != word) {
                return std::nullopt;
            }
            images.push_back(image);
        } else {
            images.push_back(word);
        }
    }
    return images;
}

/// Calls `body` with std::type_identity of the word type of the case's keys.
template <class Body>
auto with_word(LiveCase const& live_case, Body const& body) {
    switch (key_bits(live_case.config.key_type)) {
    case 32:
        return body(std::type_identity<std::uint32_t>{});
    case 64:
        return body(std::type_identity<std::uint64_t>{});
    default:
        return body(std::type_identity<model::uint128>{});
    }
}

/// The run header of a multisplit. \pre live_case.split
[[nodiscard]] RunHeader multisplit_header(LiveCase const& live_case);

/// Output of a real sort.
struct LiveOutcome {
    model::verify::RecordedRun run;
    std::vector<std::uint64_t> output_images;
    std::vector<std::uint64_t> output_values; ///< input index of each key; empty without values
};

/// Compares the records with the model, and the output with a stable sort of the input.
/// \returns the problem; nullopt if there is none
[[nodiscard]] std::optional<std::string> check_outcome(LiveCase const& live_case,
                                                       LiveOutcome const& outcome);

/// Compares the output with a stable sort or partition of the input; for an unstable sort or
/// method, any correct output is accepted. \returns the problem; nullopt if there is none
[[nodiscard]] std::optional<std::string>
check_output(LiveCase const& live_case,
             std::vector<std::uint64_t> const& output_images,
             std::vector<std::uint64_t> const& output_values);

/// Formats a case as a JSON object on one line.
[[nodiscard]] std::string to_text(LiveCase const& live_case);
/// The inverse of to_text(). \param name subject of errors
[[nodiscard]] Expected<LiveCase> parse_live_case(std::string const& text, std::string const& name);

/// Bounds and filters for random cases.
struct LiveLimits {
    std::uint64_t key_count_max = 20'000; ///< one case in sixteen may have 64 times as many
    std::uint32_t gpu_count_max = 16;
    int device_count = 1; ///< physical GPUs, shared by the virtual GPUs
    /// Filter of sorts and key types; null = all sorts of the model with key types of at most 64
    /// bits.
    bool (*has_sort)(AlgorithmInfo const&, KeyType) = nullptr;
    Operation operation = Operation::sort; ///< or Operation::multisplit
    bool over_nccl = false;                ///< only sorts by ranks, on physical GPUs, over NCCL
    /// Methods that accept a case's function; null = those of the model.
    std::vector<std::string> (*methods)(LiveCase const&) = nullptr;
};

/// Random cases over every algorithm, variant, key type, direction, value width, parameter and
/// order of GPUs (for multisplits, every rule and method), with chunks in host and GPU memory,
/// delays between stream operations in every other case, and keys that have broken sorts: few
/// distinct values, runs that end at borders, buckets at the edge of the tolerance, prefixes that
/// force the last pass, NaN and -0.0.
[[nodiscard]] rc::Gen<LiveCase> any_live_case(LiveLimits const& limits);

/// Sorts a case and checks it. \returns the problem; nullopt if there is none
using LiveCheck = std::function<std::optional<std::string>(LiveCase const&)>;

/// Shrinks a failing case as long as it fails: keys, GPUs, distinct keys, key width and everything
/// else, also in combination.
/// \param run_count_max maximum number of calls of the check
/// \pre check(live_case) fails
[[nodiscard]] LiveCase
shrink_case(LiveCase live_case, LiveCheck const& check, std::size_t run_count_max);

} // namespace keyswap::proptests
