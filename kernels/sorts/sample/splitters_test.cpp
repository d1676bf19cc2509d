#include "kernels/sorts/sample/splitters.hpp"

#include "kernels/exchange_plan/segment_levels.hpp"
#include "kernels/primitives/leaves/leaf_sizes.hpp"
#include "kernels/primitives/steps/search_tree.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace keyswap::kernels {
namespace {

constexpr std::uint32_t largest_word = std::numeric_limits<std::uint32_t>::max();

std::vector<WideImage> images_of(SplitterBuckets const& splitters) {
    std::vector<WideImage> images;
    for (KeyImage const& image : splitters.splitters) {
        images.push_back(wide_image(image));
    }
    return images;
}

TEST(Splitters, AreTheLastKeysOfEqualShares) {
    // 12 keys, 4 ways: picks 3, 6 and 9 of 12.
    std::vector<WideImage> sample;
    for (std::uint64_t i = 1; i <= 12; ++i) {
        sample.push_back(10 * i);
    }
    BucketFunction const function = dividing_function({0, largest_word}, sample, 4);
    auto const& splitters = std::get<SplitterBuckets>(function.rule);
    EXPECT_EQ(images_of(splitters), (std::vector<WideImage>{30, 60, 90}));
    EXPECT_EQ(splitters.equality, (std::vector<bool>{false, false, false}));
    EXPECT_EQ(function.buckets, 4U);
}

TEST(Splitters, GiveAValueThatWasPickedTwiceABucketOfItsOwn) {
    std::vector<WideImage> const sample{1, 5, 5, 5, 5, 5, 7, 9}; // picks 5, 5, 5; not the 9
    BucketFunction const function = dividing_function({0, largest_word}, sample, 4);
    auto const& splitters = std::get<SplitterBuckets>(function.rule);
    EXPECT_EQ(images_of(splitters), (std::vector<WideImage>{5}));
    EXPECT_EQ(splitters.equality, (std::vector<bool>{true}));
    EXPECT_EQ(function.buckets, 3U);
    auto const edges = lower_edges(function, 32);
    EXPECT_EQ(edges, (std::vector<WideImage>{5, 6}));
    EXPECT_TRUE(child_range({0, largest_word}, edges, 1).is_one_value());
}

TEST(Splitters, OfFewKeysAreAllOfThem) {
    std::vector<WideImage> const sample{4, 8};
    auto const function = dividing_function({0, largest_word}, sample, 256);
    EXPECT_EQ(images_of(std::get<SplitterBuckets>(function.rule)), (std::vector<WideImage>{4, 8}));
    // A single splitter without one would leave the bucket as large as before.
    auto const one = dividing_function({0, largest_word}, std::vector<WideImage>{4}, 256);
    EXPECT_EQ(std::get<SplitterBuckets>(one.rule).equality, (std::vector<bool>{true}));
}

TEST(Splitters, WithoutASampleAreRangesOfEqualWidth) {
    auto const function = dividing_function({100, 199}, {}, 8);
    EXPECT_EQ(function, (BucketFunction{8, DeltaBuckets{{0, 100}, {0, 13}}}));
    auto const edges = lower_edges(function, 32);
    EXPECT_EQ(edges, (std::vector<WideImage>{113, 126, 139, 152, 165, 178, 191}));
    EXPECT_EQ(child_range({100, 199}, edges, 7), (ImageRange{191, 199}));
    // Ranges of one image each; ranges above the largest image have no edge.
    auto const narrow = dividing_function({largest_word - 2, largest_word}, {}, 8);
    EXPECT_EQ(lower_edges(narrow, 32).size(), 2U);
    EXPECT_TRUE(child_range({largest_word - 2, largest_word}, lower_edges(narrow, 32), 5).empty());
}

TEST(Splitters, MakeNoMoreBucketsThanWaysOrThreeAndAllSmallerThanTheirParent) {
    std::mt19937_64 random{7};
    for (int round = 0; round < 2'000; ++round) {
        auto const ways = static_cast<std::uint32_t>(2 + random() % 255);
        std::uint64_t const values = 1 + random() % (round % 2 == 0 ? 4 : 1'000);
        std::vector<WideImage> sample(1 + random() % 600);
        for (WideImage& image : sample) {
            std::uint64_t const value = random() % values;
            image = round % 3 == 0 ? largest_word - value : value; // both ends of the image range
        }
        std::ranges::sort(sample);
        ImageRange const whole = all_images(32);
        auto const function = dividing_function(whole, sample, ways);
        EXPECT_LE(function.buckets, std::max(ways, 3U));
        auto const edges = lower_edges(function, 32);
        EXPECT_LT(edges.size(), tree_words);
        // Children are contiguous, and none contains the whole sample.
        WideImage next = 0;
        for (std::uint32_t child = 0; child < function.buckets; ++child) {
            ImageRange const range = child_range(whole, edges, child);
            if (range.empty()) {
                continue;
            }
            EXPECT_EQ(range.lowest, next);
            next = range.highest + 1;
            bool const has_all = range.lowest <= sample.front() && sample.back() <= range.highest;
            EXPECT_TRUE(!has_all || range.is_one_value());
        }
        EXPECT_EQ(next, WideImage{largest_word} + 1);
    }
}

TEST(Splitters, Of128BitsDifferByEitherHalf) {
    ImageRange const whole = all_images(128);
    EXPECT_EQ(whole.highest, ~WideImage{0});
    EXPECT_EQ(whole.end_bit(), 128);
    EXPECT_EQ((ImageRange{wide_image({1, 4}), wide_image({1, 7})}.end_bit()), 2);
    // Repeated lower halves, and the largest image of all.
    std::vector<WideImage> const sample{
        wide_image({1, 7}), wide_image({2, 7}), wide_image({2, 7}), ~WideImage{0}, ~WideImage{0}};
    auto const function = dividing_function(whole, sample, 256);
    auto const& splitters = std::get<SplitterBuckets>(function.rule);
    EXPECT_EQ(images_of(splitters),
              (std::vector<WideImage>{wide_image({1, 7}), wide_image({2, 7}), ~WideImage{0}}));
    EXPECT_EQ(splitters.equality, (std::vector<bool>{false, true, true}));
    EXPECT_EQ(lower_edges(function, 128),
              (std::vector<WideImage>{
                  wide_image({1, 8}), wide_image({2, 7}), wide_image({2, 8}), ~WideImage{0}}));
    // 2^128 images in 3 ranges: the width is 2^128 / 3, rounded up.
    auto const ranges = dividing_function(whole, {}, 3);
    WideImage const third = wide_image({0x5555555555555555ULL, 0x5555555555555556ULL});
    EXPECT_EQ(ranges, (BucketFunction{3, DeltaBuckets{{0, 0}, key_image(third)}}));
    EXPECT_EQ(lower_edges(ranges, 128), (std::vector<WideImage>{third, 2 * third}));
}

TEST(Splitters, DrawLaterPassesFromAllKeysWithASeedOfTheirOwn) {
    SampleParameters const parameters{128, 30, 5};
    EXPECT_EQ(draws_of_pass(parameters, 1, 10), 128U * 30);
    EXPECT_EQ(draws_of_pass(parameters, 2, 10), 640U);
    EXPECT_EQ(draws_of_pass(parameters, 3, 1'000'000'000), std::uint64_t{1} << 18);
    EXPECT_EQ(seed_of_pass(parameters, 1), 5U);
    EXPECT_NE(seed_of_pass(parameters, 2), seed_of_pass(parameters, 3));
    EXPECT_EQ(child_bits_of(parameters), 7);
    EXPECT_EQ(child_bits_of({2, 1, 1}), 2); // an equality bucket makes three children of two
    EXPECT_EQ(passes_max_of({256, 32, 1}), 8);
}

TEST(SearchTree, CountsTheEdgesThatAreNotAboveAnImage) {
    std::mt19937_64 random{3};
    for (std::uint32_t count = 0; count < tree_words; ++count) {
        std::vector<std::uint32_t> edges(count);
        for (std::uint32_t& edge : edges) {
            edge = static_cast<std::uint32_t>(random());
        }
        std::ranges::sort(edges);
        if (count > 2) {
            edges[0] = 0; // an equality bucket of the smallest image, and a child without images
            edges[count - 1] = largest_word;
        }
        std::uint32_t tree[tree_words];
        for (std::uint32_t node = 0; node < tree_words; ++node) {
            tree[node] = tree_word(edges.data(), count, node);
        }
        std::vector<std::uint32_t> images{0, 1, largest_word - 1, largest_word};
        for (std::uint32_t const edge : edges) {
            images.insert(images.end(), {edge - 1, edge, edge + 1});
        }
        for (std::uint32_t const image : images) {
            auto const expected =
                std::ranges::count_if(edges, [image](std::uint32_t edge) { return edge <= image; });
            ASSERT_EQ(child_in_tree(tree, image), expected) << count << " edges, " << image;
        }
    }
}

TEST(SearchTree, ComparesAllBitsOfWideImages) {
    std::vector<WideImage> const edges{
        1, wide_image({0, ~0ULL}), wide_image({1, 0}), ~WideImage{0}};
    WideImage tree[tree_words];
    for (std::uint32_t node = 0; node < tree_words; ++node) {
        tree[node] = tree_word(edges.data(), 4, node);
    }
    EXPECT_EQ(child_in_tree(tree, WideImage{0}), 0U);
    EXPECT_EQ(child_in_tree(tree, WideImage{1}), 1U);
    EXPECT_EQ(child_in_tree(tree, wide_image({0, ~0ULL})), 2U);
    EXPECT_EQ(child_in_tree(tree, wide_image({1, 0})), 3U);
    EXPECT_EQ(child_in_tree(tree, ~WideImage{0} - 1), 3U);
    EXPECT_EQ(child_in_tree(tree, ~WideImage{0}), 4U);
}

TEST(LeafSizes, AscendAndFitABlocksSharedMemory) {
    for (int const key_bytes : {4, 8, 16}) {
        for (int const value_bytes : {0, 4, 8}) {
            LeafSizes const sizes = leaf_sizes(key_bytes, value_bytes);
            EXPECT_TRUE(std::ranges::is_sorted(sizes));
            // Elements, and as many begins of bins. CUB's merge sort stores one more key.
            auto const bytes = static_cast<std::uint32_t>(key_bytes + value_bytes);
            EXPECT_LE((sizes.back() + 1) * (bytes + 4), 227U * 1024 / 2 + 16'384U);
        }
    }
    EXPECT_EQ(leaf_sizes(4, 0), (LeafSizes{1'024, 2'048, 4'096, 5'120, 6'144, 8'192, 16'384}));
    EXPECT_EQ(leaf_sizes(4, 4), (LeafSizes{1'024, 2'048, 4'096, 5'120, 6'144, 8'192, 8'192}));
    EXPECT_EQ(leaf_sizes(8, 8), (LeafSizes{512, 1'024, 2'048, 2'560, 3'072, 4'096, 4'096}));
    EXPECT_EQ(leaf_sizes(16, 0), (LeafSizes{288, 896, 1'152, 1'408, 2'304, 2'304, 2'304}));
}

TEST(SortNames, OfWideKeysAreAmongAll) {
    EXPECT_FALSE(wide_gpu_sorts().empty());
    for (std::string_view const name : wide_gpu_sorts()) {
        AlgorithmChoice const choice = choose(name, std::nullopt).value();
        EXPECT_TRUE(runs_on_gpus(*choice.algorithm, KeyType::u32));
        EXPECT_TRUE(check_key_type(*choice.algorithm, KeyType::b128));
    }
    EXPECT_FALSE(runs_on_gpus(*choose("rmg", std::nullopt)->algorithm, KeyType::u128));
}

TEST(LocalWays, LeaveLeavesHalfFullOnAverageInLevelsOfEqualWays) {
    EXPECT_EQ(local_ways(8'193, 8'192), 2U);         // 4,096 keys each
    EXPECT_EQ(local_ways(8'192 * 16, 8'192), 32U);   // 4,096 keys each
    EXPECT_EQ(local_ways(8'192 * 128, 8'192), 256U); // the most that one level makes
    EXPECT_EQ(local_ways(8'192 * 256, 8'192), 32U);  // 512 leaves: 32 times 16
    EXPECT_EQ(local_ways(std::uint64_t{1} << 28, 8'192), 256U);
    EXPECT_EQ(local_ways(1'000'000'000, 8'192), 64U); // 2^18 leaves in three levels
}

// Segments of a level vary by a fifth around their mean, which is a power of two if the input's
// size is one.
TEST(LocalWays, DivideSegmentsOfAboutTheSameSizeAlike) {
    for (std::uint64_t const segment : {1U << 17, 1U << 18, 1U << 19, 1U << 20}) {
        for (std::uint64_t const tenths : {8, 9, 11, 12}) {
            EXPECT_EQ(local_ways(segment * tenths / 10 - 1, 8'192), local_ways(segment, 8'192))
                << segment << " times " << tenths << " / 10";
        }
    }
}

} // namespace
} // namespace keyswap::kernels
