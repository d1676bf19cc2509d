#include "kernels/cpu/run_merge.hpp"

#include "kernels/cpu/piece_cuts.hpp"
#include "kernels/cpu/scalar_merge.hpp"
#include "kernels/cpu/thread_team.hpp"

#include <atomic>
#include <utility>

namespace keyswap::kernels {

namespace {

/// Keys, values and a round's copy of a piece, even 1.5 times as large, fit an L2 cache of 1 MiB.
constexpr std::size_t piece_bytes = 256 * 1024;

template <class Word, class Value>
constexpr std::size_t element_bytes = sizeof(Word) +
                                      (ElementArrays<Word, Value>::has_values ? sizeof(Value) : 0);

/// Buffer for a round's output.
template <class Word, class Value>
struct PieceBuffer {
    std::vector<Word> keys;
    std::vector<Value> values;
    explicit PieceBuffer(std::size_t size)
        : keys(size), values(ElementArrays<Word, Value>::has_values ? size : 0) {}
    [[nodiscard]] ElementArrays<Word, Value> arrays() { return {keys, values}; }
};

/// Merges pairs of adjacent runs; an odd last run is carried over to the next round.
template <class Word, class Value>
std::vector<ConstElements<Word, Value>>
merge_pairs(std::vector<ConstElements<Word, Value>> const& runs,
            RunKernels<Word, Value> const& kernels,
            ElementArrays<Word, Value> const& to) {
    std::vector<ConstElements<Word, Value>> merged;
    std::size_t first = 0;
    for (std::size_t i = 0; i < runs.size(); i += 2) {
        bool const has_partner = i + 1 < runs.size();
        auto const out = to.part(first, runs[i].size() + (has_partner ? runs[i + 1].size() : 0));
        if (has_partner) {
            kernels.merge(runs[i], runs[i + 1], out);
        } else if (!has_fault(CpuFault::odd_run_dropped)) {
            out.copy(runs[i]);
        }
        first += out.size();
        merged.push_back(out);
    }
    return merged;
}

/// Merges one piece of a group on the calling thread.
template <class Word, class Value>
void merge_piece(std::vector<ConstElements<Word, Value>> runs,
                 RunKernels<Word, Value> const& kernels,
                 ElementArrays<Word, Value> const& to,
                 std::pair<ElementArrays<Word, Value>, ElementArrays<Word, Value>> buffers) {
    std::erase_if(runs, [](auto const& run) { return run.size() == 0; });
    if (runs.size() == 1) {
        to.copy(runs.front());
    }
    while (runs.size() > 1) {
        runs = merge_pairs(runs, kernels, runs.size() == 2 ? to : buffers.first);
        std::swap(buffers.first, buffers.second);
    }
}

template <class Word, class Value>
PieceCuts cuts_of(RunGroup<Word, Value> const& group) {
    std::vector<std::span<Word const>> keys;
    for (auto const& run : group.runs) {
        keys.push_back(run.keys);
    }
    return cut_into_pieces<Word>(keys, piece_bytes / element_bytes<Word, Value>);
}

struct Piece {
    std::size_t group;
    std::size_t number;
    std::size_t first; ///< index of its first element in the group's output
};

std::vector<Piece> pieces_of(std::vector<PieceCuts> const& groups) {
    std::vector<Piece> pieces;
    for (std::size_t group = 0; group < groups.size(); ++group) {
        for (std::size_t number = 0; number + 1 < groups[group].cuts.size(); ++number) {
            std::size_t first = 0;
            for (std::size_t const cut : groups[group].cuts[number]) {
                first += cut;
            }
            pieces.push_back({group, number, first});
        }
    }
    return pieces;
}

template <class Word, class Value>
std::vector<PieceCuts> cuts_by_threads(std::vector<RunGroup<Word, Value>> const& groups,
                                       unsigned threads) {
    std::vector<PieceCuts> cuts(groups.size());
    std::atomic<std::size_t> next = 0;
    run_on_threads(threads, [&](unsigned /*thread*/) {
        for (std::size_t i = next++; i < groups.size(); i = next++) {
            cuts[i] = cuts_of(groups[i]);
        }
    });
    return cuts;
}

template <class Word, class Value>
void merge_pieces(std::vector<RunGroup<Word, Value>> const& groups,
                  std::vector<PieceCuts> const& cuts,
                  RunKernels<Word, Value> const& kernels,
                  ImageCode code,
                  unsigned threads) {
    std::vector<Piece> const pieces = pieces_of(cuts);
    std::size_t const piece_keys_max =
        cuts.empty() ? 0 : std::ranges::max(cuts, {}, &PieceCuts::piece_keys_max).piece_keys_max;
    std::atomic<std::size_t> next = 0;
    run_on_threads(threads, [&](unsigned /*thread*/) {
        PieceBuffer<Word, Value> one(piece_keys_max);
        PieceBuffer<Word, Value> other(piece_keys_max);
        for (std::size_t i = next++; i < pieces.size(); i = next++) {
            auto const& [runs, to] = groups[pieces[i].group];
            auto const& begin = cuts[pieces[i].group].cuts[pieces[i].number];
            auto const& end = cuts[pieces[i].group].cuts[pieces[i].number + 1];
            std::vector<ConstElements<Word, Value>> parts;
            std::size_t count = 0;
            for (std::size_t run = 0; run < runs.size(); ++run) {
                parts.push_back(runs[run].part(begin[run], end[run] - begin[run]));
                count += parts.back().size();
            }
            auto const out = to.part(pieces[i].first, count);
            merge_piece(std::move(parts), kernels, out, {one.arrays(), other.arrays()});
            if (!code.is_identity()) {
                for (Word& key : out.keys) {
                    key = decode_image(key, code);
                }
            }
        }
    });
}

} // namespace

template <class Word, class Value>
RunKernels<Word, Value>::RunKernels(SimdUse use)
    : network_(merge_kernels<std::conditional_t<has_network, Word, std::uint32_t>>(use)) {}

template <class Word, class Value>
void RunKernels<Word, Value>::sort_columns(ElementArrays<Word, Value> const& from,
                                           ElementArrays<Word, Value> const& to) const {
    if constexpr (has_network) {
        network_.sort_columns(from.keys, to.keys);
    } else {
        sort_columns_scalar(from, to);
    }
}

template <class Word, class Value>
void RunKernels<Word, Value>::merge(ConstElements<Word, Value> const& first,
                                    ConstElements<Word, Value> const& second,
                                    ElementArrays<Word, Value> const& to) const {
    if constexpr (has_network) {
        network_.merge(first.keys, second.keys, to.keys);
    } else {
        merge_scalar(first, second, to);
    }
}

template <class Word, class Value>
void merge_groups(std::vector<RunGroup<Word, Value>> const& groups,
                  RunKernels<Word, Value> const& kernels,
                  ImageCode code,
                  unsigned threads) {
    merge_pieces(groups, cuts_by_threads(groups, threads), kernels, code, threads);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a class template takes no parentheses.
#define KEYSWAP_INSTANTIATE(Word, Value)                                                           \
    template class RunKernels<Word, Value>;                                                        \
    template void merge_groups(std::vector<RunGroup<Word, Value>> const&,                          \
                               RunKernels<Word, Value> const&,                                     \
                               ImageCode,                                                          \
                               unsigned);
KEYSWAP_FOR_EACH_ELEMENT_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

} // namespace keyswap::kernels
