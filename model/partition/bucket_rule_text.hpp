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

/// A bucket function as a user asked for it, with the column of labels that it may need.
struct GivenFunction {
    BucketFunction function;
    std::vector<std::uint32_t> labels; ///< [n] in input order; empty for other rules
};

/// How a rule is written; for help texts and remedies.
inline constexpr std::string_view bucket_rule_forms =
    "delta, digit:SHIFT:BITS, splitters:FILE, prime, hash:SEED or labels:FILE";

/// Understands a rule and reads its file. Errors name the option, or file and line.
/// \param text one of bucket_rule_forms
/// \param key_type of the keys, and of the splitters in a file
/// \param buckets the number of buckets, where given; delta and hash need it, for the others it
/// must
///        agree (for labels, where absent, it is the largest label plus 1)
/// \param key_count as many labels must be there
[[nodiscard]] Expected<GivenFunction> parse_bucket_rule(std::string_view text,
                                                        KeyType key_type,
                                                        std::optional<std::uint32_t> buckets,
                                                        std::uint64_t key_count);

/// Ascending keys of a file (raw, .npy, .csv or .txt) as images in ascending order, each once.
/// \param what "splitter" or "edge", for messages
[[nodiscard]] Expected<std::vector<KeyImage>>
read_ascending_keys(std::filesystem::path const& path, KeyType key_type, std::string_view what);

} // namespace keyswap::model
