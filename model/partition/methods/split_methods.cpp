#include "model/partition/methods/method_positions.hpp"

#include "model/partition/partition_positions.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace keyswap::model::multisplit_steps {

namespace {

/// One stable pass over bits [shift, shift + bits) of the labels.
/// \param at [n] current position of each key; updated to its position after the pass
void pass_over_bits(Labels labels, int shift, int bits, Positions& at) {
    std::vector<std::uint32_t> digits(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        digits[at[i]] = (labels[i] >> shift) & ((std::uint32_t{1} << bits) - 1);
    }
    Positions const moved = partition_positions(digits, std::uint32_t{1} << bits);
    std::ranges::for_each(at, [&](std::uint64_t& position) { position = moved[position]; });
}

} // namespace

Positions by_scan_split(Labels labels, std::uint32_t /*buckets*/) {
    auto const zeros = static_cast<std::uint64_t>(std::ranges::count(labels, 0U));
    Positions positions(labels.size());
    std::uint64_t ones_before = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        positions[i] = labels[i] == 0 ? i - ones_before : zeros + ones_before;
        ones_before += labels[i];
    }
    return positions;
}

Positions by_iterative_split(Labels labels, std::uint32_t buckets) {
    std::vector<std::uint64_t> rest(labels.size());
    std::iota(rest.begin(), rest.end(), std::uint64_t{0});
    Positions positions(labels.size());
    std::uint64_t next = 0;
    for (std::uint32_t bucket = 0; bucket < buckets && !rest.empty(); ++bucket) {
        auto const others = std::stable_partition(
            rest.begin(), rest.end(), [&](std::uint64_t i) { return labels[i] == bucket; });
        for (auto i = rest.begin(); i != others; ++i) {
            positions[*i] = next++;
        }
        rest.erase(rest.begin(), others);
    }
    return positions;
}

Positions by_label_passes(Labels labels, std::uint32_t buckets, int bits_of_pass) {
    Positions at(labels.size());
    std::iota(at.begin(), at.end(), std::uint64_t{0});
    int const bits = std::bit_width(buckets - 1);
    for (int shift = 0; shift < bits; shift += bits_of_pass) {
        pass_over_bits(labels, shift, std::min(bits_of_pass, bits - shift), at);
    }
    return at;
}

Positions by_recursive_split(Labels labels, std::uint32_t buckets) {
    return by_label_passes(labels, buckets, 1);
}

Positions by_reduced_bit_sort(Labels labels, std::uint32_t buckets) {
    return by_label_passes(labels, buckets, 7);
}

} // namespace keyswap::model::multisplit_steps
