/// \file Inputs of blocks with individual key ranges, as in the sample-sort papers.
/// Source: Helman, Bader, JaJa: A randomized parallel sorting algorithm with an experimental
/// study (1998); Leischner, Osipov, Sanders: GPU sample sort (2010), section 6, with p = 240
/// blocks. Their keys have 31 random bits; here they fill the lower half of any key type's domain.

#include "model/distributions/counter_generator.hpp"
#include "model/distributions/distribution_families.hpp"
#include "model/distributions/value_domain.hpp"

#include <bit>
#include <utility>
#include <vector>

namespace keyswap::model {

namespace {

/// Streams of the random generator; stream 0 is reserved for the keys.
constexpr std::uint32_t run_length_stream = 16;
constexpr std::uint32_t run_value_stream = 17;

/// floor(size * index / parts).
std::uint64_t part_begin(std::uint64_t size, std::uint64_t index, std::uint64_t parts) {
    return static_cast<std::uint64_t>(uint128{size} * index / parts);
}

KeyRecipe keys_of_lower_half(KeyType type, std::vector<Segment> segments) {
    if (segments.empty()) {
        segments.push_back({});
    }
    return {uniform_table(type, 0.5), std::move(segments), 0};
}

/// Appends a segment of uniform keys in slot `slot` of `slots` equal parts of the range.
void append_slot(std::vector<Segment>& segments,
                 std::uint64_t begin,
                 std::uint64_t slot,
                 std::uint64_t slots) {
    if (!segments.empty() && segments.back().begin == begin) {
        segments.pop_back(); // the previous segment is empty
    }
    auto const edge = [&](std::uint64_t index) { return two_to_64 * index / slots; };
    segments.push_back({begin,
                        Draw::independent,
                        0,
                        static_cast<std::uint64_t>(edge(slot)),
                        static_cast<std::uint64_t>(edge(slot + 1) - edge(slot))});
}

/// Blocks of runs of uniform keys. \param slot_of slot of a block and a run, of as many as blocks
template <class SlotOf>
KeyRecipe runs_in_blocks(KeyRequest const& request,
                         std::uint64_t blocks,
                         std::uint64_t runs,
                         SlotOf const& slot_of) {
    std::vector<Segment> segments;
    for (std::uint64_t block = 0; block < blocks; ++block) {
        std::uint64_t const begin = part_begin(request.key_count, block, blocks);
        std::uint64_t const size = part_begin(request.key_count, block + 1, blocks) - begin;
        for (std::uint64_t run = 0; run < runs; ++run) {
            append_slot(segments, begin + part_begin(size, run, runs), slot_of(block, run), blocks);
        }
    }
    return keys_of_lower_half(request.key_type, std::move(segments));
}

void append_constant(std::vector<Segment>& segments, std::uint64_t begin, std::uint64_t image) {
    if (!segments.empty() && segments.back().begin == begin) {
        segments.pop_back();
    }
    segments.push_back({begin, Draw::constant, image, 0, 0});
}

} // namespace

KeyRecipe bucket_sorted_recipe(KeyRequest const& request) {
    auto const blocks = static_cast<std::uint64_t>(*request.parameter);
    return runs_in_blocks(
        request, blocks, blocks, [](std::uint64_t /*block*/, std::uint64_t run) { return run; });
}

KeyRecipe staggered_recipe(KeyRequest const& request) {
    auto const blocks = static_cast<std::uint64_t>(*request.parameter);
    return runs_in_blocks(request, blocks, 1, [=](std::uint64_t block, std::uint64_t /*run*/) {
        std::uint64_t const half = blocks / 2;
        return block < half ? 2 * block + 1 : 2 * (block - half);
    });
}

KeyRecipe g_group_recipe(KeyRequest const& request) {
    constexpr std::uint64_t blocks = 240;
    auto const group = static_cast<std::uint64_t>(*request.parameter);
    return runs_in_blocks(request, blocks, group, [=](std::uint64_t block, std::uint64_t run) {
        return (block - block % group + blocks / 2 + run) % blocks;
    });
}

KeyRecipe deterministic_duplicates_recipe(KeyRequest const& request) {
    // The first half of the keys are floor(log2 n), half of the rest one less, and so on; the keys
    // left over at 0 are 0.
    std::vector<Segment> segments;
    std::uint64_t begin = 0;
    auto value = static_cast<int>(std::bit_width(request.key_count)) - 1;
    for (; value > 0; --value) {
        append_constant(
            segments, begin, image_of_whole(request.key_type, static_cast<std::uint64_t>(value)));
        begin += (request.key_count - begin) / 2;
    }
    append_constant(segments, begin, zero_image(request.key_type));
    return keys_of_lower_half(request.key_type, std::move(segments));
}

KeyRecipe randomized_duplicates_recipe(KeyRequest const& request) {
    constexpr std::uint64_t blocks = 240;
    auto const range = static_cast<std::uint64_t>(*request.parameter);
    CounterGenerator const lengths(request.seed, run_length_stream);
    CounterGenerator const values(request.seed, run_value_stream);
    auto const up_to = [range](std::uint32_t word) { return (word * range) >> 32; };
    std::vector<Segment> segments;
    for (std::uint64_t block = 0; block < blocks; ++block) {
        std::uint64_t const begin = part_begin(request.key_count, block, blocks);
        std::uint64_t const size = part_begin(request.key_count, block + 1, blocks) - begin;
        std::uint64_t sum = 0;
        for (std::uint64_t run = 0; run < range; ++run) {
            sum += up_to(lengths.word32(block * range + run)) + 1;
        }
        // The last run absorbs the rounding error.
        std::uint64_t run_begin = begin;
        for (std::uint64_t run = 0; run < range; ++run) {
            std::uint64_t const length = up_to(lengths.word32(block * range + run)) + 1;
            append_constant(
                segments,
                run_begin,
                image_of_whole(request.key_type, up_to(values.word32(block * range + run))));
            run_begin += part_begin(size, length, sum);
        }
    }
    return keys_of_lower_half(request.key_type, std::move(segments));
}

} // namespace keyswap::model
