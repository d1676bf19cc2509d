// No #pragma once: merge_network.cpp includes this for each instruction set.

/// \file Sorts columns in registers, and merges by a bitonic network of twice the vector width.
/// Source: Satish et al., Fast Sort on CPUs, GPUs and Intel MIC (2010), section 4.2; Chhugani et
/// al., Efficient Implementation of Sorting on Multi-Core SIMD CPU Architecture (PVLDB 2008),
/// section 4.

#include "kernels/cpu/cpu_faults.hpp"
#include "kernels/cpu/scalar_merge.hpp"

#include <hwy/highway.h>

#include <array>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace keyswap::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// At most as many lanes as a column has keys, since the shortest runs are columns.
template <class Word>
using Lanes = hn::CappedTag<Word, column_keys>;
template <class Word>
using Vector = hn::Vec<Lanes<Word>>;
template <class Word>
constexpr std::size_t lane_count = hn::MaxLanes(Lanes<Word>());

/// Compares lanes `distance` apart; the smaller key goes to the lower lane.
template <class Word, std::size_t distance>
HWY_INLINE Vector<Word> comparators(Vector<Word> keys) {
    Lanes<Word> const d;
    Vector<Word> const lane = hn::Iota(d, Word{0});
    Vector<Word> const bit = hn::Set(d, Word{distance});
    auto const partner = hn::IndicesFromVec(d, hn::Xor(lane, bit));
    Vector<Word> const others = hn::TableLookupLanes(keys, partner);
    auto const is_upper = hn::TestBit(lane, bit);
    return hn::IfThenElse(is_upper, hn::Max(keys, others), hn::Min(keys, others));
}

/// Comparators at distances W/2, W/4, ... 1.
template <class Word>
HWY_INLINE Vector<Word> sorted_bitonic(Vector<Word> keys) {
    if constexpr ((lane_count<Word>) > 8) {
        keys = comparators<Word, 8>(keys);
    }
    if constexpr ((lane_count<Word>) > 4) {
        keys = comparators<Word, 4>(keys);
    }
    if constexpr ((lane_count<Word>) > 2) {
        keys = comparators<Word, 2>(keys);
    }
    return has_fault(CpuFault::network_swaps_missing) ? keys : comparators<Word, 1>(keys);
}

/// Merges two sorted vectors of W keys: `lower` receives the W smallest keys, `upper` the W
/// largest, both sorted.
template <class Word>
HWY_INLINE void merge_vectors(Vector<Word>& lower, Vector<Word>& upper) {
    Vector<Word> const falling = hn::Reverse(Lanes<Word>(), upper);
    upper = sorted_bitonic<Word>(hn::Max(lower, falling));
    lower = sorted_bitonic<Word>(hn::Min(lower, falling));
}

/// The remaining keys of a run. Padding with maximal keys fills its last vector; without values,
/// padding is indistinguishable from keys of that size.
template <class Word>
struct RunLeft {
    std::span<Word const> keys;

    [[nodiscard]] bool is_full() const { return keys.size() >= hn::Lanes(Lanes<Word>()); }
    /// Removes and returns the next vector.
    HWY_INLINE Vector<Word> take() {
        Lanes<Word> const d;
        Vector<Word> const next = hn::LoadU(d, keys.data());
        keys = keys.subspan(hn::Lanes(d));
        return next;
    }
    Vector<Word> take_padded() {
        if (is_full()) {
            return take();
        }
        std::array<Word, column_keys> padded;
        padded.fill(std::numeric_limits<Word>::max());
        std::ranges::copy(keys, padded.begin());
        keys = {};
        return hn::LoadU(Lanes<Word>(), padded.data());
    }
};

/// Output of merged vectors; anything beyond its end is padding.
template <class Word>
struct Merged {
    std::span<Word> to;

    HWY_INLINE void put(Vector<Word> keys) {
        Lanes<Word> const d;
        hn::StoreU(keys, d, to.data());
        to = to.subspan(hn::Lanes(d));
    }
    void put_fitting(Vector<Word> keys) {
        Lanes<Word> const d;
        if (to.size() >= hn::Lanes(d)) {
            return put(keys);
        }
        std::array<Word, column_keys> all;
        hn::StoreU(keys, d, all.data());
        std::copy_n(all.begin(), to.size(), to.begin());
        to = {};
    }
};

/// A merge in progress: a register holds a vector of keys that smaller ones may still precede.
template <class Word>
struct Merge {
    RunLeft<Word> first;
    RunLeft<Word> second;
    Merged<Word> merged;
    Vector<Word> waiting;

    [[nodiscard]] bool has_full_vectors() const { return first.is_full() && second.is_full(); }

    /// Reads a vector from the run with the smaller next key. \pre has_full_vectors()
    HWY_INLINE void step() {
        Lanes<Word> const d;
        bool const from_first = first.keys[0] <= second.keys[0];
        Vector<Word> next = hn::LoadU(d, from_first ? first.keys.data() : second.keys.data());
        std::size_t const of_first = from_first ? hn::Lanes(d) : 0;
        first.keys = first.keys.subspan(of_first);
        second.keys = second.keys.subspan(hn::Lanes(d) - of_first);
        merge_vectors<Word>(waiting, next);
        merged.put(waiting);
        waiting = next;
    }

    /// Completes the merge, with padding for partial vectors.
    void finish() {
        while (!first.keys.empty() || !second.keys.empty()) {
            bool const from_first =
                second.keys.empty() || (!first.keys.empty() && first.keys[0] <= second.keys[0]);
            Vector<Word> next = (from_first ? first : second).take_padded();
            merge_vectors<Word>(waiting, next);
            merged.put_fitting(waiting);
            waiting = next;
        }
        merged.put_fitting(waiting);
    }
};

template <class Word>
Merge<Word>
begin_merge(std::span<Word const> first, std::span<Word const> second, std::span<Word> to) {
    Merge<Word> merge{{first}, {second}, {to}, hn::Zero(Lanes<Word>())};
    merge.waiting =
        (second.empty() || (!first.empty() && first[0] <= second[0]) ? merge.first : merge.second)
            .take_padded();
    return merge;
}

/// Number of first-run keys among the first `rank` keys of the merged order.
template <class Word>
std::size_t
merge_path(std::span<Word const> first, std::span<Word const> second, std::size_t rank) {
    std::size_t low = rank > second.size() ? rank - second.size() : 0;
    std::size_t high = std::min(rank, first.size());
    while (low < high) {
        std::size_t const middle = (low + high) / 2;
        if (first[middle] <= second[rank - middle - 1]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Keys from which a merge is split into two interleaved halves, so that the network of one half
/// runs while the other waits for its result.
constexpr std::size_t halved_merge_min = 512;

template <class Word>
void merge_runs(std::span<Word const> first, std::span<Word const> second, std::span<Word> to) {
    if (to.empty()) {
        return;
    }
    if (to.size() < halved_merge_min) {
        Merge<Word> merge = begin_merge(first, second, to);
        while (merge.has_full_vectors()) {
            merge.step();
        }
        return merge.finish();
    }
    std::size_t const half = to.size() / 2;
    std::size_t const cut = merge_path(first, second, half);
    Merge<Word> low = begin_merge(first.first(cut), second.first(half - cut), to.first(half));
    Merge<Word> high =
        begin_merge(first.subspan(cut), second.subspan(half - cut), to.subspan(half));
    while (low.has_full_vectors() && high.has_full_vectors()) {
        low.step();
        high.step();
    }
    for (Merge<Word>* const merge : {&low, &high}) {
        while (merge->has_full_vectors()) {
            merge->step();
        }
        merge->finish();
    }
}

/// Comparators of Batcher's merge exchange for the rows. Source: Knuth, The Art of Computer
/// Programming 3, algorithm 5.2.2M.
struct Comparator {
    std::size_t lower;
    std::size_t upper;
};
constexpr auto column_comparators = [] {
    std::array<Comparator, 63> network{};
    std::size_t count = 0;
    for (std::size_t p = column_keys / 2; p > 0; p /= 2) {
        std::size_t r = 0;
        std::size_t distance = p;
        for (std::size_t q = column_keys / 2; q >= p; q /= 2) {
            for (std::size_t i = 0; i + distance < column_keys; ++i) {
                if ((i & p) == r) {
                    network[count++] = {i, i + distance};
                }
            }
            distance = q - p;
            r = p;
        }
    }
    return network;
}();

template <class Word>
using Matrix = std::array<Vector<Word>, column_keys>; ///< [row]

template <class Word, std::size_t... i>
HWY_INLINE void sort_matrix(Matrix<Word>& rows, std::index_sequence<i...> /*comparators*/) {
    auto const compare = [&rows](Comparator pair) {
        Vector<Word> const lesser = hn::Min(rows[pair.lower], rows[pair.upper]);
        rows[pair.upper] = hn::Max(rows[pair.lower], rows[pair.upper]);
        rows[pair.lower] = lesser;
    };
    (compare(column_comparators[i]), ...);
}

/// Interleaves the two halves of a vector.
template <class Word>
HWY_INLINE Vector<Word> interleaved_halves(Vector<Word> halves) {
    Lanes<Word> const d;
    Vector<Word> const lane = hn::Iota(d, Word{0});
    Vector<Word> const half = hn::Set(d, static_cast<Word>(hn::Lanes(d) / 2));
    Vector<Word> const of_odd = hn::And(lane, hn::Set(d, Word{1}));
    Vector<Word> const place = hn::ShiftRight<1>(lane);
    return hn::TableLookupLanes(
        halves,
        hn::IndicesFromVec(
            d, hn::IfThenElse(hn::Eq(of_odd, hn::Zero(d)), place, hn::Add(place, half))));
}

/// One perfect shuffle of all keys: interleaves the first and the second half, which rotates the
/// bits of a key's index (row, lane) by one.
template <class Word, std::size_t... i>
HWY_INLINE Matrix<Word> shuffled(Matrix<Word> const& rows, std::index_sequence<i...> /*half*/) {
#if HWY_TARGET == HWY_SCALAR // one lane: columns are already contiguous
    return rows;
#else
    Lanes<Word> const d;
    Matrix<Word> out;
    ((out[2 * i] =
          interleaved_halves<Word>(hn::ConcatLowerLower(d, rows[i + sizeof...(i)], rows[i])),
      out[2 * i + 1] =
          interleaved_halves<Word>(hn::ConcatUpperUpper(d, rows[i + sizeof...(i)], rows[i]))),
     ...);
    return out;
#endif
}

/// Sorts the columns of each matrix of column_keys rows and writes them one after the other.
template <class Word>
void sort_columns(std::span<Word const> from, std::span<Word> to) {
    Lanes<Word> const d;
    std::size_t const width = hn::Lanes(d);
    std::size_t const matrix_keys = column_keys * width;
    for (; from.size() >= matrix_keys;
         from = from.subspan(matrix_keys), to = to.subspan(matrix_keys)) {
        Matrix<Word> rows;
        for (std::size_t row = 0; row < column_keys; ++row) {
            rows[row] = hn::LoadU(d, from.data() + row * width);
        }
        sort_matrix<Word>(rows, std::make_index_sequence<column_comparators.size()>());
        for (std::size_t bits = column_keys; bits > 1; bits /= 2) {
            rows = shuffled<Word>(rows, std::make_index_sequence<column_keys / 2>());
        }
        for (std::size_t row = 0; row < column_keys; ++row) {
            hn::StoreU(rows[row], d, to.data() + row * width);
        }
    }
    sort_columns_scalar(ConstElements<Word, NoValue>{from, {}},
                        ElementArrays<Word, NoValue>{to, {}});
}

std::int64_t this_target() {
    return HWY_TARGET;
}
void sort_columns_u32(std::span<std::uint32_t const> from, std::span<std::uint32_t> to) {
    sort_columns(from, to);
}
void sort_columns_u64(std::span<std::uint64_t const> from, std::span<std::uint64_t> to) {
    sort_columns(from, to);
}
void merge_u32(std::span<std::uint32_t const> first,
               std::span<std::uint32_t const> second,
               std::span<std::uint32_t> to) {
    merge_runs(first, second, to);
}
void merge_u64(std::span<std::uint64_t const> first,
               std::span<std::uint64_t const> second,
               std::span<std::uint64_t> to) {
    merge_runs(first, second, to);
}

} // namespace
} // namespace keyswap::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
