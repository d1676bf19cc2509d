#include "model/sorts/merge/sorted_sequence.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::model {

namespace {

/// The largest digit d with at most `rank` keys below child(bucket, d), which is the digit of the
/// key at position `rank`.
template <class CountBelow>
std::uint32_t digit_at_rank(DigitLayout const& layout,
                            BucketPrefix bucket,
                            std::uint64_t rank,
                            CountBelow const& below) {
    std::uint32_t low = 0;
    std::uint32_t high = layout.digit_count(bucket.pass + 1);
    while (high - low > 1) {
        std::uint32_t const middle = low + (high - low) / 2;
        (below(layout.child(bucket, middle)) <= rank ? low : high) = middle;
    }
    return low;
}

std::uint64_t size_of(SortedSequence const& sequence, ChunkRanks const& ranks) {
    std::uint64_t size = sequence.chunk ? ranks.chunks().of(*sequence.chunk).size() : 0;
    for (SortedRun const& run : sequence.runs) {
        size += run.range.size();
    }
    return size;
}

} // namespace

std::uint64_t count_below(SortedSequence& sequence, BucketPrefix prefix, ChunkRanks& ranks) {
    if (sequence.chunk) {
        return ranks.count_below(*sequence.chunk, prefix);
    }
    if (auto const known = sequence.known_counts.find(prefix);
        known != sequence.known_counts.end()) {
        return known->second;
    }
    std::uint64_t below = 0;
    for (SortedRun const& run : sequence.runs) {
        std::uint64_t const rank = count_below(*run.sequence, prefix, ranks);
        below += std::clamp(rank, run.range.begin, run.range.end) - run.range.begin;
    }
    sequence.known_counts.emplace(prefix, below);
    return below;
}

std::uint64_t smallest_from_first(SortedSequence& first,
                                  SortedSequence& second,
                                  std::uint64_t count,
                                  ChunkRanks& ranks) {
    if (count == 0) {
        return 0;
    }
    DigitLayout const& layout = ranks.layout();
    auto const below = [&](BucketPrefix prefix) {
        return count_below(first, prefix, ranks) + count_below(second, prefix, ranks);
    };
    // Find the largest of the `count` smallest keys, digit by digit.
    BucketPrefix value{};
    while (value.pass < layout.pass_count()) {
        value = layout.child(value, digit_at_rank(layout, value, count - 1, below));
    }
    // Keys equal to it come from the first sequence as far as it has them.
    std::uint64_t const second_below = count_below(second, value, ranks);
    bool const is_highest = layout.highest_image(value) == layout.highest_image(BucketPrefix{});
    std::uint64_t const first_up_to =
        is_highest ? size_of(first, ranks)
                   : count_below(first, {value.pass, value.prefix + 1}, ranks);
    return std::min(first_up_to, count - second_below);
}

} // namespace keyswap::model
