#pragma once

#include "model/partition/stable_partition.hpp"
#include "model/partition/step_plan.hpp"

namespace keyswap::model {

/// Counts the keys of every step. The counts of a step do not depend on the order in which the
/// earlier steps leave the keys, so they are all taken from the input.
/// \param labels [n] for a label rule, which must be the only step
template <class Image>
[[nodiscard]] StepPlan plan_steps(SortConfig const& config,
                                  std::span<BucketFunction const> functions,
                                  std::span<Image const> images,
                                  std::span<std::uint32_t const> labels = {}) {
    KEYSWAP_EXPECTS(images.size() == config.key_count);
    KEYSWAP_EXPECTS(labels.empty() || functions.size() == 1);
    StepPlan plan{config, {}};
    for (BucketFunction const& function : functions) {
        BucketEvaluator const evaluator(function, 8 * static_cast<int>(sizeof(Image)), labels);
        plan.steps.push_back({static_cast<int>(plan.steps.size()) + 1,
                              function,
                              Stability::stable,
                              0,
                              counts_of(evaluator, images)});
    }
    return plan;
}

} // namespace keyswap::model
