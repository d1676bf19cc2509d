#pragma once

/// \file Power and price of a machine, from the table [running] of its platform file. They do not
/// affect predictions.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// Of the whole machine, even if only some GPUs work.
struct RunningCost {
    std::uint64_t power_W = 0;    ///< at full load
    std::uint64_t price_cent = 0; ///< per hour, in hundredths of a dollar; 0: unknown
    std::string origin;           ///< "assumed: ..."; for a cluster, of its first nodes

    [[nodiscard]] double keys_per_joule(double keys_per_second) const {
        return keys_per_second / static_cast<double>(power_W);
    }
    /// nullopt if the price is unknown
    [[nodiscard]] std::optional<double> keys_per_dollar(double keys_per_second) const;

    friend bool operator==(RunningCost const&, RunningCost const&) = default;
};

/// Cost of a platform named as for load_platform(); for a cluster the sum over its nodes.
/// \return nullopt if a file has no table [running]; an error with the line of a mistake
[[nodiscard]] Expected<std::optional<RunningCost>> load_running_cost(std::string_view platform);

} // namespace keyswap::simulator
