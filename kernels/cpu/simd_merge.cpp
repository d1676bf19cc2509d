#include "kernels/cpu/simd_merge.hpp"

#include "kernels/cpu/thread_team.hpp"

#include <atomic>
#include <utility>

namespace keyswap::kernels {

namespace {

/// Runs per group: the pieces' parts of all runs are read concurrently; a piece exceeds its planned
/// size by at most half.
constexpr std::size_t ways = 64;

using RunBounds = std::vector<std::pair<std::size_t, std::size_t>>; ///< [begin, end)

RunBounds bounds_of_runs(std::size_t n, std::size_t run_keys) {
    RunBounds bounds;
    for (std::size_t first = 0; first < n; first += run_keys) {
        bounds.emplace_back(first, std::min(first + run_keys, n));
    }
    return bounds;
}

/// Rounds until a single run is left, if each divides their number by `factor`.
int rounds_to_one(std::size_t runs, std::size_t factor) {
    int rounds = 0;
    for (; runs > 1; runs = (runs + factor - 1) / factor) {
        ++rounds;
    }
    return rounds;
}

enum class ResultIn { elements, scratch };

/// Sorts one run in the cache: its columns, then merge passes that halve the number of runs.
template <class Word, class Value>
void sort_run(ElementArrays<Word, Value> const& elements,
              ElementArrays<Word, Value> const& scratch,
              ResultIn result,
              RunKernels<Word, Value> const& kernels) {
    std::size_t const n = elements.size();
    std::size_t const columns = (n + column_keys - 1) / column_keys;
    bool const ends_where_it_begins = rounds_to_one(columns, 2) % 2 == 0;
    bool const begins_in_elements = (result == ResultIn::elements) == ends_where_it_begins;
    auto source = begins_in_elements ? elements : scratch;
    auto target = begins_in_elements ? scratch : elements;
    kernels.sort_columns(elements, source);
    for (std::size_t width = column_keys; width < n; width *= 2) {
        for (std::size_t first = 0; first < n; first += 2 * width) {
            std::size_t const size = std::min(2 * width, n - first);
            std::size_t const half = std::min(width, size);
            if (half == size && has_fault(CpuFault::odd_run_dropped)) {
                continue;
            }
            kernels.merge(source.part(first, half),
                          source.part(first + half, size - half),
                          target.part(first, size));
        }
        std::swap(source, target);
    }
}

template <class Word, class Value>
void sort_runs(RunBounds const& runs,
               ElementArrays<Word, Value> const& elements,
               ElementArrays<Word, Value> const& scratch,
               ResultIn result,
               RunKernels<Word, Value> const& kernels,
               unsigned threads) {
    std::atomic<std::size_t> next = 0;
    run_on_threads(threads, [&](unsigned /*thread*/) {
        for (std::size_t i = next++; i < runs.size(); i = next++) {
            auto const [first, end] = runs[i];
            std::size_t const size = end - first;
            sort_run(elements.part(first, size), scratch.part(first, size), result, kernels);
        }
    });
}

/// Merges each group of up to `ways` adjacent runs. \return bounds of the merged runs
template <class Word, class Value>
RunBounds merge_level(RunBounds const& runs,
                      ElementArrays<Word, Value> const& from,
                      ElementArrays<Word, Value> const& to,
                      RunKernels<Word, Value> const& kernels,
                      unsigned threads) {
    RunBounds merged;
    std::vector<RunGroup<Word, Value>> groups;
    for (std::size_t i = 0; i < runs.size(); i += ways) {
        std::size_t const last = std::min(i + ways, runs.size()) - 1;
        merged.emplace_back(runs[i].first, runs[last].second);
        RunGroup<Word, Value>& group = groups.emplace_back();
        group.to = to.part(runs[i].first, runs[last].second - runs[i].first);
        for (std::size_t run = i; run <= last; ++run) {
            group.runs.push_back(from.part(runs[run].first, runs[run].second - runs[run].first));
        }
    }
    merge_groups(groups, kernels, ImageCode{}, threads);
    return merged;
}

void record_runs(RunBounds const& runs, int key_bits, TraceSink& trace) {
    MergeRecord merge;
    for (auto const& [first, end] : runs) {
        trace.write(SortRangeRecord{GpuId{0}, first, end - first, 0, key_bits});
        merge.runs.push_back(end - first);
    }
    if (runs.size() > 1) {
        trace.write(merge);
    }
}

} // namespace

template <class Word, class Value>
void simd_merge_sort(ElementArrays<Word, Value> elements,
                     ElementArrays<Word, Value> scratch,
                     std::size_t run_keys,
                     SimdUse use,
                     unsigned threads,
                     TraceSink* trace) {
    RunKernels<Word, Value> const kernels(use);
    RunBounds runs = bounds_of_runs(elements.size(), run_keys);
    if (trace != nullptr) {
        record_runs(runs, static_cast<int>(sizeof(Word) * 8), *trace);
    }
    ResultIn const sorted_runs =
        rounds_to_one(runs.size(), ways) % 2 == 0 ? ResultIn::elements : ResultIn::scratch;
    sort_runs(runs, elements, scratch, sorted_runs, kernels, threads);
    auto from = sorted_runs == ResultIn::elements ? elements : scratch;
    auto to = sorted_runs == ResultIn::elements ? scratch : elements;
    while (runs.size() > 1) {
        runs = merge_level(runs, from, to, kernels, threads);
        std::swap(from, to);
    }
}

#define KEYSWAP_INSTANTIATE(Word, Value)                                                           \
    template void simd_merge_sort(ElementArrays<Word, Value>,                                      \
                                  ElementArrays<Word, Value>,                                      \
                                  std::size_t,                                                     \
                                  SimdUse,                                                         \
                                  unsigned,                                                        \
                                  TraceSink*);
KEYSWAP_FOR_EACH_ELEMENT_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE

} // namespace keyswap::kernels
