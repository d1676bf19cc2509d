#pragma once

#include "traces/errors/input_error.hpp"
#include "traces/records/bucket_function.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// A bucket function from the command line, with its column of labels, if any.
struct ParsedFunction {
    BucketFunction function;
    std::vector<std::uint32_t> labels; ///< [n] in input order; empty unless a label rule
};

/// Syntax of rules, for help texts and remedies.
inline constexpr std::string_view bucket_rule_forms =
    "delta, digit:SHIFT:BITS, splitters:FILE, prime, hash:SEED or labels:FILE";

/// Parses a rule and reads its file. Errors name the option, or file and line.
/// \param text one of bucket_rule_forms
/// \param key_type type of the keys, and of splitters in a file
/// \param buckets number of buckets, if given. The rules delta and hash require it; for the other
/// rules it must equal their own number (labels: it must exceed every label, and defaults to the
/// largest label plus 1)
/// \param key_count required number of labels
[[nodiscard]] Expected<ParsedFunction> parse_bucket_rule(std::string_view text,
                                                         KeyType key_type,
                                                         std::optional<std::uint32_t> buckets,
                                                         std::uint64_t key_count);

/// Reads ascending keys from a file (raw, .npy, .csv or .txt) as distinct ascending images.
/// \param what "splitter" or "edge", for messages
[[nodiscard]] Expected<std::vector<KeyImage>>
read_ascending_keys(std::filesystem::path const& path, KeyType key_type, std::string_view what);

} // namespace keyswap::model
