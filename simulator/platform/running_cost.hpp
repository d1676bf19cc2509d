#pragma once

/// \file What a machine takes while it works, from the table [running] of its platform file. No
/// prediction depends on it.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// Of all of the machine, whichever GPUs work.
struct RunningCost {
    std::uint64_t power_W = 0;    ///< at full load
    std::uint64_t price_cent = 0; ///< of an hour, in hundredths of a dollar; 0: not known
    std::string origin;           ///< "assumed: ..."; of a cluster that of its first nodes

    [[nodiscard]] double keys_per_joule(double keys_per_second) const {
        return keys_per_second / static_cast<double>(power_W);
    }
    /// nullopt if the price is not known
    [[nodiscard]] std::optional<double> keys_per_dollar(double keys_per_second) const;
};

/// Of a platform as load_platform() takes it; of a cluster the sum of its nodes.
/// \return nullopt where a file says nothing of it; an error naming the line of a mistake
[[nodiscard]] Expected<std::optional<RunningCost>> load_running_cost(std::string_view platform);

} // namespace keyswap::simulator
