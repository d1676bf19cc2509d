#pragma once

#include "model/partition/stable_partition.hpp"
#include "model/partition/step_plan.hpp"
#include "model/plan/violation.hpp"

#include <optional>
#include <string>

namespace keyswap::model {

/// Result of a replay of steps, for comparison with a recorded run.
struct StepsReplay {
    std::vector<SequenceDigest> outputs; ///< [steps] whole array after each step
    std::optional<Violation> violation;  ///< first step whose counts differ from the plan's
};

/// Executes the steps, each as a stable counting sort. The result is in `arrays`.
/// \param scratch same size as `arrays`; overwritten
/// \param labels [n] for a label rule
template <class Image, class Value>
[[nodiscard]] StepsReplay replay_steps(StepPlan const& plan,
                                       KeyArrays<Image, Value> const& arrays,
                                       KeyArrays<Image, Value> const& scratch,
                                       std::span<std::uint32_t const> labels = {}) {
    KEYSWAP_EXPECTS(arrays.size() == plan.config.key_count && scratch.size() == arrays.size());
    StepsReplay replay;
    KeyArrays<Image, Value> from = arrays;
    KeyArrays<Image, Value> to = scratch;
    for (PartitionStep const& step : plan.steps) {
        BucketEvaluator const evaluator(step.function, 8 * static_cast<int>(sizeof(Image)), labels);
        auto const counts = stable_partition(
            std::span<std::uint32_t const>(labels_of(evaluator, std::span<Image const>(from.keys))),
            step.function.buckets,
            from,
            to);
        if (!replay.violation && counts != step.counts) {
            replay.violation = Violation{"step counts",
                                         "step " + std::to_string(step.step) +
                                             " finds other counts than were planned",
                                         step.step,
                                         {},
                                         {}};
        }
        std::swap(from, to);
        replay.outputs.push_back(sequence_digest(from));
    }
    if (plan.steps.size() % 2 == 1) {
        std::ranges::copy(from.keys, to.keys.begin());
        std::ranges::copy(from.values, to.values.begin());
    }
    return replay;
}

} // namespace keyswap::model
