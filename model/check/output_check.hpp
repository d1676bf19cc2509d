#pragma once

/// \file Is an output file a sorted permutation of an input file? If not, what went wrong, judged
/// by its shape.

#include "model/check/cause_guess.hpp"
#include "model/check/image_scan.hpp"
#include "model/keys/key_file.hpp"

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
    KeyFileOptions output; ///< its key type, where missing, is the input's
    Direction direction = Direction::ascending;
    ZeroOrder zero_order = ZeroOrder::total;
    NanOrder nan_order = NanOrder::total;
    std::optional<std::uint32_t> gpu_count; ///< to say whether faults stand at chunk borders
    std::optional<std::uint64_t> hash_seed; ///< none: process_hash_seed()
    unsigned thread_count = 0;              ///< 0 = as many as the machine has, at least two
    /// Called by any thread with the number of keys read since the last call and the number in both
    /// files. Not called for the further readings that find out what is wrong.
    std::function<void(std::uint64_t more, std::uint64_t all)> on_keys_read;
};

/// How an output that is not sorted is out of order.
enum class OrderShape {
    sorted,
    reversed, ///< sorted in the other direction
    rotated,  ///< two sorted runs in the wrong order: the second ends no higher than the first
              ///< begins
    unsorted
};

/// The order of the output.
struct OrderFinding {
    OrderShape shape = OrderShape::sorted;
    std::optional<std::uint64_t> first_unsorted; ///< first index whose key is below the one before
    std::uint64_t sorted_runs = 0; ///< maximal sorted stretches; 1 = sorted, 0 = there are no keys
    std::optional<std::uint32_t> chunk; ///< GPU whose ideal chunk begins at first_unsorted, if any
    std::optional<std::size_t> part; ///< output file that begins at first_unsorted; not the first
    std::string key_before;          ///< at first_unsorted - 1; empty if sorted
    std::string key_at;              ///< at first_unsorted
    friend bool operator==(OrderFinding const&, OrderFinding const&) = default;
};

/// A key value that the two files do not hold equally often.
struct ValueFinding {
    std::string key;
    std::uint64_t in_input = 0;
    std::uint64_t in_output = 0;
    friend bool operator==(ValueFinding const&, ValueFinding const&) = default;
};

enum class ContentShape {
    values, ///< single values
    block   ///< all keys of a stretch of the sorted order: missing, or there twice
};

/// Keys that the output lacks, or has too many of.
struct ContentFinding {
    ContentShape shape = ContentShape::values;
    std::uint64_t key_count = 0;
    bool exact = true;                ///< false: at least key_count
    std::string from;                 ///< first such key in sorted order
    std::string to;                   ///< last such key
    std::uint64_t sorted_index = 0;   ///< where the correct output has `from` first
    std::optional<std::uint32_t> gpu; ///< whose ideal chunk holds sorted_index
    friend bool operator==(ContentFinding const&, ContentFinding const&) = default;
};

struct OutputCheck {
    KeyType key_type = KeyType::u32;
    std::optional<NarrowType> narrow_type; ///< of the input's keys, read as key_type
    std::uint64_t input_count = 0;
    std::uint64_t output_count = 0;
    std::uint64_t hash_seed = 0; ///< of both fingerprints
    Fingerprint input_fingerprint;
    Fingerprint output_fingerprint;
    OrderFinding order;
    std::optional<ContentFinding> lost;   ///< nullopt if the output lacks no key
    std::optional<ContentFinding> gained; ///< nullopt if it has none too many
    std::vector<ValueFinding> values;     ///< at most values_shown_max that differ, in sorted order
    std::optional<CauseGuess> guess;      ///< what may have made it wrong; a guess, no verdict
    std::vector<std::string> headings;    ///< rows of CSV files that were taken for no key, by file

    [[nodiscard]] bool sorted() const { return order.shape == OrderShape::sorted; }
    [[nodiscard]] bool permutation() const { return input_fingerprint == output_fingerprint; }
    [[nodiscard]] bool holds() const { return sorted() && permutation(); }
};

inline constexpr std::size_t values_shown_max = 8;

/// Reads both files once, and several times more where something is wrong. Memory does not grow
/// with the files. An unreadable file is an error; a wrong output is a result.
[[nodiscard]] Expected<OutputCheck> check_output(std::filesystem::path const& input,
                                                 std::filesystem::path const& output,
                                                 OutputCheckOptions const& options);

/// The same for keys that lie in several files each, one after the other: the parts of GPUs, say.
/// \pre neither is empty
[[nodiscard]] Expected<OutputCheck> check_outputs(std::span<std::filesystem::path const> inputs,
                                                  std::span<std::filesystem::path const> outputs,
                                                  OutputCheckOptions const& options);

/// The same for keys that are open already. Of the options only what orders keys and threads
/// counts. \pre both are of one type
[[nodiscard]] Expected<OutputCheck>
check_keys(StoredKeys const& input, StoredKeys const& output, OutputCheckOptions const& options);

/// Whether the keys of one file are in order, whatever they were before.
struct OrderCheck {
    KeyType key_type = KeyType::u32;
    std::optional<NarrowType> narrow_type; ///< of the keys, read as key_type
    std::uint64_t key_count = 0;
    OrderFinding order;
    std::vector<std::string> headings; ///< as in OutputCheck

    [[nodiscard]] bool holds() const { return order.shape == OrderShape::sorted; }
};
/// Reads the files, which are one sequence, once, as options.input says. \pre there is one at least
[[nodiscard]] Expected<OrderCheck> check_order(std::span<std::filesystem::path const> paths,
                                               OutputCheckOptions const& options);

/// The same for keys that are open already.
[[nodiscard]] Expected<OrderCheck> check_order(StoredKeys const& keys,
                                               OutputCheckOptions const& options);

/// What is out of order, in a sentence about `subject`, such as "The output".
[[nodiscard]] std::string order_sentence(OrderFinding const& order, std::string const& subject);

/// The findings, one sentence each, worst first; a single one where all is well.
[[nodiscard]] std::vector<std::string> sentences(OutputCheck const& check);

/// "sorted", "reversed", "rotated" or "unsorted".
[[nodiscard]] std::string_view to_string(OrderShape shape);
/// "values" or "block".
[[nodiscard]] std::string_view to_string(ContentShape shape);

} // namespace keyswap::model
