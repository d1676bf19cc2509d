#include "model/check/cause.hpp"
#include "model/check/output_check.hpp"
#include "model/testing/planted_causes.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace keyswap::model {
namespace {

using testing::check_of;
using testing::drawn_keys;
using testing::expect_named;
using testing::KeyFolder;
using testing::plants;
using testing::Random;
using testing::read_as;
using testing::sorted;

TEST(CauseGuess, NamesTheTypeThatKeysWereSortedAs) {
    expect_named<std::int32_t>(
        Cause::other_order,
        [](Random&, auto const& keys) {
            return read_as<std::int32_t>(sorted(read_as<std::uint32_t>(keys)));
        },
        "sorted as u32, and not as i32");
    expect_named<double>(
        Cause::other_order,
        [](Random&, auto const& keys) {
            return read_as<double>(sorted(read_as<std::int64_t>(keys)));
        },
        "sorted as i64, and not as f64");
    expect_named<std::uint64_t>(
        Cause::other_order,
        [](Random&, auto const& keys) {
            auto wrong = read_as<std::uint64_t>(sorted(read_as<std::int64_t>(keys)));
            std::ranges::reverse(wrong);
            return wrong;
        },
        "sorted as i64, descending, and not as u64");
}

TEST(CauseGuess, NamesTheByteOrderThatKeysWereSortedBy) {
    expect_named<std::uint32_t>(
        Cause::other_order,
        [](Random&, std::vector<std::uint32_t> keys) {
            std::ranges::sort(keys, {}, [](std::uint32_t key) { return __builtin_bswap32(key); });
            return keys;
        },
        "bytes of each key are read in the other order");
}

TEST(CauseGuess, NamesTheOptionThatWouldTakeTheOrderOfNansOrZeros) {
    auto const with = [](std::vector<float> keys, float special) {
        for (std::size_t i = 0; i < keys.size(); i += 7) {
            keys[i] = special;
        }
        return keys;
    };
    for (int seed = 1; seed <= plants; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        auto const input =
            with(drawn_keys<float>(random), -std::numeric_limits<float>::quiet_NaN());
        auto output = input;
        std::ranges::sort(output,
                          [](float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
        OutputCheck const nans = check_of(input, output);
        ASSERT_TRUE(nans.guess);
        EXPECT_NE(nans.guess->sentence.find("--nan-order last"), std::string::npos)
            << nans.guess->sentence;

        auto zeros = with(drawn_keys<float>(random), 0.0F);
        zeros[3] = zeros[11] = -0.0F;
        auto zeros_output = zeros;
        std::ranges::stable_sort(zeros_output); // +0.0 came first
        OutputCheck const check = check_of(zeros, zeros_output);
        ASSERT_TRUE(check.guess);
        EXPECT_NE(check.guess->sentence.find("(--zero-order equal)"), std::string::npos);
    }
}

TEST(CauseGuess, NamesSortedChunksThatWereNotMerged) {
    expect_named<std::uint32_t>(
        Cause::unmerged_chunks,
        [](Random& random, std::vector<std::uint32_t> keys) {
            std::size_t const gpus = 2 + random() % 7;
            std::size_t const chunk = (keys.size() + gpus - 1) / gpus;
            for (std::size_t begin = 0; begin < keys.size(); begin += chunk) {
                auto const end = std::min(begin + chunk, keys.size());
                std::sort(keys.begin() + std::ptrdiff_t(begin), keys.begin() + std::ptrdiff_t(end));
            }
            return keys;
        },
        "GPUs is sorted");
}

TEST(CauseGuess, CountsTheChunksThatWereNotMerged) {
    for (std::size_t const gpus : {2, 3, 5, 8}) {
        expect_named<std::uint64_t>(
            Cause::unmerged_chunks,
            [gpus](Random&, std::vector<std::uint64_t> keys) {
                std::size_t const chunk = (keys.size() + gpus - 1) / gpus;
                for (std::size_t begin = 0; begin < keys.size(); begin += chunk) {
                    auto const end = std::min(begin + chunk, keys.size());
                    std::sort(keys.begin() + std::ptrdiff_t(begin),
                              keys.begin() + std::ptrdiff_t(end));
                }
                return keys;
            },
            std::to_string(gpus) + " GPUs is sorted");
    }
}

TEST(CauseGuess, NamesSortedChunksThatWereExchanged) {
    OutputCheckOptions options;
    options.gpu_count = 8;
    auto const exchange = [](std::size_t one, std::size_t other) {
        return [one, other](Random&, auto const& keys) {
            auto const right = sorted(keys);
            std::size_t const chunk = (right.size() + 7) / 8;
            std::vector<std::size_t> order(8);
            for (std::size_t i = 0; i < 8; ++i) {
                order[i] = i == one ? other : i == other ? one : i;
            }
            std::remove_cvref_t<decltype(right)> wrong;
            for (std::size_t const from : order) {
                auto const begin = std::min(from * chunk, right.size());
                auto const end = std::min(begin + chunk, right.size());
                wrong.insert(wrong.end(),
                             right.begin() + std::ptrdiff_t(begin),
                             right.begin() + std::ptrdiff_t(end));
            }
            return wrong;
        };
    };
    expect_named<std::uint64_t>(
        Cause::exchanged_chunks, exchange(1, 4), "of GPUs 1 and 4 are swapped", options);
    expect_named<std::int32_t>(
        Cause::exchanged_chunks, exchange(2, 3), "of GPUs 2 and 3 are swapped", options);
}

TEST(CauseGuess, NamesOutputFilesThatWereGivenInAWrongOrder) {
    Random random(1);
    auto const input = drawn_keys<std::uint64_t>(random);
    auto const right = sorted(input);
    auto const part = [&](double from, double to) {
        auto const at = [&](double share) {
            return right.begin() + static_cast<std::ptrdiff_t>(share * double(right.size()));
        };
        return std::vector<std::uint64_t>(at(from), at(to));
    };
    KeyFolder const folder;
    OutputCheckOptions options;
    options.input.key_type = KeyType::u64;
    std::vector const inputs{folder.put("in", input)};
    std::vector outputs{folder.put("0", part(0, 0.2)),
                        folder.put("2", part(0.5, 1)),
                        folder.put("1", part(0.2, 0.5))};
    auto const check = check_outputs(inputs, outputs, options);
    ASSERT_TRUE(check && check->guess);
    EXPECT_NE(check->guess->sentence.find("of output files 2 and 3 are swapped"), std::string::npos)
        << check->guess->sentence;
    outputs.push_back(folder.put("empty", ""));
    EXPECT_TRUE(check_outputs(inputs, outputs, options)) << "no key is looked for in an empty file";
}

} // namespace
} // namespace keyswap::model
