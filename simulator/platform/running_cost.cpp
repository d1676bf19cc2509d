#include "simulator/platform/running_cost.hpp"

#include "simulator/platform/platform_cluster.hpp"
#include "simulator/platform/platform_reader.hpp"
#include "simulator/platform/platform_text.hpp"
#include "traces/errors/try.hpp"

namespace keyswap::simulator {

namespace {

Expected<std::optional<RunningCost>> cost_of_file(std::string_view platform) {
    KEYSWAP_TRY(auto const source, load_platform_text(platform));
    return read_section(source, read_running_cost);
}

} // namespace

std::optional<RunningCost> read_running_cost(toml::table const& root, MistakeLog& log) {
    toml::table const* const table = optional_table(root, "running", log);
    if (table == nullptr) {
        return std::nullopt;
    }
    TableReader reader(*table, "running", *table, log, {"power_W", "price_cent"});
    RunningCost cost{reader.number_if("power_W").value_or(0),
                     reader.number_if("price_cent").value_or(0),
                     reader.text("origin")};
    if (cost.power_W == 0) {
        reader.report("\"power_W\" is missing or 0", "add what the machine takes, in watts");
    }
    return cost;
}

std::optional<double> RunningCost::keys_per_dollar(double keys_per_second) const {
    constexpr double cents = 100.0;
    constexpr double seconds_per_hour = 3600.0;
    return price_cent == 0 ? std::nullopt
                           : std::optional(keys_per_second * seconds_per_hour * cents /
                                           static_cast<double>(price_cent));
}

Expected<std::optional<RunningCost>> load_running_cost(std::string_view platform) {
    if (!is_cluster(platform)) {
        return cost_of_file(platform);
    }
    KEYSWAP_TRY(auto const groups, cluster_groups(platform));
    RunningCost sum;
    bool is_priced = true;
    for (auto const& [node, count] : groups) {
        KEYSWAP_TRY(auto const one, cost_of_file(node));
        if (!one) {
            return std::optional<RunningCost>();
        }
        sum.power_W += count * one->power_W;
        sum.price_cent += count * one->price_cent;
        is_priced = is_priced && one->price_cent > 0;
        sum.origin = sum.origin.empty() ? one->origin : sum.origin;
    }
    sum.price_cent = is_priced ? sum.price_cent : 0;
    return std::optional(sum);
}

} // namespace keyswap::simulator
