#pragma once

/// \file Checks that a sort of pairs keeps values with their keys. Values are input indices.

#include "model/check/output_check.hpp"
#include "model/key_files/stored_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {

/// Findings about the values of an output that is a permutation.
struct ValueCheck {
    std::uint64_t value_count = 0;
    std::optional<std::uint64_t> first_wrong;    ///< output index of another key's value
    std::string wrong;                           ///< describes the error there; empty if none
    std::optional<std::uint64_t> first_unstable; ///< output index whose predecessor in the same
                                                 ///< group has a higher input index

    [[nodiscard]] bool paired() const { return !first_wrong && wrong.empty(); }
    [[nodiscard]] bool stable() const { return paired() && !first_unstable; }
};

/// Checks that each output key's value is the index of an equal input key; no index occurs twice.
/// Holds the input in memory, plus one bit per key.
/// \param values integers of type `value_type`, in output order
/// \param starts first index of each group within which a stable output is in input order: the
/// buckets of a multisplit. If empty, groups are the runs of equal keys
/// \pre the paths are not empty; the keys passed their check
[[nodiscard]] Expected<ValueCheck> check_values(std::span<std::filesystem::path const> inputs,
                                                std::span<std::filesystem::path const> outputs,
                                                std::filesystem::path const& values,
                                                KeyType value_type,
                                                OutputCheckOptions const& options,
                                                std::span<std::uint64_t const> starts = {});

/// As above, for open files. \pre keys have the same type; values are integers
[[nodiscard]] Expected<ValueCheck> check_values(StoredKeys const& input,
                                                StoredKeys const& output,
                                                StoredKeys const& values,
                                                OutputCheckOptions const& options,
                                                std::span<std::uint64_t const> starts = {});

/// Reads integers of any type as 64-bit words. Negative ones, which are not valid indices, exceed
/// every valid index. \pre values has at least first + count integers
[[nodiscard]] Expected<std::vector<std::uint64_t>>
read_indices(StoredKeys const& values, std::uint64_t first, std::size_t count);

} // namespace keyswap::model
