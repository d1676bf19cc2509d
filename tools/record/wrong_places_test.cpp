#include "tools/record/wrong_places.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace keyswap::conformance {
namespace {

using U32Keys = std::vector<std::uint32_t>;

WrongPlaces places_of(U32Keys const& made, U32Keys const& output, SortShape const& shape = {}) {
    return wrong_places(shape, std::as_bytes(std::span(made)), std::as_bytes(std::span(output)));
}

TEST(WrongPlaces, AreNoneInASortedOutput) {
    WrongPlaces const places = places_of({3, 1, 2, 2}, {1, 2, 2, 3});
    EXPECT_EQ(places.count, 0U);
    EXPECT_TRUE(places.first.empty());
    EXPECT_TRUE(places.columns.empty());
}

TEST(WrongPlaces, HaveTheKeyAndTheOneThatBelongsThere) {
    WrongPlaces const places = places_of({3, 1, 2, 2}, {1, 2, 3, 2});
    EXPECT_EQ(places.count, 2U);
    ASSERT_EQ(places.first.size(), 2U);
    EXPECT_EQ(places.first[0].index, 2U);
    EXPECT_EQ(places.first[0].found, "3");
    EXPECT_EQ(places.first[0].expected, "2");
}

TEST(WrongPlaces, FollowTheDirection) {
    SortShape shape;
    shape.direction = Direction::descending;
    EXPECT_EQ(places_of({1, 2, 3}, {3, 2, 1}, shape).count, 0U);
    EXPECT_EQ(places_of({1, 2, 3}, {1, 2, 3}, shape).count, 2U);
}

TEST(WrongPlaces, AreThereWhereKeysAreMissingOrTooMany) {
    WrongPlaces const missing = places_of({1, 2, 3}, {1, 2});
    EXPECT_EQ(missing.count, 1U);
    EXPECT_EQ(missing.first.front().found, "");
    EXPECT_EQ(missing.first.front().expected, "3");
    EXPECT_EQ(places_of({1, 2}, {1, 2, 2}).first.front().expected, "");
}

TEST(WrongPlaces, AreDrawnByWhereTheirKeysBelong) {
    U32Keys keys(1'000);
    std::iota(keys.begin(), keys.end(), 0U);
    U32Keys exchanged = keys;
    std::rotate(exchanged.begin(), exchanged.begin() + 500, exchanged.end());
    WrongPlaces const places = places_of(keys, exchanged);
    ASSERT_EQ(places.columns.size(), place_columns_max);
    EXPECT_EQ(places.columns.front().lowest, 500U); // the upper half comes first
    EXPECT_EQ(places.columns.front().highest, 504U);
    EXPECT_TRUE(places.columns.front().wrong);
    EXPECT_EQ(places.columns[100].lowest, 0U);
    // Correctly placed keys are on the diagonal, equal ones too.
    std::swap(keys[0], keys[1]);
    EXPECT_EQ(places_of(keys, keys).columns[150].lowest, 750U);
    EXPECT_FALSE(places_of(keys, keys).columns[150].wrong);
    U32Keys equal(1'000, 7);
    equal.back() = 0;
    EXPECT_EQ(places_of(equal, equal).columns[150].lowest, 750U);
}

} // namespace
} // namespace keyswap::conformance
