#include "kernels/sorts/merge/host_merge.hpp"

#include "kernels/cpu/run_merge.hpp"
#include "kernels/cpu/thread_team.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

namespace keyswap::kernels {

namespace {

template <class Word>
using Runs = std::vector<std::span<Word const>>;

/// Number of keys of each run among the first `rank` keys of the merged order.
template <class Word>
std::vector<std::uint64_t> cut_at(Runs<Word> const& runs, std::uint64_t rank) {
    auto const keys_up_to = [&runs](Word word) {
        std::uint64_t count = 0;
        for (auto const& run : runs) {
            count += static_cast<std::uint64_t>(std::ranges::upper_bound(run, word) - run.begin());
        }
        return count;
    };
    Word low = 0; // converges to the smallest word with at least `rank` keys up to it
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
    for (std::size_t i = 0; i < runs.size(); ++i) { // equal keys in order of their runs
        auto const equal_end =
            static_cast<std::uint64_t>(std::ranges::upper_bound(runs[i], low) - runs[i].begin());
        std::uint64_t const taken = std::min(left, equal_end - cuts[i]);
        cuts[i] += taken;
        left -= taken;
    }
    return cuts;
}

/// The remaining keys of a run's part.
template <class Word>
struct Head {
    Word key = 0; ///< *at
    Word const* at = nullptr;
    Word const* end = nullptr;
    std::byte const* values = nullptr; ///< value of *at
};

/// Index of the smallest head; the first of equal ones. \pre heads is not empty
template <class Word>
std::size_t smallest_of(std::vector<Head<Word>> const& heads) {
    // A machine has few GPUs: a linear search is faster than a tournament tree.
    std::size_t best = 0;
    Word key = heads[0].key;
    for (std::size_t i = 1; i < heads.size(); ++i) {
        bool const smaller = heads[i].key < key;
        best = smaller ? i : best;
        key = smaller ? heads[i].key : key;
    }
    return best;
}

/// Merges the parts of the runs between two cuts.
/// \tparam value_bytes 4 or 8
template <class Word, std::size_t value_bytes>
void merge_part(Runs<Word> const& runs,
                std::vector<HostPiece> const& sources,
                std::vector<std::uint64_t> const& begin,
                std::vector<std::uint64_t> const& end,
                ImageCode code,
                Columns<void> out) {
    std::uint64_t first = 0;
    std::vector<Head<Word>> heads;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        first += begin[i];
        if (begin[i] < end[i]) {
            Word const* const at = runs[i].data() + begin[i];
            auto const* const values = static_cast<std::byte const*>(sources[i].from.values);
            heads.push_back({*at, at, runs[i].data() + end[i], values + begin[i] * value_bytes});
        }
    }
    auto* keys = static_cast<Word*>(out.keys) + first;
    auto* values = static_cast<std::byte*>(out.values) + first * value_bytes;
    while (!heads.empty()) {
        std::size_t const best = smallest_of(heads);
        Head<Word>& head = heads[best];
        *keys++ = decode_image(head.key, code);
        std::memcpy(values, head.values, value_bytes);
        values += value_bytes;
        head.values += value_bytes;
        if (++head.at == head.end) {
            heads.erase(heads.begin() + static_cast<std::ptrdiff_t>(best));
        } else {
            head.key = *head.at;
        }
    }
}

/// Merges keys without values, in pieces that fit the cache, with a SIMD network.
template <class Word>
void merge_keys(std::vector<HostPiece> const& sources,
                ImageCode code,
                Columns<void> out,
                unsigned threads) {
    RunGroup<Word, NoValue> group;
    std::size_t total = 0;
    for (HostPiece const& source : sources) {
        auto const count = static_cast<std::size_t>(source.count);
        group.runs.push_back({{static_cast<Word const*>(source.from.keys), count}, {}});
        total += count;
    }
    group.to = {{static_cast<Word*>(out.keys), total}, {}};
    merge_groups<Word, NoValue>({group}, RunKernels<Word, NoValue>(SimdUse::best), code, threads);
}

template <class Word>
void merge_words(int value_bytes,
                 std::vector<HostPiece> const& sources,
                 ImageCode code,
                 Columns<void> out,
                 unsigned threads) {
    if (value_bytes == 0) {
        return merge_keys<Word>(sources, code, out, threads);
    }
    Runs<Word> runs;
    std::uint64_t total = 0;
    for (HostPiece const& source : sources) {
        runs.push_back(
            {static_cast<Word const*>(source.from.keys), static_cast<std::size_t>(source.count)});
        total += source.count;
    }
    auto const merge = value_bytes == 4 ? merge_part<Word, 4> : merge_part<Word, 8>;
    run_on_threads(threads, [&](unsigned part) {
        // total * part does not overflow below 2^48 keys and 2^16 threads.
        merge(runs,
              sources,
              cut_at(runs, total * part / threads),
              cut_at(runs, total * (part + 1) / threads),
              code,
              out);
    });
}

} // namespace

void merge_on_host(int key_bytes,
                   int value_bytes,
                   std::vector<HostPiece> const& runs,
                   ImageCode code,
                   Columns<void> out,
                   unsigned threads) {
    KEYSWAP_EXPECTS(threads > 0);
    if (key_bytes == 4) {
        merge_words<std::uint32_t>(value_bytes, runs, code, out, threads);
    } else {
        merge_words<std::uint64_t>(value_bytes, runs, code, out, threads);
    }
}

} // namespace keyswap::kernels
