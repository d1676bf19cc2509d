#pragma once

/// \file Checks that an output file is a sorted permutation of an input file. If not, guesses the
/// cause from the differences.

#include "model/check/cause.hpp"
#include "model/check/image_scan.hpp"
#include "model/key_files/key_file.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {

struct OutputCheckOptions {
    KeyFileOptions input;
    KeyFileOptions output; ///< without a key type, it has that of the input
    Direction direction = Direction::ascending;
    ZeroOrder zero_order = ZeroOrder::total;
    NanOrder nan_order = NanOrder::total;
    std::optional<std::uint32_t> gpu_count; ///< to match faults with chunk borders
    std::optional<std::uint64_t> hash_seed; ///< nullopt: process_hash_seed()
    unsigned thread_count = 0;              ///< 0 = number of cores, at least two
    /// Called from any thread with the number of keys read since the last call and the total number
    /// in both files. Not called while a wrong output is read again for diagnosis.
    std::function<void(std::uint64_t more, std::uint64_t all)> on_keys_read;
};

/// Shape of an output, whether sorted or not.
enum class OrderShape {
    sorted,
    reversed, ///< sorted in the opposite direction
    rotated,  ///< two sorted runs in the wrong order: the second does not end above the start of
              ///< the first
    unsorted
};

/// Order of the output's keys.
struct OrderFinding {
    OrderShape shape = OrderShape::sorted;
    std::optional<std::uint64_t> first_unsorted; ///< index of the first key below its predecessor
    std::uint64_t sorted_runs = 0;               ///< maximal sorted ranges; 1 = sorted, 0 = no keys
    std::optional<std::uint32_t> chunk;          ///< GPU whose ideal chunk starts at first_unsorted
    std::optional<std::size_t> part;             ///< output file after the first that starts there
    std::string key_before;                      ///< key at first_unsorted - 1; empty if sorted
    std::string key_at;                          ///< key at first_unsorted; empty if sorted
    friend bool operator==(OrderFinding const&, OrderFinding const&) = default;
};

/// A key value whose number of occurrences differs between the two files.
struct ValueFinding {
    std::string key;
    std::uint64_t in_input = 0;
    std::uint64_t in_output = 0;
    friend bool operator==(ValueFinding const&, ValueFinding const&) = default;
};

enum class ContentShape {
    values, ///< individual values
    block   ///< all keys in a range of the sorted order, missing or duplicated
};

/// Keys missing from the output, or surplus in it.
struct ContentFinding {
    ContentShape shape = ContentShape::values;
    std::uint64_t key_count = 0;
    bool exact = true;                ///< false: key_count is a lower bound
    std::string from;                 ///< first such key in sorted order
    std::string to;                   ///< last such key in sorted order
    std::uint64_t sorted_index = 0;   ///< first index of `from` in the correct output
    std::optional<std::uint32_t> gpu; ///< GPU whose ideal chunk contains sorted_index
    friend bool operator==(ContentFinding const&, ContentFinding const&) = default;
};

struct OutputCheck {
    KeyType key_type = KeyType::u32;
    std::optional<NarrowType> narrow_type; ///< original type of keys that were widened
    std::uint64_t input_count = 0;
    std::uint64_t output_count = 0;
    std::uint64_t hash_seed = 0; ///< seed of both fingerprints
    Fingerprint input_fingerprint;
    Fingerprint output_fingerprint;
    OrderFinding order;
    std::optional<ContentFinding> lost;   ///< nullopt if no key is missing
    std::optional<ContentFinding> gained; ///< nullopt if no key is surplus
    std::vector<ValueFinding> values;     ///< at most values_shown_max, in sorted order
    std::optional<CauseGuess> guess;      ///< possible cause; a heuristic, not part of the verdict
    std::vector<std::string> headers;     ///< header rows skipped in CSV files, by file

    [[nodiscard]] bool sorted() const { return order.shape == OrderShape::sorted; }
    [[nodiscard]] bool permutation() const { return input_fingerprint == output_fingerprint; }
    [[nodiscard]] bool holds() const { return sorted() && permutation(); }
};

inline constexpr std::size_t values_shown_max = 8;

/// Reads both files once, and several more times if the output is wrong, in constant memory. An
/// unreadable file is an error; a wrong output is a result.
[[nodiscard]] Expected<OutputCheck> check_output(std::filesystem::path const& input,
                                                 std::filesystem::path const& output,
                                                 OutputCheckOptions const& options);

/// As above, for keys in several files each, concatenated: for example one file for each GPU.
/// \pre neither list is empty
[[nodiscard]] Expected<OutputCheck> check_outputs(std::span<std::filesystem::path const> inputs,
                                                  std::span<std::filesystem::path const> outputs,
                                                  OutputCheckOptions const& options);

/// As above, for open files. Ignores the options `input` and `output`. \pre both have the same key
/// type
[[nodiscard]] Expected<OutputCheck>
check_keys(StoredKeys const& input, StoredKeys const& output, OutputCheckOptions const& options);

/// Order of the keys of a file, independent of any input.
struct OrderCheck {
    KeyType key_type = KeyType::u32;
    std::optional<NarrowType> narrow_type; ///< original type of keys that were widened
    std::uint64_t key_count = 0;
    OrderFinding order;
    std::vector<std::string> headers; ///< as in OutputCheck

    [[nodiscard]] bool holds() const { return order.shape == OrderShape::sorted; }
};
/// Reads the concatenated files once, as options.input specifies. \pre paths is not empty
[[nodiscard]] Expected<OrderCheck> check_order(std::span<std::filesystem::path const> paths,
                                               OutputCheckOptions const& options);

/// As above, for open files.
[[nodiscard]] Expected<OrderCheck> check_order(StoredKeys const& keys,
                                               OutputCheckOptions const& options);

/// Describes the order in a sentence about `subject`, such as "The output".
[[nodiscard]] std::string order_sentence(OrderFinding const& order, std::string const& subject);

/// The findings, one sentence each, most severe first; a single sentence if the output is correct.
[[nodiscard]] std::vector<std::string> sentences(OutputCheck const& check);

/// "sorted", "reversed", "rotated" or "unsorted".
[[nodiscard]] std::string_view to_string(OrderShape shape);
/// "values" or "block".
[[nodiscard]] std::string_view to_string(ContentShape shape);

} // namespace keyswap::model
