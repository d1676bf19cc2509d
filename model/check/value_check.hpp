#pragma once

/// \file Do values still belong to their keys after a sort of pairs? Values are input indices.

#include "model/check/output_check.hpp"
#include "model/keys/stored_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {

/// What values show of an output that is a permutation.
struct ValueCheck {
    std::uint64_t value_count = 0;
    std::optional<std::uint64_t> first_wrong; ///< index in the output whose value is another key's
    std::string wrong;                        ///< what is wrong there; empty if nothing is
    std::optional<std::uint64_t> first_unstable; ///< index whose predecessor of the same group came
                                                 ///< later in the input

    [[nodiscard]] bool paired() const { return !first_wrong && wrong.empty(); }
    [[nodiscard]] bool stable() const { return paired() && !first_unstable; }
};

/// Checks that value v of an output key is the index of an equal input key, each index once.
/// The input is held in memory with a bit for each key.
/// \param values words of the width that the options' `value_type` names, in the output's order
/// \param starts where the groups begin within which a stable output keeps the input's order: the
///        buckets of a multisplit. None: groups are the equal keys of a sort
/// \pre the paths are not empty; keys were checked
[[nodiscard]] Expected<ValueCheck> check_values(std::span<std::filesystem::path const> inputs,
                                                std::span<std::filesystem::path const> outputs,
                                                std::filesystem::path const& values,
                                                KeyType value_type,
                                                OutputCheckOptions const& options,
                                                std::span<std::uint64_t const> starts = {});

/// The same for keys and values that are open already. \pre keys are of one type, values whole
[[nodiscard]] Expected<ValueCheck> check_values(StoredKeys const& input,
                                                StoredKeys const& output,
                                                StoredKeys const& values,
                                                OutputCheckOptions const& options,
                                                std::span<std::uint64_t const> starts = {});

/// Numbers of any whole type as 64-bit words. Negative ones, which are no index, become greater
/// than every index. \pre that many numbers are there
[[nodiscard]] Expected<std::vector<std::uint64_t>>
read_indices(StoredKeys const& values, std::uint64_t first, std::size_t count);

} // namespace keyswap::model
