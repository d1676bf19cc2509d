#include "model/sorts/merge/replay_merge.hpp"

#include "model/keys/parallel.hpp"
#include "model/sorts/rmg/bucket_sort.hpp"
#include "model/sorts/rmg/digit_scatter.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace keyswap::model {

namespace {

/// Stable merge of [0, first_run) and [first_run, end) of `arrays` through `scratch`; the result
/// is in `arrays`.
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

/// Merges all runs on the CPU, pairwise in rounds and therefore stably.
/// \param run_keys size of every run except possibly the last
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

} // namespace

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

#define KEYSWAP_INSTANTIATE(Image, Value)                                                          \
    template std::optional<Violation> replay_merge_sort(                                           \
        MergePlan const&, KeyArrays<Image, Value> const&, KeyArrays<Image, Value> const&);
KEYSWAP_FOR_EACH_KEY_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE

} // namespace keyswap::model
