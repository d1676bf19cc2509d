#include "simulator/prediction/partition_choice.hpp"

#include <algorithm>

namespace keyswap::simulator {

std::vector<MethodTime> partition_methods(RateProfile const& profile, PartitionLoad const& load) {
    std::vector<MethodTime> methods;
    for (MultisplitChoice const& choice : multisplit_choices()) {
        PartitionLoad asked = load;
        asked.method = choice.method;
        if (auto const stages = multisplit_cost(profile, asked)) {
            methods.push_back({choice.method, choice.stable, *stages});
        }
    }
    std::ranges::stable_sort(
        methods, {}, [](MethodTime const& one) { return one.stages.total_ms(); });
    return methods;
}

std::optional<MethodTime> fastest_stable(std::vector<MethodTime> const& methods) {
    auto const found = std::ranges::find(methods, true, &MethodTime::stable);
    return found == methods.end() ? std::nullopt : std::optional(*found);
}

} // namespace keyswap::simulator
