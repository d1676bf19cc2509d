#pragma once

#include "simulator/cost/partition_cost.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// A method's predicted time.
struct MethodTime {
    std::string_view method;
    bool stable = true;
    StageTimes stages;
};

/// The methods that a device's profile has costs of and that take the load, fastest first; methods
/// of equal time in the order of multisplit_choices(). \param load its method is ignored
[[nodiscard]] std::vector<MethodTime> partition_methods(RateProfile const& profile,
                                                        PartitionLoad const& load);

/// The first of them that keeps the order of keys within a bucket.
[[nodiscard]] std::optional<MethodTime> fastest_stable(std::vector<MethodTime> const& methods);

} // namespace keyswap::simulator
