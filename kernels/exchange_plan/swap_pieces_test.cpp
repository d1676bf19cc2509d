#include "kernels/exchange_plan/swap_pieces.hpp"

#include "traces/records/digest.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace keyswap::kernels {
namespace {

/// Keys of several GPUs, their buckets after digit passes, and the tree that counts them.
struct PiecesExample {
    KeyShape shape;
    PlacementRule rule;
    std::vector<std::vector<WideImage>> chunks; ///< [g] ascending
    std::vector<WideImage> sorted;
    std::vector<FinalBucket> buckets;
    DigitTree tree;
    bool has_all = true; ///< true if the tree contains all refined buckets
    std::vector<std::uint64_t> counts;

    PiecesExample(KeyShape key_shape, std::vector<std::vector<WideImage>> keys)
        : shape(key_shape), chunks(std::move(keys)), tree(key_shape) {
        for (auto& chunk : chunks) {
            std::ranges::sort(chunk);
            sorted.insert(sorted.end(), chunk.begin(), chunk.end());
        }
        std::ranges::sort(sorted);
        rule.gpu_count = static_cast<std::uint32_t>(chunks.size());
        rule.chunk_size = (sorted.size() + chunks.size() - 1) / chunks.size();
        rule.tolerance = rule.chunk_size / 100;
        refine({0, 0});
        std::vector<std::uint64_t> sample;
        for (std::size_t i = 0; i < 256; ++i) {
            auto const& chunk = chunks[i % chunks.size()];
            sample.push_back(static_cast<std::uint64_t>(chunk[mix_bits(i) % chunk.size()]));
        }
        std::ranges::sort(sample);
        tree.grow(sample, 4);
        for (auto const& chunk : chunks) {
            std::vector<std::uint64_t> row(tree.entries());
            for (std::size_t node = 0; node < tree.size(); ++node) {
                for (std::uint32_t digit = 0; digit < 1U << tree.child_bits(node); ++digit) {
                    row[tree.entry(node, digit)] = count_in(chunk, tree.child_images(node, digit));
                }
            }
            counts.insert(counts.end(), row.begin(), row.end());
        }
    }

    /// \param keys ascending
    static std::uint64_t count_in(std::vector<WideImage> const& keys, ImageRange images) {
        return static_cast<std::uint64_t>(std::ranges::upper_bound(keys, images.highest) -
                                          std::ranges::lower_bound(keys, images.lowest));
    }

  private:
    void refine(BucketPrefix bucket) {
        if (bucket.pass > 0) {
            has_all = has_all && tree.add(bucket);
        }
        int const bits = shape.bits_of(bucket.pass + 1);
        for (std::uint32_t digit = 0; digit < 1U << bits; ++digit) {
            BucketPrefix const child = child_of(bucket, bits, digit);
            ImageRange const images = images_of_digits(child, shape);
            auto const begin = std::ranges::lower_bound(sorted, images.lowest) - sorted.begin();
            auto const end = std::ranges::upper_bound(sorted, images.highest) - sorted.begin();
            if (begin == end) {
                continue;
            }
            auto const gpus = place_bucket(
                rule, static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end));
            if (gpus.first != gpus.last && !images.is_one_value()) {
                refine(child);
                continue;
            }
            FinalBucket& final = buckets.emplace_back();
            final.placement.bucket = child;
            final.placement.begin = static_cast<std::uint64_t>(begin);
            final.placement.end = static_cast<std::uint64_t>(end);
            final.placement.first = GpuId{gpus.first};
            final.placement.last = GpuId{gpus.last};
            final.images = images;
        }
    }
};

/// Finds a key's label by its digits, like the kernels.
std::size_t label_of(WideImage key,
                     RangeTable const& table,
                     std::span<ScatterLabel const> labels,
                     KeyShape shape) {
    std::uint32_t entry = 0;
    int pass = 1;
    do {
        std::size_t const digit = (static_cast<std::size_t>(key >> shape.bits_below(pass)) &
                                   ((std::size_t{1} << shape.bits_of(pass)) - 1))
                                  << (shape.digit_bits - shape.bits_of(pass));
        std::size_t const node = entry & LabelEntry::number_mask;
        entry = table.entries[(node << shape.digit_bits) + digit];
        ++pass;
    } while ((entry & LabelEntry::node_bit) != 0);
    std::size_t label = entry & LabelEntry::number_mask;
    while ((entry & LabelEntry::search_bit) != 0 && label + 1 < labels.size() &&
           labels[label + 1].lowest <= key) {
        ++label;
    }
    return label;
}

void expect_fitting_pieces(PiecesExample const& example, std::size_t most) {
    auto const pieces = swap_pieces(example.tree, example.counts, example.buckets, most);
    ASSERT_LE(pieces.size(), most);
    ASSERT_FALSE(pieces.empty());
    std::uint64_t position = 0;
    std::vector<std::uint64_t> sent(example.chunks.size());
    std::vector<ScatterLabel> labels;
    for (SwapPiece const& piece : pieces) {
        ImageRange const images = piece.keys.images;
        PlacementRecord const& placement = piece.keys.placement;
        ASSERT_EQ(placement.begin, position);
        position = placement.end;
        ASSERT_EQ(placement.end - placement.begin, PiecesExample::count_in(example.sorted, images));
        ASSERT_GT(placement.end, placement.begin);
        for (std::size_t gpu = 0; gpu < example.chunks.size(); ++gpu) {
            ASSERT_EQ(piece.keys.parts[gpu].offset, sent[gpu]);
            ASSERT_EQ(piece.keys.parts[gpu].count,
                      PiecesExample::count_in(example.chunks[gpu], images));
            sent[gpu] += piece.keys.parts[gpu].count;
        }
        // The piece has the owner of all its buckets, or is a cut bucket.
        ASSERT_LT(piece.first_bucket, piece.end_bucket);
        for (std::size_t i = piece.first_bucket; i < piece.end_bucket; ++i) {
            ASSERT_LE(example.buckets[i].images.lowest, images.highest);
            ASSERT_GE(example.buckets[i].images.highest, images.lowest);
            ASSERT_EQ(example.buckets[i].placement.first, placement.first);
            ASSERT_EQ(example.buckets[i].placement.last, placement.last);
        }
        if (placement.first != placement.last) {
            ASSERT_TRUE(images.is_one_value());
        }
        labels.push_back({images.lowest, 0});
    }
    ASSERT_EQ(position, example.sorted.size());
    RangeTable const table = range_table(labels, example.tree);
    ASSERT_LE(table.nodes, label_nodes_max);
    for (WideImage const key : example.sorted) {
        std::size_t const label = label_of(key, table, labels, example.shape);
        ASSERT_LE(pieces[label].keys.images.lowest, key);
        ASSERT_GE(pieces[label].keys.images.highest, key);
    }
}

TEST(SwapPieces, HoldEachKeyOnceAndHaveOneOwner) {
    int grown = 0;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        std::mt19937_64 random{seed};
        KeyShape shape;
        shape.digit_bits = 1 + static_cast<int>(random() % 8);
        shape.key_bits = random() % 2 == 0 ? 32 : 64;
        std::vector<std::vector<WideImage>> chunks(2 + random() % 4);
        std::size_t const keys = 1 + random() % 3000;
        int const kind = static_cast<int>(random() % 4);
        for (auto& chunk : chunks) {
            for (std::size_t i = 0; i < keys; ++i) {
                // Uniform; log-uniform; few values; one value and a few others.
                std::uint64_t key = random() >> (64 - shape.key_bits);
                if (kind == 1) {
                    key >>= random() % static_cast<std::uint64_t>(shape.key_bits);
                } else if (kind == 2) {
                    key %= 7;
                } else if (kind == 3 && random() % 8 != 0) {
                    key = std::uint64_t{1} << (shape.key_bits / 2);
                }
                chunk.push_back(key);
            }
        }
        PiecesExample const example{shape, std::move(chunks)};
        if (!example.has_all) {
            continue;
        }
        grown += example.tree.size() > 1 ? 1 : 0;
        SCOPED_TRACE(seed);
        // Borders alone may require several pieces for each of their digits.
        std::size_t const least = 64 * example.chunks.size() * 2 + 8;
        ASSERT_NO_FATAL_FAILURE(expect_fitting_pieces(example, std::max<std::size_t>(512, least)));
    }
    EXPECT_GT(grown, 100);
}

TEST(SwapPieces, CrowdWhereFewOfTheirChildrenHaveMuchOfTheSample) {
    SwapPiece piece;
    piece.keys.images = {1U << 20, (2U << 20) - 1}; // children of 2^11 images
    std::vector<std::uint64_t> even;
    std::vector<std::uint64_t> crowded;
    for (std::uint64_t i = 0; i < 400; ++i) {
        even.push_back((1U << 20) + i * 2621);
        crowded.push_back((1U << 20) + i % 4 * 100'000 + i);
    }
    std::ranges::sort(crowded);
    EXPECT_FALSE(is_crowded({&piece, 1}, even));
    EXPECT_TRUE(is_crowded({&piece, 1}, crowded));
    piece.keys.images = {1U << 20, 1U << 20}; // a single value needs no sort
    EXPECT_FALSE(is_crowded({&piece, 1}, std::vector<std::uint64_t>(400, 1U << 20)));
}

TEST(Sample, TellsThatABorderLiesDeepInABucket) {
    KeyShape const shape{32, 8};
    std::vector<std::uint64_t> even;
    std::vector<std::uint64_t> low;
    for (std::uint64_t i = 0; i < 1024; ++i) {
        even.push_back(i << 22);
        low.push_back(i << 10);
    }
    EXPECT_FALSE(spans_border(even, shape, 2, 0.01));
    EXPECT_TRUE(spans_border(low, shape, 2, 0.01));
    EXPECT_FALSE(spans_border({}, shape, 2, 0.01));
    std::vector<std::uint64_t> halves(512, 7);
    halves.insert(halves.end(), 512, std::uint64_t{1} << 31);
    EXPECT_FALSE(spans_border(halves, shape, 2, 0.01));
    EXPECT_TRUE(spans_border(halves, shape, 3, 0.01));
}

TEST(DigitTree, GrowsWhereTheSampleIs) {
    KeyShape const shape{32, 8};
    DigitTree tree{shape};
    std::vector<std::uint64_t> sample(90, 0x00000007);
    sample.insert(sample.end(), 10, 0x12345678);
    tree.grow(sample, 11);
    ASSERT_EQ(tree.size(), 4U); // nodes 00, 0000, 000000; single values are not nodes
    EXPECT_EQ(tree.bucket(3), (BucketPrefix{3, 0}));
    EXPECT_EQ(tree.child(0, 0x12), 0U);
    EXPECT_EQ(tree.child_images(3, 7), (ImageRange{7, 7}));
    tree.grow(sample, 10);
    EXPECT_EQ(tree.size(), 7U);
    EXPECT_TRUE(tree.find({3, 0x123456}).has_value());
    EXPECT_EQ(tree.place(*tree.find({1, 0x12})).digit, 0x12U);
}

TEST(SwapPieces, AreNoneWhereBordersAloneMakeMore) {
    std::vector<std::vector<WideImage>> chunks(4);
    for (std::size_t i = 0; i < 4'000; ++i) {
        chunks[i % 4].push_back(i * 1'000'003 % (WideImage{1} << 32));
    }
    PiecesExample const example{KeyShape{32, 8}, std::move(chunks)};
    EXPECT_FALSE(swap_pieces(example.tree, example.counts, example.buckets, 40).empty());
    EXPECT_TRUE(swap_pieces(example.tree, example.counts, example.buckets, 3).empty());
}

TEST(DigitTree, SaysWhereThereIsNoRoom) {
    DigitTree tree{KeyShape{32, 8}};
    for (std::uint64_t digit = 0; digit + 1 < digit_nodes_max; ++digit) {
        ASSERT_TRUE(tree.add({1, digit}));
    }
    EXPECT_TRUE(tree.add({1, 0}));
    EXPECT_FALSE(tree.add({1, 200}));
    EXPECT_EQ(tree.size(), digit_nodes_max);
}

TEST(SwapPieces, AreAsManyAsOneLevelDividesIntoLeaves) {
    EXPECT_EQ(swap_pieces_for(1'000'000'000, 16384), 256U); // 7.7 million keys per level
    EXPECT_EQ(swap_pieces_for(1'000'000'000, 8192), 394U);  // 3.8 million
    EXPECT_EQ(swap_pieces_for(4'000'000'000, 8192), 400U);  // more pieces would slow the scatter
    EXPECT_EQ(swap_pieces_for(0, 8192), 256U);
}

} // namespace
} // namespace keyswap::kernels
