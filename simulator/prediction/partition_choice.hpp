#pragma once

#include "simulator/cost/partition_cost.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// A method with its predicted time.
struct MethodTime {
    std::string_view method;
    bool stable = true;
    StageTimes stages;
};

/// Methods that have costs in the profile and support the load, fastest first, ties in the order of
/// multisplit_choices(). \param load its method is ignored
[[nodiscard]] std::vector<MethodTime> partition_methods(RateProfile const& profile,
                                                        PartitionLoad const& load);

/// The first method that keeps the order of keys within a bucket; nullopt if none does.
[[nodiscard]] std::optional<MethodTime> fastest_stable(std::vector<MethodTime> const& methods);

} // namespace keyswap::simulator
