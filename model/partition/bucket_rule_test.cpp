#include "model/partition/bucket_rule.hpp"

#include "model/key_files/npy_header.hpp"
#include "model/partition/bucket_rule_text.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace keyswap::model {
namespace {

using testing::put_text;
using testing::TemporaryFolder;

std::vector<std::uint32_t> buckets_of(BucketFunction const& function,
                                      std::vector<std::uint64_t> const& images,
                                      int key_bits = 32) {
    BucketEvaluator const evaluator(function, key_bits);
    std::vector<std::uint32_t> buckets(images.size());
    evaluator.buckets_of(std::span<std::uint64_t const>(images), 0, buckets);
    return buckets;
}

SplitterBuckets splitters(std::vector<std::uint64_t> const& values,
                          std::vector<bool> equality,
                          Tie tie = Tie::left) {
    SplitterBuckets rule{{}, std::move(equality), tie};
    for (std::uint64_t const value : values) {
        rule.splitters.push_back({0, value});
    }
    return rule;
}

using Buckets = std::vector<std::uint32_t>;

TEST(BucketRule, TiesGoToTheSideThatIsAskedFor) {
    auto const left = splitter_function(splitters({10, 20}, {false, false}));
    EXPECT_EQ(buckets_of(left, {0, 9, 10, 11, 20, 21}), (Buckets{0, 0, 0, 1, 1, 2}));
    auto const right = splitter_function(splitters({10, 20}, {false, false}, Tie::right));
    EXPECT_EQ(buckets_of(right, {0, 9, 10, 11, 20, 21}), (Buckets{0, 0, 1, 1, 2, 2}));
}

TEST(BucketRule, AFlaggedSplitterHasABucketOfItsOwn) {
    auto const function = splitter_function(splitters({10, 11, 20}, {true, true, false}));
    EXPECT_EQ(function.buckets, 6U);
    // Bucket 2, between 10 and 11, is empty.
    EXPECT_EQ(buckets_of(function, {9, 10, 11, 12, 20, 21}), (Buckets{0, 1, 3, 4, 4, 5}));
}

TEST(BucketRule, SplittersAtBothEndsOfTheKeysLeaveEmptyBuckets) {
    std::uint64_t const largest = 0xffffffffU;
    auto const function = splitter_function(splitters({0, largest}, {true, true}));
    EXPECT_EQ(buckets_of(function, {0, 1, largest - 1, largest}), (Buckets{1, 2, 2, 3}));
    auto const wide_function = splitter_function(splitters({0, ~std::uint64_t{0}}, {true, false}));
    EXPECT_EQ(buckets_of(wide_function, {0, 1, ~std::uint64_t{0}}, 64), (Buckets{1, 2, 2}));
}

TEST(BucketRule, DeltaClampsAtBothEnds) {
    BucketFunction const function{4, DeltaBuckets{{0, 100}, {0, 10}}};
    EXPECT_EQ(buckets_of(function, {0, 100, 109, 110, 139, 140, 4'000'000'000}),
              (Buckets{0, 0, 0, 1, 3, 3, 3}));
}

TEST(BucketRule, StandardDeltaCoversTheKeysWhateverTheNumberOfBuckets) {
    for (std::uint32_t const buckets : {1U, 2U, 3U, 10U, 32U, 33U, 100U, 257U, 4096U}) {
        for (int const bits : {8, 32, 64, 128}) {
            auto const function = delta_function(bits, buckets);
            ASSERT_TRUE(validated(function, bits));
            BucketEvaluator const evaluator(function, bits);
            uint128 const largest = largest_image_of_bits(bits);
            EXPECT_EQ(evaluator.bucket_of(0, 0), 0U);
            EXPECT_LT(evaluator.bucket_of(largest, 0), buckets);
            uint128 const expected = buckets == 1 ? 0 : largest / (largest / buckets + 1);
            EXPECT_EQ(evaluator.bucket_of(largest, 0), static_cast<std::uint32_t>(expected));
        }
    }
}

TEST(BucketRule, WideKeysAreComparedByBothWords) {
    SplitterBuckets rule{{{1, 0}, {1, 5}}, {false, true}, Tie::left};
    BucketEvaluator const evaluator(splitter_function(rule), 128);
    auto const bucket = [&](std::uint64_t high, std::uint64_t low) {
        return evaluator.bucket_of(wide({high, low}), 0);
    };
    EXPECT_EQ(bucket(0, ~std::uint64_t{0}), 0U);
    EXPECT_EQ(bucket(1, 0), 0U);
    EXPECT_EQ(bucket(1, 4), 1U);
    EXPECT_EQ(bucket(1, 5), 2U);
    EXPECT_EQ(bucket(1, 6), 3U);
}

TEST(BucketRule, PrimesAreThoseOfASieve) {
    std::vector<bool> composite(10'000, false);
    for (std::size_t i = 2; i < composite.size(); ++i) {
        EXPECT_EQ(is_prime(i), !composite[i]) << i;
        for (std::size_t multiple = i * i; multiple < composite.size(); multiple += i) {
            composite[multiple] = true;
        }
    }
    EXPECT_FALSE(is_prime(0));
    EXPECT_FALSE(is_prime(1));
    EXPECT_TRUE(is_prime(4'294'967'291U));              // the largest prime below 2^32
    EXPECT_TRUE(is_prime(18'446'744'073'709'551'557U)); // the largest prime below 2^64
    EXPECT_FALSE(is_prime(3'215'031'751U)); // strong pseudoprime to the bases 2, 3, 5, 7
}

TEST(BucketRule, LabelsAreTakenByPosition) {
    std::vector<std::uint32_t> const labels{2, 0, 1};
    BucketEvaluator const evaluator({3, LabelBuckets{}}, 32, labels);
    std::vector<std::uint32_t> const keys{7, 7};
    Buckets buckets(2);
    evaluator.buckets_of(std::span<std::uint32_t const>(keys), 1, buckets);
    EXPECT_EQ(buckets, (Buckets{0, 1}));
}

TEST(BucketRule, HashesStayBelowTheNumberOfBucketsAndUseAllOfThem) {
    BucketFunction const function{7, HashBuckets{3}};
    std::set<std::uint32_t> seen;
    BucketEvaluator const evaluator(function, 64);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        seen.insert(evaluator.bucket_of(i, 0));
    }
    EXPECT_EQ(seen, (std::set<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}));
    // (mix_bits(5 ^ mix_bits(0 + 3)) * 7) >> 64, computed independently.
    EXPECT_EQ(evaluator.bucket_of(5, 0), 1U);
}

TEST(BucketRule, NonsenseIsRefusedWithItsReason) {
    auto const problem = [](BucketFunction const& function, int key_bits = 32) {
        auto const checked = validated(function, key_bits);
        return checked ? std::string("fine") : checked.error().problem;
    };
    EXPECT_EQ(problem({0, HashBuckets{}}), "0 buckets");
    EXPECT_EQ(problem({300, DigitBuckets{0, 8}}), "a rule with 256 buckets is declared with 300");
    EXPECT_EQ(problem({256, DigitBuckets{25, 8}}), "bits 25 to 33 of keys of 32 bits");
    EXPECT_EQ(problem({1, DigitBuckets{0, 0}}), "a digit of 0 bits");
    EXPECT_EQ(problem({4, DeltaBuckets{{}, {}}}), "ranges of width 0");
    EXPECT_EQ(problem({4, DeltaBuckets{{1, 0}, {0, 1}}}), "the origin is not a key of 32 bits");
    EXPECT_EQ(problem({3, splitters({10, 20}, {false})}), "1 equality flags for 2 splitters");
    EXPECT_EQ(problem({3, splitters({20, 10}, {false, false})}),
              "splitter 2 is not larger than the one before");
    EXPECT_EQ(problem({4, splitters({10, 20}, {false, true}, Tie::right)}),
              "equality buckets and ties to the right exclude each other");
    EXPECT_EQ(problem({3, splitters({10, 20}, {false, true})}),
              "a rule with 4 buckets is declared with 3");
    EXPECT_EQ(problem({2, PrimeBuckets{}}, 128), "primes among keys of 128 bits");
    EXPECT_EQ(problem({2, splitters({std::uint64_t{1} << 32}, {false})}),
              "splitter 1 is not a key of 32 bits");
}

TEST(BucketRuleText, FilesAreReadAndTheirMistakesNamedWithTheirLine) {
    TemporaryFolder const folder;
    put_text(folder / "good.csv", "edge\n-1.5\n0\n2.25\n");
    auto const good =
        parse_bucket_rule("splitters:" + (folder / "good.csv").string(), KeyType::f32, {}, 0);
    ASSERT_TRUE(good) << good.error().message();
    EXPECT_EQ(good->function.buckets, 4U);
    put_text(folder / "bad.csv", "edge\n3\n2\n");
    auto const bad =
        parse_bucket_rule("splitters:" + (folder / "bad.csv").string(), KeyType::u32, {}, 0);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().message(),
              (folder / "bad.csv").string() + ", row 3: splitter 2 is smaller than the one before "
                                              "(sort the file and keep each splitter once)");
    put_text(folder / "labels.csv", "1\n0\n4\n");
    auto const label = [&](std::optional<std::uint32_t> buckets) {
        return parse_bucket_rule(
            "labels:" + (folder / "labels.csv").string(), KeyType::u32, buckets, 3);
    };
    EXPECT_EQ(label({})->function.buckets, 5U);
    EXPECT_EQ(label({})->labels, (std::vector<std::uint32_t>{1, 0, 4}));
    EXPECT_EQ(label(4).error().subject, (folder / "labels.csv").string() + ":3");
    put_text(folder / "word.csv", "1\nx\n");
    EXPECT_EQ(parse_bucket_rule("labels:" + (folder / "word.csv").string(), KeyType::u32, {}, 2)
                  .error()
                  .subject,
              (folder / "word.csv").string() + ", row 2");
}

TEST(BucketRuleText, FilesThatNeverEndAreRefused) {
    TemporaryFolder const folder;
    std::filesystem::create_symlink("/dev/zero", folder / "zero.csv");
    for (std::string const& file : {(folder / "zero.csv").string(), std::string("/dev/zero")}) {
        auto const given = parse_bucket_rule("splitters:" + file, KeyType::u32, {}, 1);
        ASSERT_FALSE(given);
        bool const is_text = file.ends_with(".csv");
        EXPECT_NE(
            given.error().message().find(is_text ? "is longer than any number" : "never ends"),
            std::string::npos)
            << given.error().message();
    }
}

TEST(BucketRuleText, LabelsOfOneOrTwoBytesAreKnownByTheFilesSize) {
    TemporaryFolder const folder;
    put_text(folder / "labels", std::string("\2\0\1\0\7\0", 6));
    auto const labels = [&](std::uint64_t keys) {
        return parse_bucket_rule("labels:" + (folder / "labels").string(), KeyType::u32, {}, keys);
    };
    EXPECT_EQ(labels(3)->labels, (std::vector<std::uint32_t>{2, 1, 7}));
    EXPECT_EQ(labels(6)->labels, (std::vector<std::uint32_t>{2, 0, 1, 0, 7, 0}));
    ASSERT_FALSE(labels(4));
    put_text(folder / "words", std::string("\2\0\0\0\1\0\0\0", 8));
    auto const other =
        parse_bucket_rule("labels:" + (folder / "words").string(), KeyType::u32, {}, 3);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().problem, "has 2 labels for 3 keys");
}

TEST(BucketRuleText, LabelsOfNumpyHaveOneTwoOrFourBytes) {
    TemporaryFolder const folder;
    auto const labels = [&](std::string const& descriptor, std::string const& bytes) {
        std::string header = npy_header_text({KeyType::u32, 3});
        header.replace(header.find("<u4"), 3, descriptor);
        put_text(folder / "labels.npy", header + bytes);
        return parse_bucket_rule("labels:" + (folder / "labels.npy").string(), KeyType::u32, {}, 3);
    };
    using Labels = std::vector<std::uint32_t>;
    EXPECT_EQ(labels("|u1", std::string("\2\377\7", 3))->labels, (Labels{2, 255, 7}));
    EXPECT_EQ(labels("<u2", std::string("\2\0\1\1\7\0", 6))->labels, (Labels{2, 257, 7}));
    EXPECT_EQ(labels("<u4", std::string("\2\0\0\0\1\0\0\0\7\0\0\0", 12))->labels,
              (Labels{2, 1, 7}));
    for (auto const& [descriptor, bytes] :
         {std::pair{"|u1", 2}, {"|u1", 4}, {"<u2", 5}, {"<i2", 6}, {">u2", 6}, {"|i1", 3}}) {
        EXPECT_FALSE(labels(descriptor, std::string(static_cast<std::size_t>(bytes), '\1')))
            << descriptor;
    }
}

TEST(BucketRuleText, WrongRulesAreRefused) {
    for (char const* const text : {"",
                                   "delta:3",
                                   "digit",
                                   "digit:8",
                                   "digit:30:8",
                                   "hash",
                                   "hash:x",
                                   "splitters:",
                                   "labels",
                                   "primes",
                                   "splitters:/nowhere.csv"}) {
        auto const given = parse_bucket_rule(text, KeyType::u32, 4, 0);
        EXPECT_FALSE(given) << text;
        EXPECT_FALSE(given.error().remedy.empty()) << text;
    }
    EXPECT_FALSE(parse_bucket_rule("delta", KeyType::u32, {}, 0));
    EXPECT_FALSE(parse_bucket_rule("delta", KeyType::u32, 0, 0));
    EXPECT_EQ(parse_bucket_rule("digit:24:8", KeyType::u32, {}, 0)->function,
              digit_function(24, 8));
}

} // namespace
} // namespace keyswap::model
