/// \file LSD radix sorts, which in the model differ only in their names and digit widths.

#include "model/partition/partition_positions.hpp"
#include "model/partition/plan_steps.hpp"
#include "model/partition/replay_steps.hpp"
#include "model/sorts/algorithm.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"

#include <string>
#include <utility>

namespace keyswap::model {

namespace {

/// A sort of all keys by stable partitions, one after the other. Its replay carries each out as a
/// stable counting sort, and digests the whole sequence after each.
class StepSortPlan final : public SortPlan {
  public:
    StepSortPlan(SortConfig const& config, std::vector<BucketFunction> steps)
        : config_(config), chunks_(config.key_count, 1), steps_(std::move(steps)) {}

    SortConfig const& config() const override { return config_; }
    Chunks const& chunks() const override { return chunks_; }
    std::vector<OwnershipRecord> ownership() const override {
        return {{GpuId{0}, 0, config_.key_count}};
    }
    std::uint64_t owned_max() const override { return config_.key_count; }
    std::optional<SwapLayout> layout() const override { return std::nullopt; }
    void for_each_step(std::function<void(PlanStep const&)> const& visit) const override {
        for (int step = 1; step <= static_cast<int>(steps_.size()); ++step) {
            visit(ScatterStep{step, GpuId{0}, config_.key_count});
        }
    }
    int trace_version() const override { return 2; }
    void record(TraceSink& sink) const override {
        for (std::uint32_t step = 0; step < steps_.size(); ++step) {
            sink.write(BucketFunctionRecord{step, BucketPrefix{}, steps_[step]});
        }
        for (OwnershipRecord const& owner : ownership()) {
            sink.write(owner);
        }
    }
    std::optional<Violation> replay(AnyReplayMemory const& memory, TraceSink* sink) const override {
        return std::visit([&](auto const& typed) { return replay_typed(typed, sink); }, memory);
    }

  private:
    template <class Image, class Value>
    std::optional<Violation> replay_typed(ReplayMemory<Image, Value> const& memory,
                                          TraceSink* sink) const {
        StepPlan const plan =
            plan_steps(config_, steps_, std::span<Image const>(memory.arrays.keys));
        StepsReplay const replay = replay_steps(plan, memory.arrays, memory.scratch);
        for (std::size_t i = 0; sink != nullptr && i < plan.steps.size(); ++i) {
            PartitionStep const& step = plan.steps[i];
            sink->write(HistogramRecord{
                BucketPrefix{}, GpuId{0}, 0, step.counts, step.step, function_of(step)});
            sink->write(partition_record(step, replay.outputs[i]));
        }
        return replay.violation;
    }

    /// The id of its record.
    static std::uint32_t function_of(PartitionStep const& step) {
        return static_cast<std::uint32_t>(step.step - 1);
    }

    [[nodiscard]] PartitionRecord partition_record(PartitionStep const& step,
                                                   SequenceDigest const& output) const {
        PartitionRecord record;
        record.step = step.step;
        record.function = function_of(step);
        record.count = config_.key_count;
        record.method = "reference";
        record.starts = exclusive_sums(step.counts);
        record.output = output;
        return record;
    }

    SortConfig config_;
    Chunks chunks_;
    std::vector<BucketFunction> steps_;
};

/// \param steps the functions, whose buckets together order the keys
/// \return an error for any number of GPUs but one
Expected<SortPlanPointer> step_sort_plan(SortConfig const& config,
                                         std::vector<BucketFunction> steps) {
    if (config.gpu_count != 1) {
        return tl::unexpected(
            InputError{"number of GPUs",
                       "this sort moves all keys through its steps at once, which " +
                           std::to_string(config.gpu_count) + " GPUs cannot",
                       "give " + setting("gpu-count", "1")});
    }
    return std::make_unique<StepSortPlan const>(config, std::move(steps));
}

Expected<SortPlanPointer> plan(SortConfig const& config, KeySource& /*source*/) {
    return step_sort_plan(config,
                          digit_steps(even_digits(key_bits(config.key_type), config.digit_bits)));
}

Expected<SortPlanPointer> plan_with_last_digit(SortConfig const& config, KeySource& /*source*/) {
    auto const info = find_algorithm_info("split-radix");
    KEYSWAP_EXPECTS(info.has_value());
    std::uint64_t const last_bits = value_of(config, *find_parameter(**info, "last-digit-bits"));
    return step_sort_plan(config,
                          digit_steps(even_digits(key_bits(config.key_type),
                                                  config.digit_bits,
                                                  static_cast<int>(last_bits))));
}

} // namespace

Algorithm const& multisplit_sort_model() {
    static constexpr Algorithm algorithm{"multisplit-sort", Division::steps, plan, nullptr, false};
    return algorithm;
}

Algorithm const& split_radix_model() {
    static constexpr Algorithm algorithm{
        "split-radix", Division::steps, plan_with_last_digit, nullptr, false};
    return algorithm;
}

Algorithm const& buffered_radix_model() {
    static constexpr Algorithm algorithm{"buffered-radix", Division::steps, plan, nullptr, false};
    return algorithm;
}

} // namespace keyswap::model
