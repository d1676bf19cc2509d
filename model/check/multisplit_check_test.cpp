#include "model/check/multisplit_check.hpp"

#include "model/partition/bucket_rule.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using Keys = std::vector<std::uint32_t>;
using Starts = std::vector<std::uint64_t>;

/// Splitters 10 and 30: buckets up to 10, up to 30, and above.
ParsedFunction three_ranges() {
    return {splitter_function({{{0, 10}, {0, 30}}, {false, false}, Tie::left}), {}};
}

class MultisplitFiles : public ::testing::Test {
  protected:
    [[nodiscard]] MultisplitCheck check(Keys const& input,
                                        Keys const& output,
                                        Stability stability,
                                        std::optional<Starts> starts = std::nullopt,
                                        ParsedFunction given = three_ranges()) const {
        KeyFileOptions const options{std::nullopt, KeyType::u32};
        auto const before = StoredKeys::open(folder_.put("in", input), options);
        auto const after = StoredKeys::open(folder_.put("out", output), options);
        auto const found =
            check_multisplit(*before, *after, {std::move(given), stability, std::move(starts), {}});
        EXPECT_TRUE(found.has_value());
        return *found;
    }
    [[nodiscard]] static std::string first_sentence(MultisplitCheck const& check) {
        return sentences(check).front();
    }

    Keys const input_{30, 5, 20, 7, 31};

  private:
    testing::KeyFolder folder_;
};

TEST_F(MultisplitFiles, TheStablePartitionHolds) {
    auto const found = check(input_, {5, 7, 30, 20, 31}, Stability::stable, Starts{0, 2, 4});
    EXPECT_TRUE(found.holds());
    EXPECT_EQ(first_sentence(found),
              "The output holds the input's 5 keys in the order of their 3 buckets.");
    EXPECT_TRUE(check({}, {}, Stability::stable, Starts{0, 0, 0}).holds());
}

TEST(MultisplitCheck, SplitsKeysOf128BitsBetweenWideSplitters) {
    ParsedFunction const given{splitter_function({{{7, 1}}, {false}, Tie::left}), {}};
    std::vector<uint128> const input{wide({7, 2}), wide({7, 1}), wide({9, 0}), 3};
    auto const check = [&](std::vector<uint128> const& output) {
        auto const before = StoredKeys::view(std::as_bytes(std::span(input)), KeyType::u128);
        auto const after = StoredKeys::view(std::as_bytes(std::span(output)), KeyType::u128);
        return check_multisplit(before, after, {given, Stability::stable, Starts{0, 2}, {}})
            .value();
    };
    EXPECT_TRUE(check({wide({7, 1}), 3, wide({7, 2}), wide({9, 0})}).holds());
    EXPECT_TRUE(check({3, wide({7, 1}), wide({7, 2}), wide({9, 0})}).unstable.has_value());
    EXPECT_TRUE(check({3, wide({7, 2}), wide({7, 1}), wide({9, 0})}).misplaced.has_value());
}

TEST_F(MultisplitFiles, AnotherOrderWithinABucketHoldsUnlessItIsPromised) {
    Keys const other{7, 5, 20, 30, 31};
    EXPECT_TRUE(check(input_, other, Stability::unstable).holds());
    auto const found = check(input_, other, Stability::stable);
    EXPECT_EQ(found.unstable, (StabilityFinding{0, 0, "7", "5"}));
    auto const late = check(input_, {5, 7, 20, 30, 31}, Stability::stable);
    EXPECT_EQ(late.unstable, (StabilityFinding{1, 2, "20", "30"}));
}

TEST_F(MultisplitFiles, AKeyInTheWrongBucketIsFound) {
    auto const found = check(input_, {5, 30, 7, 20, 31}, Stability::unstable);
    EXPECT_EQ(found.misplaced, (PlaceFinding{1, "30", 1, 0}));
    EXPECT_FALSE(found.holds());
}

TEST_F(MultisplitFiles, LostAndDoubledKeysAreNamed) {
    auto const found = check(input_, {5, 5, 30, 20, 31}, Stability::unstable);
    EXPECT_FALSE(found.permutation);
    EXPECT_EQ(found.values, (std::vector<ValueFinding>{{"5", 1, 2}, {"7", 1, 0}}));
    EXPECT_FALSE(check(input_, {5, 7, 30, 20}, Stability::unstable).holds());
    EXPECT_FALSE(check(input_, {5, 7, 30, 20, 31, 31}, Stability::unstable).holds());
}

TEST_F(MultisplitFiles, WrongStartsAreNamedWithTheirBucket) {
    Keys const output{5, 7, 30, 20, 31};
    auto const found = check(input_, output, Stability::stable, Starts{0, 2, 5});
    EXPECT_EQ(found.wrong_start, (StartFinding{2, 5, 4}));
    EXPECT_EQ(check(input_, output, Stability::stable, Starts{0, 2, 4, 5}).wrong_start_count, 4U);
    EXPECT_EQ(check(input_, output, Stability::stable, Starts{0, 2}).wrong_start_count, 2U);
}

TEST_F(MultisplitFiles, EveryFindingIsASentence) {
    auto const joined = [](MultisplitCheck const& found) {
        std::string text;
        for (std::string const& sentence : sentences(found)) {
            text += sentence + "|";
        }
        return text;
    };
    Keys const right{5, 7, 30, 20, 31};
    EXPECT_EQ(joined(check(input_, right, Stability::stable, Starts{0, 2})),
              "There are 2 starts for 3 buckets.|");
    EXPECT_EQ(joined(check(input_, right, Stability::stable, Starts{0, 2, 5})),
              "Bucket 2 starts at 4, and not at 5.|");
    EXPECT_EQ(joined(check(input_, {5, 30, 7, 20, 31}, Stability::unstable)),
              "Key 30 at index 1 belongs to bucket 1, and keys of bucket 0 should be there.|");
    EXPECT_EQ(joined(check(input_, {5, 5, 30, 20, 31}, Stability::unstable)),
              "Value 5: 1 in the input, 2 in the output.|"
              "Value 7: 1 in the input, 0 in the output.|");
    EXPECT_EQ(joined(check(input_, {7, 5, 30, 20, 31}, Stability::stable)),
              "Bucket 0 is not in input order, first at index 0: key 7 is there, and the input's "
              "next is 5.|");
    EXPECT_TRUE(joined(check(input_, {5, 7, 30, 20}, Stability::unstable))
                    .starts_with("The input has 5 keys, and the output has 4.|"));
    ParsedFunction const given{{2, LabelBuckets{}}, {1, 0, 1, 0, 0}};
    EXPECT_EQ(joined(check(input_, {5, 7, 30, 31, 20}, Stability::unstable, std::nullopt, given)),
              "Bucket 0 holds keys of other buckets.|");
}

TEST_F(MultisplitFiles, LabelsNameTheKeysOfABucket) {
    ParsedFunction const given{{2, LabelBuckets{}}, {1, 0, 1, 0, 0}};
    EXPECT_TRUE(check(input_, {5, 7, 31, 30, 20}, Stability::stable, std::nullopt, given).holds());
    auto const found = check(input_, {5, 7, 30, 31, 20}, Stability::unstable, std::nullopt, given);
    EXPECT_EQ(found.wrong_bucket, 0U);
    EXPECT_FALSE(found.holds());
}

TEST_F(MultisplitFiles, FilesOfSeveralBlocksAreCheckedToTheirEnds) {
    // Keys i mod 50: bucket 0 gets 11 of the 50 values, bucket 1 gets 20, bucket 2 the rest.
    Keys input(600'000);
    for (std::size_t i = 0; i < input.size(); ++i) {
        input[i] = static_cast<std::uint32_t>(i % 50);
    }
    Keys output = input;
    std::ranges::stable_sort(output, {}, [](std::uint32_t key) {
        return key <= 10 ? 0 : key <= 30 ? 1 : 2;
    });
    EXPECT_TRUE(check(input, output, Stability::stable, Starts{0, 132'000, 372'000}).holds());
    std::swap(output[599'998], output[599'999]);
    EXPECT_TRUE(check(input, output, Stability::unstable).holds());
    EXPECT_EQ(check(input, output, Stability::stable).unstable,
              (StabilityFinding{2, 599'998, "49", "48"}));
}

} // namespace
} // namespace keyswap::model
