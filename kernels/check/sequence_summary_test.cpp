#include "kernels/check/sequence_summary.hpp"

#include "kernels/check/checked_arrays_test.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace keyswap::kernels {
namespace {

template <class Word>
SequenceSummary summary_of(CheckedArray<Word> const& array,
                           std::vector<std::size_t> const& borders,
                           SummaryOptions const& options = {}) {
    SequenceSummary all;
    for (SequencePart const& part : array.parts(borders)) {
        EXPECT_TRUE(check_part(array.shape, part, "part").has_value());
        all = joined(all, summarize_in_host_memory(array.shape, part, options));
    }
    return all;
}

TEST(SequenceSummary, FindsEveryPlantedFault) {
    expect_that_planted_faults_are_found(
        [](CheckedArray<std::uint32_t> const& array, std::vector<std::size_t> const& borders) {
            return summary_of(array, borders);
        });
}

/// Pairs of adjacent keys out of order, determined by comparing floats.
template <class Float>
std::vector<std::size_t>
violations(std::vector<Float> const& keys, SortShape shape, NanOrder nans) {
    auto const rank = [&](Float key) { // rank of groups that never mix
        if (!std::isnan(key) || nans == NanOrder::total) {
            return 0;
        }
        return nans == NanOrder::first ? -1 : 1;
    };
    auto const number = [&](Float key) { // value in total order, or with equal zeros
        bool const is_zero = key == 0 && shape.zero_order == ZeroOrder::equal;
        return is_zero ? Float{0} : key;
    };
    auto const is_before = [&](Float left, Float right) {
        if (rank(left) != rank(right)) {
            return rank(left) < rank(right);
        }
        if (rank(left) != 0) {
            return false;
        }
        bool const is_ascending = shape.direction == Direction::ascending;
        return is_ascending ? std::strong_order(number(left), number(right)) < 0
                            : std::strong_order(number(right), number(left)) < 0;
    };
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
        if (is_before(keys[i + 1], keys[i])) {
            found.push_back(i);
        }
    }
    return found;
}

template <class Float, class Word>
void expect_orders_of_floats(KeyType type) {
    using Limits = std::numeric_limits<Float>;
    std::vector<Float> const kinds{Float{0},
                                   -Float{0},
                                   Float{1},
                                   -Float{1},
                                   Limits::infinity(),
                                   -Limits::infinity(),
                                   Limits::quiet_NaN(),
                                   -Limits::quiet_NaN(),
                                   Limits::denorm_min(),
                                   -Limits::denorm_min(),
                                   Limits::max(),
                                   Limits::lowest()};
    std::vector<Float> keys; // every pair of kinds
    for (Float const left : kinds) {
        for (Float const right : kinds) {
            keys.push_back(left);
            keys.push_back(right);
        }
    }
    std::size_t differing = 0;
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        for (ZeroOrder const zeros : {ZeroOrder::total, ZeroOrder::equal}) {
            for (NanOrder const nans : {NanOrder::total, NanOrder::first, NanOrder::last}) {
                SortShape shape{type, direction};
                shape.zero_order = zeros;
                CheckedArray<Word> array{shape, {}, {}};
                for (Float const key : keys) {
                    array.keys.push_back(std::bit_cast<Word>(key));
                }
                auto const expected = violations(keys, shape, nans);
                auto const found = summary_of(array, {3, 100, keys.size()}, {nans, 5});
                EXPECT_EQ(found.violations, expected.size());
                EXPECT_EQ(found.first_violation.value(), expected.front());
                EXPECT_EQ(found.elements.count, keys.size());
                differing += expected.size();
            }
        }
    }
    EXPECT_GT(differing, 0U);
}

TEST(SequenceSummary, OrdersNansAndZerosAsAsked) {
    expect_orders_of_floats<float, std::uint32_t>(KeyType::f32);
    expect_orders_of_floats<double, std::uint64_t>(KeyType::f64);
}

TEST(SequenceSummary, IsThatOfTheWholeHoweverItIsParted) {
    for (KeyType const type : {KeyType::u64, KeyType::i64, KeyType::f64}) {
        auto const array = random_array<std::uint64_t>(
            {type, Direction::descending, ValueType::bits64}, 3'000'000, 1'000);
        auto const whole = summary_of(array, {array.keys.size()});
        EXPECT_EQ(summary_of(array, {0, 1, 2, 1'000'003, 1'000'003, array.keys.size()}), whole);
        EXPECT_GT(whole.violations, 1'000'000U);
    }
    auto const wide = random_array<WideImage>({KeyType::i128}, 1'000, 1'000);
    EXPECT_EQ(summary_of(wide, {7, 1'000}), summary_of(wide, {1'000}));
}

TEST(SequenceSummary, OfEmptyPartsIsThatOfNothing) {
    auto const array = random_array<std::uint32_t>({KeyType::u32}, 0, 1);
    EXPECT_EQ(summary_of(array, {0, 0}), SequenceSummary{});
}

TEST(SequenceSummary, RefusesPartsThatLackArraysOrAreMisaligned) {
    SortShape shape;
    SequencePart part{SequencePart::in_host_memory, nullptr, nullptr, 3};
    EXPECT_EQ(check_part(shape, part, "part 1").error().message, "part 1 has no keys.");
    std::vector<std::uint32_t> const keys(4);
    part.keys = keys.data();
    EXPECT_TRUE(check_part(shape, part, "part 1").has_value());
    shape.value_type = ValueType::bits32;
    EXPECT_EQ(check_part(shape, part, "part 1").error().message, "part 1 has no values.");
    shape.value_type = ValueType::none;
    part.keys = reinterpret_cast<unsigned char const*>(keys.data()) + 2;
    EXPECT_NE(check_part(shape, part, "part 1").error().message.find("aligned to its type's size"),
              std::string::npos);
}

} // namespace
} // namespace keyswap::kernels
