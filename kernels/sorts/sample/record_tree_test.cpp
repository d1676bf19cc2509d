#include "kernels/sorts/sample/record_tree.hpp"

#include "kernels/exchange_plan/segment_levels.hpp"
#include "kernels/sorts/sample/record_shape.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace keyswap::kernels {
namespace {

/// Entries may compare equal but differ.
struct Entry {
    int key = 0;
    int id = 0;
};
struct ByKey {
    bool operator()(Entry const& a, Entry const& b) const { return a.key < b.key; }
};

std::vector<Entry> entries_of(std::vector<int> const& keys) {
    std::vector<Entry> entries;
    entries.reserve(keys.size());
    for (int const key : keys) {
        entries.push_back({key, static_cast<int>(entries.size())});
    }
    return entries;
}

std::vector<PickRole> roles_of(std::vector<Entry> const& picks) {
    std::vector<PickRole> roles;
    auto const count = static_cast<std::uint32_t>(picks.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        roles.push_back(role_of_pick(picks.data(), count, i, ByKey{}));
    }
    return roles;
}

/// Filled like the kernel does, one pick after the other.
struct Division {
    std::unique_ptr<RecordTree<Entry>> tree = std::make_unique<RecordTree<Entry>>();
    std::set<std::uint32_t> one_value; ///< indices of children with equal records
    std::uint32_t children = 0;
};

Division divide_by(std::vector<Entry> const& picks) {
    Division made;
    std::vector<Entry> splitters;
    std::vector<PickRole> const roles = roles_of(picks);
    for (std::size_t i = 0; i < picks.size(); ++i) {
        if (roles[i] == PickRole::repeats) {
            continue;
        }
        bool const has_bucket = roles[i] == PickRole::splitter_and_bucket;
        made.tree->children[splitters.size()] = static_cast<std::uint16_t>(
            made.children | (has_bucket ? RecordTree<Entry>::has_bucket : 0U));
        if (has_bucket) {
            made.one_value.insert(made.children + 1);
        }
        made.children += has_bucket ? 2 : 1;
        splitters.push_back(picks[i]);
    }
    auto const count = static_cast<std::uint32_t>(splitters.size());
    made.tree->children[count] = static_cast<std::uint16_t>(made.children);
    ++made.children;
    made.tree->splitters = count;
    made.tree->levels = levels_of_tree(count);
    for (std::uint32_t node = 1; node < 1U << made.tree->levels; ++node) {
        made.tree->nodes[node] = splitters[splitter_of_node(node, count)];
    }
    return made;
}

std::uint32_t child_of(Division const& division, Entry const& entry) {
    TreeWalk walk;
    for (std::uint32_t level = 0; level < division.tree->levels; ++level) {
        walk = next_level(walk, *division.tree, entry, ByKey{});
    }
    return child_of_record(walk, *division.tree, entry, ByKey{});
}

std::vector<Entry> picks_of(std::vector<Entry> const& entries, std::uint32_t ways) {
    constexpr std::uint32_t oversampling = 4;
    std::vector<Entry> sample;
    for (std::uint32_t draw = 0; draw < ways * oversampling; ++draw) {
        sample.push_back(entries[sample_position(0, entries.size(), draw)]);
    }
    std::sort(sample.begin(), sample.end(), ByKey{});
    std::vector<Entry> picks;
    for (std::uint32_t i = 1; i < ways; ++i) {
        picks.push_back(sample[i * oversampling - 1]);
    }
    return picks;
}

TEST(RecordPicks, OfOneRecordEachAreSplitters) {
    EXPECT_EQ(roles_of(entries_of({3, 5, 9})), (std::vector<PickRole>(3, PickRole::splitter)));
}

TEST(RecordPicks, ThatComeTwiceGetABucketOfTheirOwn) {
    EXPECT_EQ(roles_of(entries_of({3, 5, 5, 5, 9, 9})),
              (std::vector<PickRole>{PickRole::splitter,
                                     PickRole::splitter_and_bucket,
                                     PickRole::repeats,
                                     PickRole::repeats,
                                     PickRole::splitter_and_bucket,
                                     PickRole::repeats}));
}

TEST(RecordPicks, ThatAreAloneGetABucketOfTheirOwn) {
    EXPECT_EQ(roles_of(entries_of({7})), (std::vector<PickRole>{PickRole::splitter_and_bucket}));
}

TEST(RecordTree, TakesWhatASplitterEqualsToTheLeftOrToItsBucket) {
    // Up to 3, below 5, 5, up to 9, above.
    Division const division = divide_by(entries_of({3, 5, 5, 9}));
    EXPECT_EQ(division.children, 5U);
    EXPECT_EQ(division.one_value, (std::set<std::uint32_t>{2}));
    std::vector<std::uint32_t> children;
    for (int const key : {1, 3, 4, 5, 6, 9, 10}) {
        children.push_back(child_of(division, {key, -1}));
    }
    EXPECT_EQ(children, (std::vector<std::uint32_t>{0, 0, 1, 2, 3, 3, 4}));
}

TEST(RecordTree, OfAnyNumberOfSplittersFindsTheNumberOfThoseBelow) {
    for (int splitters = 1; splitters < 256; ++splitters) {
        std::vector<int> keys(static_cast<std::size_t>(splitters));
        for (int i = 0; i < splitters; ++i) {
            keys[static_cast<std::size_t>(i)] = 10 * (i + 1);
        }
        Division const division = divide_by(entries_of(keys));
        bool const is_alone = splitters == 1;
        ASSERT_EQ(division.children, static_cast<std::uint32_t>(splitters) + (is_alone ? 2 : 1));
        for (int key = 5; key <= 10 * splitters + 5; key += 5) {
            auto const below = static_cast<std::uint32_t>((key - 1) / 10);
            std::uint32_t const expected =
                is_alone ? (key < 10    ? 0
                            : key == 10 ? 1
                                        : 2)
                         : std::min(below, static_cast<std::uint32_t>(splitters));
            ASSERT_EQ(child_of(division, {key, -1}), expected) << splitters << " " << key;
        }
    }
}

/// Guarantees that sample sort terminates for any records.
TEST(RecordTree, MakesChildrenInOrderThatAreSmallerOrHoldOneValue) {
    std::mt19937 random{1}; // any seed: the properties hold for all
    for (int round = 0; round < 400; ++round) {
        auto const values = static_cast<int>(1U << random() % 12);
        std::size_t const count = 1 + random() % 3000;
        std::vector<int> keys(count);
        std::generate(keys.begin(), keys.end(), [&] {
            return static_cast<int>(random() % static_cast<unsigned>(values));
        });
        auto const entries = entries_of(keys);
        std::uint32_t const ways = 2U << random() % 8;
        Division const division = divide_by(picks_of(entries, ways));
        ASSERT_LE(division.children, std::max(ways, 3U));
        std::vector<std::vector<int>> children(division.children);
        for (Entry const& entry : entries) {
            std::uint32_t const child = child_of(division, entry);
            ASSERT_LT(child, division.children);
            children[child].push_back(entry.key);
        }
        int last = -1; // largest key so far
        for (std::uint32_t child = 0; child < division.children; ++child) {
            std::set<int> const distinct(children[child].begin(), children[child].end());
            if (distinct.empty()) {
                continue;
            }
            ASSERT_LT(last, *distinct.begin());
            last = *distinct.rbegin();
            if (division.one_value.contains(child)) {
                ASSERT_EQ(distinct.size(), 1U);
            } else {
                ASSERT_LT(children[child].size(), count) << "one child holds all " << count;
            }
        }
    }
}

TEST(RecordSamples, LieInTheirSegmentAndAreSpread) {
    constexpr std::uint64_t begin = 1'000;
    constexpr std::uint64_t count = 64;
    constexpr std::uint32_t draws = 64'000;
    std::vector<int> hits(count);
    for (std::uint32_t draw = 0; draw < draws; ++draw) {
        std::uint64_t const position = sample_position(begin, count, draw);
        ASSERT_GE(position, begin);
        ASSERT_LT(position, begin + count);
        ++hits[position - begin];
    }
    // 1,000 each on average; fails at 7 standard deviations.
    EXPECT_GT(*std::min_element(hits.begin(), hits.end()), 780);
    EXPECT_LT(*std::max_element(hits.begin(), hits.end()), 1'220);
}

TEST(RecordShapes, FitWhatABlockHas) {
    constexpr std::size_t static_shared_bytes = 48 * 1024;
    constexpr std::size_t shared_bytes = 227 * 1024; // per block, sm_90
    for (std::size_t bytes = 1; bytes <= record_bytes_max; ++bytes) {
        auto const blocks = record_leaf_blocks(bytes);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            ASSERT_EQ(blocks[i].items % 2, 1) << bytes;
            ASSERT_LT((blocks[i].size() + 1) * bytes, static_shared_bytes) << bytes;
            ASSERT_TRUE(i == 0 || blocks[i - 1].size() < blocks[i].size()) << bytes;
        }
        auto const sizes = record_leaf_sizes(bytes);
        EXPECT_EQ(sizes.back(), blocks.back().size());
        // Kernels store a label's rank in 16 bits.
        ASSERT_LE(record_tile_size(bytes), 1U << 16) << bytes;
        ASSERT_EQ(record_tile_size(bytes) % 16, 0U) << bytes;
        std::uint32_t const sample = record_sample_threads * record_sample_items(bytes);
        ASSERT_GE(sample, tree_words * record_oversampling(bytes)) << bytes;
        ASSERT_LE((sample + 1 + tree_words) * bytes, shared_bytes) << bytes;
    }
    EXPECT_EQ(record_tile_size(16) * 16, 48U * 1024);
    EXPECT_EQ(record_leaf_sizes(16).back(), 2304U);
}

/// 2^26 records of 16 bytes: leaves of 1,024 on average, after two levels.
TEST(RecordShapes, DivideAGigabyteOf16ByteRecordsInTwoLevels) {
    std::uint32_t const leaf = record_shape(16).leaf_max();
    std::uint64_t const count = std::uint64_t{1} << 26;
    EXPECT_EQ(local_ways(count, leaf), 256U);
    EXPECT_EQ(local_ways(count / 256, leaf), 256U);
}

TEST(RecordWords, AreTheWidestThatDivideARecord) {
    EXPECT_EQ(record_word_bytes(16), 16U);
    EXPECT_EQ(record_word_bytes(48), 16U);
    EXPECT_EQ(record_word_bytes(24), 8U);
    EXPECT_EQ(record_word_bytes(12), 4U);
    EXPECT_EQ(record_word_bytes(6), 2U);
    EXPECT_EQ(record_word_bytes(7), 1U);
    struct Two {
        std::uint64_t words[2];
    };
    struct Three {
        std::uint64_t words[3];
    };
    static_assert(alignof(RecordSlot<Two>) == 16);
    static_assert(sizeof(RecordSlot<Three>) == sizeof(Three));
    alignas(16) std::uint64_t words[3] = {};
    EXPECT_TRUE(is_aligned_to_words(&words[0], 16));
    EXPECT_FALSE(is_aligned_to_words(&words[1], 16));
    EXPECT_TRUE(is_aligned_to_words(&words[1], 24));
}

} // namespace
} // namespace keyswap::kernels
