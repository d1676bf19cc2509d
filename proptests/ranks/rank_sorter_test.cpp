/// \file Tests RankSorter on processes against std::stable_sort of all ranks' keys. Runs under
/// mpirun: rank 0 runs the tests, and the others participate (rank_team.hpp).

#include "model/mpi/rank_sorter.hpp"
#include "proptests/ranks/rank_team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <thread>

namespace keyswap::proptests {
namespace {

using model::RankSorter;
using model::RankSortOptions;

/// Few distinct keys; floats include NaN, -infinity and -0.0.
template <class K>
std::vector<K> keys_of_rank(std::uint32_t rank) {
    std::mt19937_64 random(rank + 1);
    std::vector<K> keys(500 * ((rank + 2) % 3)); // rank 1 has none
    for (K& key : keys) {
        key = static_cast<K>(random() % 300) - static_cast<K>(std::is_unsigned_v<K> ? 0 : 150);
        if constexpr (std::is_floating_point_v<K>) {
            using Limits = std::numeric_limits<K>;
            std::array<K, 4> const special{
                Limits::quiet_NaN(), -Limits::infinity(), static_cast<K>(-0.0), key};
            key = special[std::min<std::uint64_t>(random() % 30, 3)];
        }
    }
    return keys;
}

template <class K>
bool is_before(K a, K b, Direction direction) {
    return model::image_of(a, direction) < model::image_of(b, direction);
}

template <class K>
std::vector<model::ImageOf<K>> images(std::span<K const> keys) {
    std::vector<model::ImageOf<K>> result;
    std::ranges::transform(
        keys, std::back_inserter(result), [](K key) { return model::image_of(key); });
    return result;
}

/// Sorts with input indices as values. \return the problem with this rank's share; "" if none
template <class K, class Value>
std::string
wrong_share(RankSorter& sorter, std::uint32_t rank, std::uint32_t rank_count, Direction direction) {
    std::vector<K> all;
    std::vector<std::size_t> begins;
    for (std::uint32_t other = 0; other < rank_count; ++other) {
        begins.push_back(all.size());
        auto const keys = keys_of_rank<K>(other);
        all.insert(all.end(), keys.begin(), keys.end());
    }
    auto keys = keys_of_rank<K>(rank);
    std::vector<Value> places(keys.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = static_cast<Value>(begins[rank] + i);
    }
    auto const alone = sorter.sort(keys);
    auto const share = sorter.sort(std::move(keys), std::move(places));
    if (!share || !alone) {
        return (share ? alone.error() : share.error()).message();
    }
    std::vector<K> sorted = all;
    std::ranges::stable_sort(sorted, [direction](K a, K b) { return is_before(a, b, direction); });
    if (share->key_count != all.size() || share->first_index + share->keys.size() > all.size()) {
        return "the share is not within all keys";
    }
    auto const expected =
        std::span<K const>(sorted).subspan(share->first_index, share->keys.size());
    if (images<K>(share->keys) != images(expected) || images<K>(alone->keys) != images(expected)) {
        return "the keys are others";
    }
    for (std::size_t i = 0; i < share->keys.size(); ++i) {
        if (model::image_of(all[share->values[i]]) != model::image_of(share->keys[i])) {
            return "a value left its key";
        }
    }
    return "";
}

std::string sort_of_every_type(std::uint32_t rank) {
    std::uint32_t const rank_count = *team().size();
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        for (char const* const algorithm : {"rmg", "sample-sort"}) {
            RankSortOptions options;
            options.algorithm = algorithm;
            options.direction = direction;
            auto sorter = RankSorter::create(MPI_COMM_WORLD, options);
            if (!sorter) {
                return sorter.error().message();
            }
            for (std::string const& wrong :
                 {wrong_share<std::uint32_t, std::uint64_t>(*sorter, rank, rank_count, direction),
                  wrong_share<std::int64_t, std::uint32_t>(*sorter, rank, rank_count, direction),
                  wrong_share<float, std::uint32_t>(*sorter, rank, rank_count, direction),
                  wrong_share<double, std::uint64_t>(*sorter, rank, rank_count, direction)}) {
                if (!wrong.empty()) {
                    return algorithm + (": " + wrong);
                }
            }
        }
    }
    return "";
}

std::string created_with(RankSortOptions const& options) {
    auto const sorter = RankSorter::create(MPI_COMM_WORLD, options);
    return sorter ? "" : sorter.error().message();
}

std::string with_unknown_algorithm(std::uint32_t /*rank*/) {
    RankSortOptions options;
    options.algorithm = "p2p-merge";
    return created_with(options);
}

std::string with_other_options(std::uint32_t rank) {
    RankSortOptions options;
    options.digit_bits = rank == 1 ? 7 : 8;
    return created_with(options);
}

/// One rank has too few values; afterwards all sort with the same sorter.
std::string with_too_few_values(std::uint32_t rank) {
    auto sorter = RankSorter::create(MPI_COMM_WORLD);
    std::vector<std::uint32_t> const keys(10, rank);
    auto const refused = sorter->sort(keys, std::vector<std::uint32_t>(rank == 1 ? 9 : 10));
    auto const sorted = sorter->sort(keys);
    return (refused ? "sorted" : refused.error().message()) + (sorted ? "" : "; never sorts again");
}

std::string with_other_types(std::uint32_t rank) {
    auto sorter = RankSorter::create(MPI_COMM_WORLD);
    if (rank == 1) {
        auto const share = sorter->sort(std::vector<std::uint64_t>{1});
        return share ? "sorted" : share.error().message();
    }
    auto const share = sorter->sort(std::vector<std::uint32_t>{1});
    return share ? "sorted" : share.error().message();
}

/// Rank 1 does not participate.
std::string with_a_missing_rank(std::uint32_t rank) {
    RankSortOptions options;
    options.patience = std::chrono::milliseconds(200);
    auto sorter = RankSorter::create(MPI_COMM_WORLD, options);
    if (rank == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    auto const first = sorter->sort(std::vector<std::uint32_t>{1});
    auto const second = sorter->sort(std::vector<std::uint32_t>{1});
    return (first ? "sorted" : first.error().message()) + " / " +
           (second ? "sorted" : second.error().message());
}

std::string do_part(model::Communicator& ranks, std::string const& job) {
    static std::map<std::string, std::string (*)(std::uint32_t rank)> const parts{
        {"every type", sort_of_every_type},
        {"unknown algorithm", with_unknown_algorithm},
        {"other options", with_other_options},
        {"too few values", with_too_few_values},
        {"other types", with_other_types},
        {"missing rank", with_a_missing_rank}};
    return parts.at(job)(ranks.rank());
}

std::vector<std::string> run(std::string const& job) {
    return team().run(*team().size(), job);
}

TEST(RankSorter, SortsKeysOfEveryTypeWithTheirValues) {
    EXPECT_EQ(run("every type"), std::vector<std::string>(*team().size()));
}

TEST(RankSorter, InformsAllRanksOfErrorsBeforehand) {
    for (std::string const& said : run("unknown algorithm")) {
        EXPECT_EQ(said, "algorithm: 'p2p-merge' exchanges no buckets (use rmg or sample-sort)");
    }
    for (std::string const& said : run("other options")) {
        EXPECT_TRUE(said.starts_with("rank 1: started as 'rmg digit-bits 7")) << said;
    }
    for (std::string const& said : run("other types")) {
        EXPECT_TRUE(said.starts_with("rank 1: started as 'u64 keys', rank 0 as 'u32 keys'"))
            << said;
    }
    auto const said = run("too few values");
    EXPECT_EQ(said[0], "rank 1: values: are 9 for 10 keys (give one for each key)");
    EXPECT_EQ(said[1], "values: are 9 for 10 keys (give one for each key)");
}

TEST(RankSorter, NamesARankThatDoesNotComeAndSortsNoMore) {
    auto const said = run("missing rank");
    for (std::size_t const rank : {0U, 2U}) {
        EXPECT_NE(said[rank].find("rank 1"), std::string::npos) << said[rank];
    }
    for (std::string const& of_rank : said) {
        EXPECT_NE(of_rank.find("/ rank"), std::string::npos) << of_rank;
        EXPECT_NE(of_rank.find("have failed before"), std::string::npos) << of_rank;
    }
}

} // namespace
} // namespace keyswap::proptests

int main(int argc, char** argv) {
    return keyswap::proptests::run_rank_tests(argc, argv, keyswap::proptests::do_part);
}
