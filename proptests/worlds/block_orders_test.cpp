/// \file Communication between blocks in every interleaving of their threads on a weak memory: the
/// look-back, using the kernels' own code, and models of the counters of unstable scatters and of
/// the split of shortest paths.

#include "kernels/primitives/steps/look_back.hpp"
#include "proptests/worlds/weak_memory.hpp"
#include "proptests/worlds/world_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <numeric>
#include <set>

namespace keyswap::proptests {
namespace {

using kernels::inclusive_flag;
using kernels::partial_flag;
using Count = std::uint32_t;

enum class Planted {
    nothing,
    all_inclusive,     ///< a tile's own count is published as inclusive
    plain_words,       ///< words of the look-back are not atomic
    first_unpublished, ///< the first tile's word is never published
    leftover,          ///< words or counters are not zeroed beforehand
    reverse_order,     ///< blocks that start first get the last tiles
    no_block_barrier,
    no_grid_barrier,
    separate_accesses,  ///< a load and a store instead of an atomic addition
    own_counters_zeroed ///< zeroes this launch's counters instead of the next launch's
};

SearchResult search_for(WeakProgram const& program,
                        std::vector<Word> const& where,
                        std::vector<std::uint64_t> const& expected) {
    return program.search([&](FinalWords const& end) {
        return std::ranges::equal(where, expected, {}, [&](Word word) { return end[word]; });
    });
}

void expect_right(std::string const& name, SearchResult const& result) {
    static WorldTable table("states of blocks");
    table.add(name, result.states);
    EXPECT_EQ(result.problem, "") << name;
}

/// The look-back's memory accesses, in one thread.
struct Words {
    WeakThread* own;
    std::vector<Word> words;
    Planted planted;

    [[nodiscard]] Count read(std::int64_t tile) const {
        return static_cast<Count>(own->load(words[static_cast<std::size_t>(tile)], Order::relaxed));
    }
    void write(std::uint32_t tile, Count word) const {
        own->store(
            words[tile], word, planted == Planted::plain_words ? Order::plain : Order::relaxed);
    }
    void publish(std::uint32_t tile, std::uint32_t first_tile, Count count) const {
        bool const is_inclusive = tile == first_tile || planted == Planted::all_inclusive;
        if (tile > 0 || planted != Planted::first_unpublished) {
            write(tile, count | (is_inclusive ? inclusive_flag<Count> : partial_flag<Count>));
        }
    }
};

std::uint64_t before_launch(Planted planted, std::uint64_t leftover) {
    return planted == Planted::leftover ? leftover : 0;
}

/// Four tiles with one label, one thread each. \param second_segment its first tile
SearchResult search_chain(Planted planted, std::uint32_t second_segment, std::size_t slots) {
    constexpr std::array<Count, 4> counts{2, 0, 1, 3};
    constexpr auto tiles = static_cast<std::uint32_t>(counts.size());
    WeakProgram program;
    auto const words =
        program.words("words", tiles, before_launch(planted, partial_flag<Count> + 5));
    auto const before = program.words("before", tiles);
    std::vector<std::uint64_t> expected;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
        std::uint32_t const first = tile < second_segment ? 0 : second_segment;
        expected.push_back(std::accumulate(&counts[first], &counts[tile], std::uint64_t{0}));
        std::size_t const block = planted == Planted::reverse_order ? tiles - 1 - tile : tile;
        program.add_thread({.block = block}, [=](WeakThread& own) {
            Words const access{&own, words, planted};
            access.publish(tile, first, counts[tile]);
            own.store(before[tile], kernels::look_back(access, tile, first, counts[tile]));
        });
    }
    program.set_slots(slots);
    return search_for(program, before, expected);
}

TEST(LookBack, FindsTheCountOfAllEarlierTiles) {
    expect_right("look-back", search_chain(Planted::nothing, 4, 4));
    expect_right("look-back, 2 segments", search_chain(Planted::nothing, 2, 4));
    EXPECT_EQ(search_chain(Planted::all_inclusive, 4, 4).problem, "wrong result");
    EXPECT_EQ(search_chain(Planted::plain_words, 4, 4).problem, "race at words[0]");
    EXPECT_EQ(search_chain(Planted::first_unpublished, 4, 4).problem, "stuck");
    EXPECT_EQ(search_chain(Planted::leftover, 4, 4).problem, "wrong result");
}

TEST(LookBack, NeedsBlocksThatStartInOrder) {
    for (std::size_t const slots : {1U, 2U}) {
        expect_right("look-back, 1 or 2 slots", search_chain(Planted::nothing, 4, slots));
        EXPECT_EQ(search_chain(Planted::reverse_order, 4, slots).problem, "stuck");
    }
    expect_right("look-back, reverse", search_chain(Planted::reverse_order, 4, 4));
}

struct Lanes {
    static constexpr int width = 2;
    WeakThread* own;
    int lane;

    [[nodiscard]] int index() const { return lane; }
    [[nodiscard]] std::uint32_t ballot(bool predicate) const {
        return static_cast<std::uint32_t>(own->sum(predicate ? 1U << lane : 0U));
    }
    [[nodiscard]] int first_of(std::uint32_t ballot) const { return std::countr_zero(ballot); }
    [[nodiscard]] Count sum(Count value) const { return static_cast<Count>(own->sum(value)); }
};

/// Tile i has count i + 1. Lane 0 publishes, as in the kernel.
SearchResult search_warps(Planted planted, std::uint32_t tiles) {
    WeakProgram program;
    auto const words = program.words("words", tiles);
    auto const before = program.words("before", tiles);
    std::vector<std::uint64_t> expected;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
        expected.push_back(tile * (tile + 1) / 2);
        for (int lane = 0; lane < Lanes::width; ++lane) {
            program.add_thread({.block = tile}, [=](WeakThread& own) {
                Words const access{&own, words, planted};
                if (lane == 0) {
                    access.publish(tile, 0, tile + 1);
                }
                Count const sum =
                    kernels::look_back_by_warp(access, Lanes{&own, lane}, tile, tile + 1);
                if (lane == 0) {
                    own.store(before[tile], sum);
                }
            });
        }
    }
    return search_for(program, before, expected);
}

TEST(LookBack, OfAWarpFindsTheCountOfAllEarlierTiles) {
    expect_right("look-back by warps", search_warps(Planted::nothing, 4));
    EXPECT_EQ(search_warps(Planted::all_inclusive, 4).problem, "wrong result");
    EXPECT_EQ(search_warps(Planted::plain_words, 2).problem, "race at words[0]");
    EXPECT_EQ(search_warps(Planted::first_unpublished, 3).problem, "stuck");
}

/// Two tiles with one key per label, of two labels; a block per tile, a one-thread warp per label.
void add_block_threads(WeakProgram& program, auto const& code) {
    for (std::uint32_t tile = 0; tile < 2; ++tile) {
        for (std::uint32_t label = 0; label < 2; ++label) {
            program.add_thread({.block = tile, .warp = label},
                               [=](WeakThread& own) { code(own, tile, label); });
        }
    }
}

/// Passes offsets through shared memory: each thread writes the key of the other thread's label.
/// \param offsets offsets of all tiles
void write_key(WeakThread& own,
               std::uint32_t tile,
               std::uint32_t label,
               std::uint64_t offset,
               std::vector<Word> const& offsets,
               std::vector<Word> const& keys,
               bool has_barrier) {
    own.store(offsets[2 * tile + label], offset);
    if (has_barrier) {
        own.barrier(Group::block);
    }
    std::uint32_t const other = 1 - label;
    own.store(keys[own.load(offsets[2 * tile + other])], 10 * (other + 1) + tile);
}

/// Follows StableTile and FusedTile.
SearchResult search_stable_scatter(Planted planted) {
    WeakProgram program;
    std::array const words{program.words("words 0", 2), program.words("words 1", 2)};
    auto const offsets = program.words("offsets", 4);
    auto const keys = program.words("keys", 4);
    add_block_threads(program, [=](WeakThread& own, std::uint32_t tile, std::uint32_t label) {
        Words const access{&own, words[label], planted};
        access.publish(tile, 0, 1);
        Count const before = kernels::look_back(access, tile, 0, Count{1});
        bool const has_barrier = planted != Planted::no_block_barrier;
        write_key(own, tile, label, 2 * label + before, offsets, keys, has_barrier);
    });
    return search_for(program, keys, {10, 11, 20, 21});
}

TEST(StableScatter, MovesEachKeyToItsPlace) {
    expect_right("stable scatter", search_stable_scatter(Planted::nothing));
    EXPECT_EQ(search_stable_scatter(Planted::no_block_barrier).problem, "race at offsets[0]");
}

/// Follows unstable_step_kernel, label_step and atomic_split: threads count in shared memory, then
/// reserve space for their tile by one atomic addition per label. Any order of tiles is correct.
SearchResult search_unstable_scatter(Planted planted) {
    WeakProgram program;
    auto const counters = program.words("counters", 4);
    auto const taken = program.words("taken", 2, before_launch(planted, 1));
    auto const offsets = program.words("offsets", 4);
    auto const keys = program.words("keys", 5);
    add_block_threads(program, [=](WeakThread& own, std::uint32_t tile, std::uint32_t label) {
        own.add(counters[2 * tile + 1 - label], 1);
        if (planted != Planted::no_block_barrier) {
            own.barrier(Group::block);
        }
        std::uint64_t const count = own.load(counters[2 * tile + label]);
        std::uint64_t begin = 0;
        if (planted == Planted::separate_accesses) {
            begin = own.load(taken[label], Order::relaxed);
            own.store(taken[label], begin + count, Order::relaxed);
        } else {
            begin = own.add(taken[label], count);
        }
        write_key(own, tile, label, 2 * label + begin, offsets, keys, true);
    });
    return program.search([&](FinalWords const& end) {
        using Pair = std::set<std::uint64_t>;
        return Pair{end[keys[0]], end[keys[1]]} == Pair{10, 11} &&
               Pair{end[keys[2]], end[keys[3]]} == Pair{20, 21};
    });
}

TEST(UnstableScatter, GivesEachKeyAPlaceOfItsOwn) {
    expect_right("unstable scatter", search_unstable_scatter(Planted::nothing));
    EXPECT_EQ(search_unstable_scatter(Planted::no_block_barrier).problem, "race at counters[1]");
    EXPECT_EQ(search_unstable_scatter(Planted::leftover).problem, "wrong result");
    EXPECT_EQ(search_unstable_scatter(Planted::separate_accesses).problem,
              "unordered stores to taken[0]");
}

/// Follows path_split_kernel, launched twice with alternating counters: blocks add their counts per
/// bucket, synchronize, and append behind the smaller bucket; block 0 zeroes the next counters.
SearchResult search_path_split(Planted planted) {
    WeakProgram program;
    std::array const counts{program.words("counts 0", 2), program.words("counts 1", 2)};
    std::array const placed{program.words("placed 0", 2), program.words("placed 1", 2)};
    auto const places = program.words("places", 8);
    add_block_threads(program, [=](WeakThread& own, std::uint32_t block, std::uint32_t bucket) {
        for (std::size_t launch = 0; launch < 2; ++launch) {
            own.add(counts[launch][bucket], 1);
            if (planted != Planted::no_grid_barrier) {
                own.barrier(Group::grid);
            }
            std::uint64_t const start = bucket == 0 ? 0 : own.load(counts[launch][0]);
            std::uint64_t const place = start + own.add(placed[launch][bucket], 1);
            if (block == 0) {
                auto const next = planted == Planted::own_counters_zeroed ? launch : 1 - launch;
                own.store(counts[next][bucket], 0);
                own.store(placed[next][bucket], 0);
            }
            own.store(places[4 * launch + place], bucket + 1);
            own.barrier(Group::grid); // end of the launch
        }
    });
    return search_for(program, places, {1, 1, 2, 2, 1, 1, 2, 2});
}

TEST(PathSplit, GivesEachVertexAPlaceOfItsOwn) {
    expect_right("split of paths", search_path_split(Planted::nothing));
    EXPECT_EQ(search_path_split(Planted::no_grid_barrier).problem, "race at counts 0[0]");
    EXPECT_EQ(search_path_split(Planted::own_counters_zeroed).problem, "race at counts 0[0]");
}

} // namespace
} // namespace keyswap::proptests
