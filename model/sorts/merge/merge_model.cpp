#include "model/sorts/merge/merge_model.hpp"

#include "model/keys/parallel.hpp"
#include "model/sorts/rmg/digit_scatter.hpp"
#include "model/sorts/rmg/lsd_radix_sort.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace keyswap::model {

namespace {

/// Merges [0, first_run) and [first_run, end) of `arrays` through `scratch`; of equal keys those of
/// the first run come first.
template <class Image, class Value>
void merge_runs(KeyArrays<Image, Value> const& arrays,
                KeyArrays<Image, Value> const& scratch,
                std::size_t first_run) {
    std::size_t first = 0;
    std::size_t second = first_run;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        bool const take_first = second == arrays.size() ||
                                (first < first_run && arrays.keys[first] <= arrays.keys[second]);
        std::size_t const from = take_first ? first++ : second++;
        scratch.keys[i] = arrays.keys[from];
        if constexpr (!std::is_same_v<Value, NoValue>) {
            scratch.values[i] = arrays.values[from];
        }
    }
    copy_keys(scratch, arrays);
}

template <class Image, class Value>
void sort_runs(MergePlan const& plan,
               KeyArrays<Image, Value> const& arrays,
               KeyArrays<Image, Value> const& scratch) {
    parallel_for(plan.config.gpu_count, [&](std::uint64_t index) {
        GpuId const gpu{static_cast<std::uint32_t>(index)};
        std::uint64_t const chunk_begin = plan.chunks.of(gpu).begin;
        parallel_for_each(first_runs(plan, gpu), [&](IndexRange const& run) {
            sort_low_bits(arrays.part(chunk_begin + run.begin, run.size()),
                          scratch.part(chunk_begin + run.begin, run.size()),
                          key_bits(plan.config.key_type));
        });
    });
}

template <class Image, class Value>
void run_stage(Chunks const& chunks,
               MergeStage const& stage,
               KeyArrays<Image, Value> const& arrays,
               KeyArrays<Image, Value> const& scratch) {
    parallel_for_each(stage.swaps, [&](PairSwap const& swap) {
        auto const low = arrays.part(chunks.of(swap.lower).begin + swap.lower_offset, swap.count);
        auto const high =
            arrays.part(chunks.of(swap.higher).begin + swap.higher_offset, swap.count);
        std::ranges::swap_ranges(low.keys, high.keys);
        std::ranges::swap_ranges(low.values, high.values);
    });
    parallel_for_each(stage.merges, [&](LocalMerge const& merge) {
        std::uint64_t const begin = chunks.of(merge.gpu).begin + merge.offset;
        std::uint64_t const size = merge.first_run + merge.second_run;
        merge_runs(arrays.part(begin, size), scratch.part(begin, size), merge.first_run);
    });
}

/// The CPU's merge of all runs, pairwise in rounds, so that equal keys keep their order.
/// \param run_keys keys of each run; the last one may have fewer
template <class Image, class Value>
void merge_on_cpu(std::uint64_t run_keys,
                  KeyArrays<Image, Value> const& arrays,
                  KeyArrays<Image, Value> const& scratch) {
    std::uint64_t const n = arrays.size();
    for (std::uint64_t run = run_keys; run < n; run *= 2) {
        std::uint64_t const pairs = (n + 2 * run - 1) / (2 * run);
        parallel_for(pairs, [&](std::uint64_t pair) {
            std::uint64_t const begin = pair * 2 * run;
            std::uint64_t const size = std::min(2 * run, n - begin);
            merge_runs(arrays.part(begin, size), scratch.part(begin, size), std::min(run, size));
        });
    }
}

/// Executes the plan of a merge-based sort on virtual GPUs in host memory: sorts every chunk,
/// runs the stages of swaps and merges, then the CPU's merge if the plan has one.
/// \param arrays [n] images and values in input order; sorted afterwards
/// \param scratch [n] overwritten
/// \returns a violation of the order, if the plan was made for other keys; else nullopt
template <class Image, class Value>
std::optional<Violation> replay_merge_sort(MergePlan const& plan,
                                           KeyArrays<Image, Value> const& arrays,
                                           KeyArrays<Image, Value> const& scratch) {
    KEYSWAP_EXPECTS(plan.config.key_count == arrays.size());
    KEYSWAP_EXPECTS(arrays.size() == scratch.size());
    sort_runs(plan, arrays, scratch);
    for (MergeStage const& stage : plan.stages) {
        run_stage(plan.chunks, stage, arrays, scratch);
    }
    if (plan.cpu_merge_ways > 1) {
        merge_on_cpu(plan.run_keys == 0 ? plan.chunks.size() : plan.run_keys, arrays, scratch);
    }
    auto const unsorted = std::ranges::is_sorted_until(arrays.keys);
    if (unsorted != arrays.keys.end()) {
        return Violation{"sorted",
                         "the key at index " + std::to_string(unsorted - arrays.keys.begin()) +
                             " is below its predecessor",
                         {},
                         {},
                         {}};
    }
    return std::nullopt;
}

class MergeSortPlan final : public SortPlan {
  public:
    explicit MergeSortPlan(MergePlan plan) : plan_(std::move(plan)) {}

    SortConfig const& config() const override { return plan_.config; }
    Chunks const& chunks() const override { return plan_.chunks; }
    std::vector<OwnershipRecord> ownership() const override {
        std::vector<OwnershipRecord> ownership;
        for (GpuId gpu{0}; gpu.value < plan_.config.gpu_count; ++gpu.value) {
            IndexRange const chunk = plan_.chunks.of(gpu);
            ownership.push_back({gpu, chunk.begin, chunk.size()});
        }
        return ownership;
    }
    std::uint64_t owned_max() const override { return plan_.chunks.size(); }
    std::optional<SwapLayout> layout() const override { return std::nullopt; }
    void for_each_step(std::function<void(PlanStep const&)> const& visit) const override;
    int trace_version() const override { return 2; }
    void record(TraceSink& sink) const override {
        for (OwnershipRecord const& owner : ownership()) {
            sink.write(owner);
        }
        for_each_step([&sink](PlanStep const& step) {
            std::visit(
                [&sink](auto const& record) {
                    if constexpr (requires { TraceRecord(record); }) {
                        sink.write(record);
                    }
                },
                step);
        });
    }
    std::optional<Violation> replay(AnyReplayMemory const& memory,
                                    TraceSink* /*sink*/) const override {
        return std::visit(
            [&](auto const& typed) {
                return replay_merge_sort(plan_, typed.arrays, typed.scratch);
            },
            memory);
    }

  private:
    MergePlan plan_;
};

void MergeSortPlan::for_each_step(std::function<void(PlanStep const&)> const& visit) const {
    std::vector<std::uint64_t> run_sizes;
    for (GpuId gpu{0}; gpu.value < plan_.config.gpu_count; ++gpu.value) {
        for (IndexRange const run : first_runs(plan_, gpu)) {
            run_sizes.push_back(run.size());
            visit(SortRangeRecord{gpu, run.begin, run.size(), 0, key_bits(plan_.config.key_type)});
        }
    }
    int number = 0;
    for (MergeStage const& stage : plan_.stages) {
        for (PairSwap const& swap : stage.swaps) {
            auto const& [lower, lower_offset, higher, higher_offset, count] = swap;
            visit(CopyRecord{lower, lower_offset, higher, higher_offset, count, number});
            visit(CopyRecord{higher, higher_offset, lower, lower_offset, count, number});
        }
        for (LocalMerge const& merge : stage.merges) {
            visit(
                MergeRecord{number, merge.gpu, merge.offset, {merge.first_run, merge.second_run}});
        }
        ++number;
    }
    if (plan_.cpu_merge_ways > 1) {
        visit(MergeRecord{number, std::nullopt, 0, run_sizes});
    }
}

} // namespace

std::vector<IndexRange> first_runs(MergePlan const& plan, GpuId gpu) {
    std::uint64_t const size = plan.chunks.of(gpu).size();
    std::uint64_t const run_keys = plan.run_keys == 0 ? size : plan.run_keys;
    std::vector<IndexRange> runs;
    for (std::uint64_t begin = 0; begin < size; begin += run_keys) {
        runs.push_back({begin, std::min(begin + run_keys, size)});
    }
    return runs;
}

SortPlanPointer merge_sort_plan(MergePlan plan) {
    return std::make_unique<MergeSortPlan const>(std::move(plan));
}

} // namespace keyswap::model
