#include "kernels/host_merge.hpp"

#include "traces/contracts.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <thread>

namespace keyswap::kernels {

namespace {

template <class Word>
using Runs = std::vector<std::span<Word const>>;

/// How many keys of each run belong to the first `rank` keys of the merged order.
template <class Word>
std::vector<std::uint64_t> cut_at(Runs<Word> const& runs, std::uint64_t rank) {
    auto const keys_up_to = [&runs](Word word) {
        std::uint64_t count = 0;
        for (auto const& run : runs) {
            count += static_cast<std::uint64_t>(std::ranges::upper_bound(run, word) - run.begin());
        }
        return count;
    };
    Word low = 0; // becomes the smallest word up to which there are at least `rank` keys
    Word high = std::numeric_limits<Word>::max();
    while (low < high) {
        Word const middle = static_cast<Word>(low + (high - low) / 2);
        if (keys_up_to(middle) >= rank) {
            high = middle;
        } else {
            low = static_cast<Word>(middle + 1);
        }
    }
    std::vector<std::uint64_t> cuts;
    std::uint64_t left = rank;
    for (auto const& run : runs) {
        cuts.push_back(
            static_cast<std::uint64_t>(std::ranges::lower_bound(run, low) - run.begin()));
        left -= std::min(left, cuts.back());
    }
    for (std::size_t i = 0; i < runs.size(); ++i) { // of equal keys an earlier run's come first
        auto const equal_end =
            static_cast<std::uint64_t>(std::ranges::upper_bound(runs[i], low) - runs[i].begin());
        std::uint64_t const taken = std::min(left, equal_end - cuts[i]);
        cuts[i] += taken;
        left -= taken;
    }
    return cuts;
}

/// Merges the parts of the runs between two cuts.
template <class Word>
void merge_part(Runs<Word> const& runs,
                std::vector<HostRun> const& sources,
                std::vector<std::uint64_t> next,
                std::vector<std::uint64_t> const& end,
                ImageCode code,
                std::size_t value_bytes,
                MergedArrays out) {
    std::uint64_t at = 0;
    std::uint64_t last = 0;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        at += next[i];
        last += end[i];
        if (next[i] < end[i]) {
            open.push_back(i);
        }
    }
    auto* const keys = static_cast<Word*>(out.keys);
    auto* const values = static_cast<std::byte*>(out.values);
    for (; at < last; ++at) {
        // A machine has few GPUs: looking at every head costs less than a tree of them.
        std::size_t best = 0;
        for (std::size_t i = 1; i < open.size(); ++i) {
            if (runs[open[i]][next[open[i]]] < runs[open[best]][next[open[best]]]) {
                best = i;
            }
        }
        std::size_t const run = open[best];
        std::uint64_t const from = next[run]++;
        keys[at] = decode_image(runs[run][from], code);
        if (value_bytes > 0) {
            std::memcpy(values + at * value_bytes,
                        static_cast<std::byte const*>(sources[run].values) + from * value_bytes,
                        value_bytes);
        }
        if (next[run] == end[run]) {
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(best));
        }
    }
}

template <class Word>
void merge_words(int value_bytes,
                 std::vector<HostRun> const& sources,
                 ImageCode code,
                 MergedArrays out,
                 unsigned threads) {
    Runs<Word> runs;
    std::uint64_t total = 0;
    for (HostRun const& source : sources) {
        runs.push_back(
            {static_cast<Word const*>(source.keys), static_cast<std::size_t>(source.count)});
        total += source.count;
    }
    auto const work = [&](unsigned part) {
        // total * part does not overflow below 2^48 keys and 2^16 threads.
        merge_part<Word>(runs,
                         sources,
                         cut_at(runs, total * part / threads),
                         cut_at(runs, total * (part + 1) / threads),
                         code,
                         static_cast<std::size_t>(value_bytes),
                         out);
    };
    std::vector<std::thread> workers;
    for (unsigned part = 1; part < threads; ++part) {
        workers.emplace_back(work, part);
    }
    work(0);
    for (std::thread& worker : workers) {
        worker.join();
    }
}

} // namespace

void merge_on_host(int key_bytes,
                   int value_bytes,
                   std::vector<HostRun> const& runs,
                   ImageCode code,
                   MergedArrays out,
                   unsigned threads) {
    KEYSWAP_EXPECTS(threads > 0);
    if (key_bytes == 4) {
        merge_words<std::uint32_t>(value_bytes, runs, code, out, threads);
    } else {
        merge_words<std::uint64_t>(value_bytes, runs, code, out, threads);
    }
}

} // namespace keyswap::kernels
