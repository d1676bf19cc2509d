#include "model/keys/interval_slots.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace keyswap::model {
namespace {

/// Reference: the counter of the interval that contains an image, or no_slot.
template <class Word>
std::size_t slot_by_search(std::vector<CountedInterval> const& intervals, uint128 image) {
    for (CountedInterval const& interval : intervals) {
        if (interval.images.lowest <= image && image <= interval.images.highest) {
            return interval.slot;
        }
    }
    return IntervalSlots<Word>::no_slot;
}

/// Ascending intervals between random edges; with gaps, every third one is omitted.
std::vector<CountedInterval>
any_intervals(std::mt19937_64& random, uint128 largest, std::size_t count, bool has_gaps) {
    std::vector<uint128> edges{0};
    for (std::size_t i = 1; i < count; ++i) {
        // Half of them close together, so that they share an entry of the guide.
        edges.push_back(
            (i % 2 == 0 ? uint128{random() % 500} : uint128{random()} << 64 | random()) % largest);
    }
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    std::vector<CountedInterval> intervals;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        uint128 const highest = i + 1 < edges.size() ? edges[i + 1] - 1 : largest;
        if (!has_gaps || i % 3 != 2) {
            intervals.push_back({{edges[i], highest}, i});
        }
    }
    return intervals;
}

template <class Word>
void expect_found(int key_bits) {
    std::mt19937_64 random(7);
    uint128 const largest = largest_image_of_bits(key_bits);
    for (std::size_t const count : {1U, 2U, 3U, 7U, 8U, 9U, 100U}) {
        for (bool const has_gaps : {false, true}) {
            auto const intervals = any_intervals(random, largest, count, has_gaps);
            IntervalSlots<Word> const slots(intervals, key_bits);
            std::vector<uint128> images{0, largest};
            for (CountedInterval const& interval : intervals) {
                for (uint128 const edge : {interval.images.lowest, interval.images.highest}) {
                    images.insert(
                        images.end(),
                        {edge, edge == 0 ? 0 : edge - 1, edge == largest ? largest : edge + 1});
                }
            }
            while (images.size() % 4 != 0) {
                images.push_back(random() % 600 % largest);
            }
            for (std::size_t i = 0; i < images.size(); i += 4) {
                std::array<Word, 4> some{};
                for (std::size_t j = 0; j < some.size(); ++j) {
                    some[j] = static_cast<Word>(images[i + j]);
                }
                auto const found = slots.slots_of(some);
                for (std::size_t j = 0; j < some.size(); ++j) {
                    auto const expected = slot_by_search<Word>(intervals, images[i + j]);
                    ASSERT_EQ(found[j], expected) << key_bits << " bits, " << count;
                    ASSERT_EQ(slots.slot_of(some[j]), expected);
                }
            }
        }
    }
}

TEST(IntervalSlots, FindTheIntervalOfEachImage) {
    expect_found<std::uint64_t>(10); // fewer bits than the guide
    expect_found<std::uint64_t>(32);
    expect_found<std::uint64_t>(64);
    expect_found<uint128>(128);
}

} // namespace
} // namespace keyswap::model
