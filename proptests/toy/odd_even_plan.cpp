#include "proptests/toy/odd_even_plan.hpp"

#include "model/sorts/merge/sorted_sequence.hpp"

namespace keyswap::model {

namespace {

/// Default of the parameter, as in the catalogue row.
constexpr std::uint64_t quiet_stages_default = 2;

/// Contents of the GPUs during planning: one sorted sequence each.
class OddEvenPlanner {
  public:
    OddEvenPlanner(Chunks const& chunks, DigitLayout const& layout, KeySource& source)
        : chunks_(chunks), ranks_(chunks, layout, source) {
        for (GpuId gpu{0}; gpu.value < chunks.gpu_count(); ++gpu.value) {
            auto sequence = std::make_shared<SortedSequence>();
            sequence->chunk = gpu;
            contents_.push_back(sequence);
        }
    }

    /// Plans the exchanges of the pairs that begin at GPU `first`, `first` + 2, ...
    [[nodiscard]] MergeStage stage(std::uint32_t first) {
        MergeStage stage;
        for (std::uint32_t lower = first; lower + 1 < chunks_.gpu_count(); lower += 2) {
            exchange(GpuId{lower}, GpuId{lower + 1}, stage);
        }
        return stage;
    }

  private:
    void exchange(GpuId lower, GpuId higher, MergeStage& stage) {
        auto& low = contents_[lower.value];
        auto& high = contents_[higher.value];
        std::uint64_t const low_size = chunks_.of(lower).size();
        std::uint64_t const high_size = chunks_.of(higher).size();
        std::uint64_t const stay = smallest_from_first(*low, *high, low_size, ranks_);
        std::uint64_t const swapped = low_size - stay;
        if (swapped == 0) {
            return;
        }
        stage.swaps.push_back({lower, stay, higher, 0, swapped});
        auto const merged = [&](GpuId gpu, SortedRun const& first, SortedRun const& second) {
            auto sequence = std::make_shared<SortedSequence>();
            sequence->runs = {first, second};
            if (first.range.size() > 0 && second.range.size() > 0) {
                stage.merges.push_back({gpu, first.range.size(), second.range.size()});
            }
            return sequence;
        };
        auto new_low = merged(lower, {low, {0, stay}}, {high, {0, swapped}});
        auto new_high = merged(higher, {low, {stay, low_size}}, {high, {swapped, high_size}});
        low = std::move(new_low);
        high = std::move(new_high);
    }

    Chunks chunks_;
    ChunkRanks ranks_;
    std::vector<std::shared_ptr<SortedSequence>> contents_; ///< [g] sequence held by each GPU
};

} // namespace

Expected<MergePlan> plan_odd_even_sort(SortConfig const& config, KeySource& source) {
    MergePlan plan;
    plan.config = config;
    plan.chunks = Chunks(config.key_count, config.gpu_count);
    OddEvenPlanner planner(
        plan.chunks, DigitLayout(key_bits(config.key_type), config.digit_bits), source);
    auto const named = config.parameters.find("quiet-stages");
    std::uint64_t const quiet_stages =
        named == config.parameters.end() ? quiet_stages_default : named->second;
    std::uint64_t quiet = 0;
    // Terminates, because every swap reduces the number of inversions.
    for (std::uint32_t first = 0; quiet < quiet_stages; first = 1 - first) {
        MergeStage stage = planner.stage(first);
        quiet = stage.swaps.empty() ? quiet + 1 : 0;
        plan.stages.push_back(std::move(stage));
    }
    return plan;
}

} // namespace keyswap::model
