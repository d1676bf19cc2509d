/// \file Merge sorts on one processor: sorted runs of a fixed size, then merges. A GPU merges pairs
/// of runs in passes; a CPU merges all runs at once.

#include "model/sorts/merge/merge_model.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <string>

namespace keyswap::model {

namespace {

/// Maximum number of runs; each takes one or two trace records and an entry of the plan.
constexpr std::uint64_t run_count_max = std::uint64_t{1} << 20;

/// The initial runs of a plan, without merges; an error if they are too many or on several GPUs.
Expected<MergePlan> plan_runs(std::string_view name, SortConfig const& config) {
    if (config.gpu_count != 1) {
        return input_error("number of GPUs",
                           std::string(name) + " is a sort for one processor, not for " +
                               std::to_string(config.gpu_count) + " GPUs",
                           "give " + setting("gpu-count", "1"));
    }
    auto const info = find_algorithm_info(name);
    KEYSWAP_EXPECTS(info.has_value());
    MergePlan plan;
    plan.config = config;
    plan.chunks = Chunks(config.key_count, 1);
    plan.run_keys = value_of(config, *find_parameter(**info, "run-keys"));
    if (config.key_count / plan.run_keys >= run_count_max) {
        return input_error(setting("run-keys", std::to_string(plan.run_keys)),
                           "of " + std::to_string(config.key_count) +
                               " keys a plan would list more than " +
                               std::to_string(run_count_max) + " runs",
                           "give longer runs, or fewer keys");
    }
    return plan;
}

/// Passes that each halve the number of runs; an odd run waits for the next pass.
Expected<MergePlan> plan_network_merge(SortConfig const& config, KeySource& /*source*/) {
    auto plan = plan_runs("network-merge", config);
    if (!plan) {
        return plan;
    }
    std::uint64_t const n = config.key_count;
    for (std::uint64_t run = plan->run_keys; run < n; run *= 2) {
        MergeStage stage;
        for (std::uint64_t begin = 0; begin + run < n; begin += 2 * run) {
            stage.merges.push_back({GpuId{0}, run, std::min(run, n - begin - run), begin});
        }
        plan->stages.push_back(std::move(stage));
    }
    return plan;
}

Expected<MergePlan> plan_simd_merge(SortConfig const& config, KeySource& /*source*/) {
    auto plan = plan_runs("simd-merge", config);
    if (plan) {
        plan->cpu_merge_ways = static_cast<std::uint32_t>(first_runs(*plan, GpuId{0}).size());
    }
    return plan;
}

} // namespace

Algorithm const& network_merge_model() {
    static constexpr Algorithm algorithm{
        "network-merge", Division::runs, plan_merge<plan_network_merge>, nullptr, false};
    return algorithm;
}

Algorithm const& simd_merge_model() {
    static constexpr Algorithm algorithm{
        "simd-merge", Division::runs, plan_merge<plan_simd_merge>, nullptr, false};
    return algorithm;
}

} // namespace keyswap::model
