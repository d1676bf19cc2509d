#pragma once

/// \file One input to a real sort or multisplit: configuration, variant, GPUs and keys, small
/// enough to be read and saved once it was shrunk.

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

/// Everything that a real sort is given, or a multisplit, which asks for no algorithm and is a
/// shuffle on several GPUs.
struct LiveCase {
    std::string algorithm = "rmg"; ///< as in the catalogue
    model::SortConfig config;      ///< its key_count is images.size(), gpu_count devices.size()
    std::string variant = "paper"; ///< one of the algorithm's
    kernels::FastTuning tuning;
    std::vector<int> devices; ///< device number of each GPU; a number may come again
    bool on_devices = false;  ///< chunks lie on the GPUs, sorted in place; else in host memory
    bool by_ranks = false;    ///< one rank a GPU; none sees another's memory
    bool over_nccl = false;   ///< which moves keys between them; no two share a device then
    /// Of delays between the operations of streams; nullopt = none. See kernels/device.
    std::optional<std::uint64_t> delay_seed;
    /// Order-preserving images of the keys in input order. Of keys of 128 bits wide_image() makes
    /// them, so that cases are saved, compared and made smaller as narrower ones are.
    std::vector<std::uint64_t> images;
    int wide_shift = 64;            ///< of keys of 128 bits: 0 to 64 bits that lie below an image
    std::optional<LiveSplit> split; ///< a multisplit in place of a sort
    friend bool operator==(LiveCase const&, LiveCase const&) = default;
};

/// Keeps order and equality; the bits below follow from the image. \pre 0 <= shift <= 64
[[nodiscard]] constexpr model::uint128 wide_image(std::uint64_t image, int shift) {
    std::uint64_t const below = shift == 0 ? 0 : mix_bits(image) >> (64 - shift);
    return (model::uint128{image} << shift) | below;
}

/// The images as words of the keys' width.
template <class Word>
[[nodiscard]] std::vector<Word> words_of(LiveCase const& live_case) {
    std::vector<Word> words(live_case.images.size());
    std::ranges::transform(live_case.images, words.begin(), [&live_case](std::uint64_t image) {
        if constexpr (sizeof(Word) > sizeof(image)) {
            return wide_image(image, live_case.wide_shift);
        } else {
            return static_cast<Word>(image);
        }
    });
    return words;
}

/// The inverse of words_of, in any order; nullopt if a word is not one of an image.
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

/// Calls `body` with std::type_identity of the word of the case's keys.
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

/// The header of a run of a multisplit. \pre live_case.split
[[nodiscard]] RunHeader multisplit_header(LiveCase const& live_case);

/// What a real sort made of a case.
struct LiveOutcome {
    model::verify::RecordedRun run;
    std::vector<std::uint64_t> output_images;
    std::vector<std::uint64_t> output_values; ///< input indices; empty without values
};

/// Compares the records with the model and the output with a stable sort of the input.
/// \returns what is wrong; nullopt if all is right
[[nodiscard]] std::optional<std::string> check_outcome(LiveCase const& live_case,
                                                       LiveOutcome const& outcome);

/// Compares an output with a stable sort of the input, or with the one stable partition; where sort
/// or method is not stable, with any that is right.
[[nodiscard]] std::optional<std::string>
check_output(LiveCase const& live_case,
             std::vector<std::uint64_t> const& output_images,
             std::vector<std::uint64_t> const& output_values);

/// One JSON object in a line.
[[nodiscard]] std::string to_text(LiveCase const& live_case);
/// The inverse of to_text. \param name what an error is about
[[nodiscard]] Expected<LiveCase> parse_live_case(std::string const& text, std::string const& name);

/// Where random cases come from.
struct LiveLimits {
    std::uint64_t key_count_max = 20'000; ///< of most cases; of one in sixteen, 64 times as many
    std::uint32_t gpu_count_max = 16;
    int device_count = 1; ///< real GPUs; virtual GPUs share them
    /// Which sorts are drawn, and with what key types; null = all that the model has, of at most 64
    /// bits.
    bool (*has_sort)(AlgorithmInfo const&, KeyType) = nullptr;
    Operation operation = Operation::sort; ///< or a multisplit
    bool over_nccl = false;                ///< sorts by ranks alone, on real GPUs, over NCCL
    /// Methods that take a case's function; null = those of the model.
    std::vector<std::string> (*methods)(LiveCase const&) = nullptr;
};

/// Random cases: every algorithm, variant, key type, direction, value width, parameters and order
/// of GPUs (of multisplits every rule and method), chunks in host memory and on the GPUs, delays
/// between queued operations in every other case, and keys of the kinds on which sorts have
/// failed: few distinct values, runs that end at borders, buckets at the edge of the tolerance,
/// prefixes that force the last pass, NaN and -0.0.
[[nodiscard]] rc::Gen<LiveCase> any_live_case(LiveLimits const& limits);

/// What is wrong with a sort of the case; nullopt if all is right.
using LiveCheck = std::function<std::optional<std::string>(LiveCase const&)>;

/// Makes a failing case smaller while it fails, in keys, GPUs, distinct keys, their width and
/// everything else at once.
/// \param run_count_max runs of the check at most
/// \pre check(live_case) fails
[[nodiscard]] LiveCase
shrink_case(LiveCase live_case, LiveCheck const& check, std::size_t run_count_max);

} // namespace keyswap::proptests
