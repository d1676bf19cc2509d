#include "model/check/cause_guess.hpp"

#include "model/check/output_check.hpp"
#include "model/keys/key_order.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using testing::KeyFolder;

using Random = std::mt19937_64;

/// Between some hundred and some ten thousand keys, of both signs for signed types, with and
/// without duplicates.
template <class T>
std::vector<T> drawn_keys(Random& random) {
    std::size_t const count = 200 + random() % 30'000;
    bool const repeated = random() % 2 == 0;
    std::vector<T> keys(count);
    for (T& key : keys) {
        std::uint64_t const bits =
            repeated ? (random() % (count / 3)) * 0x9e3779b97f4a7c15U : random();
        if constexpr (std::is_floating_point_v<T>) {
            key = static_cast<T>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)),
                                            -static_cast<int>(bits % 40)));
        } else {
            key = static_cast<T>(bits);
        }
    }
    return keys;
}

template <class T>
std::vector<T> sorted(std::vector<T> keys) {
    std::ranges::sort(keys);
    return keys;
}

template <class T, class U>
OutputCheck check_of(std::vector<T> const& input,
                     std::vector<U> const& output,
                     OutputCheckOptions options = {}) {
    KeyFolder const folder;
    options.input.key_type = key_type_of<T>;
    auto check = check_output(folder.put("in", input), folder.put("out", output), options);
    EXPECT_TRUE(check) << check.error().message();
    return *check;
}

constexpr int plants = 10;
constexpr int named_min = 9;

/// Plants a cause ten times; `plant` turns an input into a wrong output.
template <class T>
void expect_named(Cause cause,
                  std::function<std::vector<T>(Random&, std::vector<T> const&)> const& plant,
                  std::string const& words = "",
                  OutputCheckOptions const& options = {}) {
    int named = 0;
    for (std::uint64_t seed = 1; seed <= plants; ++seed) {
        Random random(seed);
        auto const input = drawn_keys<T>(random);
        OutputCheck const check = check_of(input, plant(random, input), options);
        EXPECT_FALSE(check.holds());
        if (!check.guess) {
            continue;
        }
        EXPECT_EQ(to_string(check.guess->cause), to_string(cause)) << check.guess->sentence;
        EXPECT_NE(check.guess->sentence.find(words), std::string::npos) << check.guess->sentence;
        EXPECT_EQ(sentences(check).back(), "Possible cause: " + check.guess->sentence + ".");
        named += check.guess->cause == cause ? 1 : 0;
    }
    EXPECT_GE(named, named_min) << to_string(cause) << ' ' << words;
}

/// Reinterprets the bits as keys of another type.
template <class To, class From>
std::vector<To> read_as(std::vector<From> const& keys) {
    std::vector<To> read(keys.size());
    std::ranges::transform(keys, read.begin(), [](From key) { return std::bit_cast<To>(key); });
    return read;
}

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

TEST(CauseGuess, NamesAnOutputThatIsTheInput) {
    expect_named<std::uint64_t>(Cause::untouched, [](Random&, auto const& keys) { return keys; });
}

/// A random start for a block of a tenth of the keys.
std::size_t drawn_block(Random& random, std::size_t count) {
    return random() % (count - count / 10);
}

TEST(CauseGuess, NamesABlockThatIsStillTheInput) {
    expect_named<std::uint32_t>(
        Cause::stale_block,
        [](Random& random, auto const& keys) {
            auto wrong = sorted(keys);
            auto const begin = std::ptrdiff_t(drawn_block(random, keys.size()));
            std::copy_n(
                keys.begin() + begin, std::ptrdiff_t(keys.size() / 10), wrong.begin() + begin);
            return wrong;
        },
        "are as in the input");
}

TEST(CauseGuess, NamesABlockThatWasZeroedOrFilled) {
    expect_named<std::int64_t>(
        Cause::filled_block,
        [](Random& random, auto const& keys) {
            auto wrong = sorted(keys);
            auto const begin = std::ptrdiff_t(drawn_block(random, keys.size()));
            std::fill_n(wrong.begin() + begin, std::ptrdiff_t(keys.size() / 10), 0);
            return wrong;
        },
        "are 0, as if a block had been zeroed");
    expect_named<std::uint32_t>(
        Cause::filled_block,
        [](Random& random, auto const& keys) {
            auto wrong = sorted(keys);
            auto const begin = std::ptrdiff_t(drawn_block(random, keys.size()));
            std::fill_n(wrong.begin() + begin, std::ptrdiff_t(keys.size() / 10), 0xcdcdcdcdU);
            return wrong;
        },
        "are 3452816845, as if a block had been filled");
}

TEST(CauseGuess, NamesBitsThatEveryKeyHasChanged) {
    auto const changed = [](auto change) {
        return [change](Random&, auto keys) {
            std::ranges::transform(keys, keys.begin(), change);
            return sorted(keys);
        };
    };
    expect_named<std::uint32_t>(Cause::changed_bits,
                                changed([](std::uint32_t key) { return key ^ (1U << 13); }),
                                "every key has bit 13 flipped");
    expect_named<std::uint64_t>(Cause::changed_bits,
                                changed([](std::uint64_t key) { return key | 0x30U; }),
                                "every key has bits 4 to 5 set");
    expect_named<std::uint64_t>(
        Cause::changed_bits,
        changed([](std::uint64_t key) { return (key & ~std::uint64_t{0x30}) ^ 4U; }),
        "every key has bit 2 flipped, bits 4 to 5 cleared");
    expect_named<std::uint64_t>(Cause::changed_bits,
                                changed([](std::uint64_t key) { return key & 0xffffffffU; }),
                                "truncated to its low 32 bits");
    expect_named<std::uint32_t>(Cause::changed_bits,
                                changed([](std::uint32_t key) { return key & 0xffffU; }),
                                "truncated to its low 16 bits");
    expect_named<std::uint32_t>(Cause::changed_bits,
                                changed([](std::uint32_t key) { return key & 0xffU; }),
                                "truncated to its low 8 bits");
}

/// Sorts only the first `count` keys.
template <class T>
std::vector<T> sorted_to(std::vector<T> keys, std::size_t count) {
    std::sort(keys.begin(), keys.begin() + std::ptrdiff_t(count));
    return keys;
}

TEST(CauseGuess, NamesACountOfFewBits) {
    for (std::size_t const count : {65'560U, 65'736U, 131'172U, 100'000U}) {
        Random random(count);
        std::vector<std::uint32_t> keys(count);
        std::ranges::generate(keys, [&] { return static_cast<std::uint32_t>(random()); });
        OutputCheck const check = check_of(keys, sorted_to(keys, count % 65'536));
        ASSERT_TRUE(check.guess) << count;
        EXPECT_EQ(check.guess->cause, Cause::wrapped_count) << check.guess->sentence;
        EXPECT_NE(check.guess->sentence.find("kept in 16 bits"), std::string::npos);
    }
    std::vector<std::uint64_t> keys(65'536);
    std::ranges::generate(keys, Random(7));
    OutputCheck const check = check_of(keys, keys);
    ASSERT_TRUE(check.guess);
    EXPECT_EQ(check.guess->cause, Cause::untouched);
    EXPECT_NE(check.guess->sentence.find("kept in 16 bits"), std::string::npos);
}

TEST(CauseGuess, NamesACountOfEqualKeysOfFewBits) {
    std::vector<std::uint32_t> keys(70'000, 5);
    keys.insert(keys.end(), 1'000, 9);
    auto output = sorted(keys);
    std::fill_n(output.begin(), 65'536, 0);
    OutputCheck const check = check_of(keys, sorted(output));
    ASSERT_TRUE(check.guess);
    EXPECT_EQ(check.guess->cause, Cause::filled_block) << check.guess->sentence;
    keys.assign(70'000, 5);
    for (std::uint32_t i = 0; i < 70'000; ++i) {
        keys.push_back(i * 60'013);
    }
    output = sorted(keys);
    auto const five = std::ranges::find(output, 5U) - output.begin();
    std::copy_n(output.end() - 65'536, 65'536, output.begin() + five); // duplicates of other keys
    OutputCheck const wrapped = check_of(keys, sorted(output));
    ASSERT_TRUE(wrapped.guess);
    EXPECT_EQ(wrapped.guess->cause, Cause::wrapped_count) << wrapped.guess->sentence;
}

TEST(CauseGuess, NamesAKeyThatWasLeftOut) {
    expect_named<std::uint32_t>(
        Cause::unsorted_end_key,
        [](Random&, auto keys) {
            if (keys.back() == std::ranges::max(keys)) {
                std::swap(keys.front(), keys.back());
            }
            std::sort(keys.begin(), keys.end() - 1);
            return keys;
        },
        "but the last");
    expect_named<double>(
        Cause::unsorted_end_key,
        [](Random&, auto keys) {
            std::sort(keys.begin() + 1, keys.end());
            return keys;
        },
        "but the first");
}

TEST(CauseGuess, NamesBlocksThatWereNotMerged) {
    auto const in_blocks = [](std::size_t block) {
        return [block](Random&, auto keys) {
            for (std::size_t begin = 0; begin < keys.size(); begin += block) {
                std::sort(keys.begin() + std::ptrdiff_t(begin),
                          keys.begin() + std::ptrdiff_t(std::min(begin + block, keys.size())));
            }
            return keys;
        };
    };
    expect_named<std::uint32_t>(Cause::unmerged_chunks, in_blocks(192));
    expect_named<std::int64_t>(Cause::unmerged_chunks, in_blocks(128));
}

TEST(CauseGuess, NamesATileThatWasNotMerged) {
    expect_named<float>(Cause::unmerged_chunks, [](Random& random, auto keys) {
        auto const tile = std::ptrdiff_t(16 + random() % 100);
        std::sort(keys.begin(), keys.end() - tile);
        std::sort(keys.end() - tile, keys.end());
        return keys;
    });
}

TEST(CauseGuess, NamesEqualKeysThatStandAcrossASplitter) {
    for (std::uint64_t seed = 1; seed <= plants; ++seed) {
        Random random(seed);
        auto keys = drawn_keys<std::uint32_t>(random);
        std::uint32_t const splitter = sorted(keys)[keys.size() / 2];
        std::fill_n(keys.begin(), 20, splitter);
        auto output = sorted(keys);
        // Swap the last keys equal to it with as many larger keys.
        auto const end = std::ranges::upper_bound(output, splitter);
        auto const moved = std::ptrdiff_t(1 + random() % 10);
        std::swap_ranges(end - moved, end, end);
        OutputCheck const check = check_of(keys, output);
        ASSERT_TRUE(check.guess) << seed;
        EXPECT_EQ(check.guess->cause, Cause::split_ties) << check.guess->sentence;
    }
}

TEST(CauseGuess, NamesNansAndOtherFloatsThatWereMadeAlike) {
    constexpr std::uint32_t payload = 0xffc00001U;
    struct Case {
        std::uint32_t before;
        std::uint32_t after;
        std::string words;
    };
    for (auto const& [before, after, words] :
         {Case{payload, 0x7fc00000U, "NaNs had been canonicalised"},
          Case{0xffc00123U, 0x7fffffffU, "NaNs had been canonicalised"},
          Case{0x80000000U, 0U, "every -0.0 became +0.0"},
          Case{0x00000123U, 0U, "subnormal"},
          Case{0x7f800000U, 0x7f7fffffU, "infinite key became the largest"}}) {
        Random random(3);
        auto keys = read_as<std::uint32_t>(drawn_keys<float>(random));
        for (std::size_t i = 0; i < keys.size(); i += 5) {
            keys[i] = before;
        }
        auto output = keys;
        std::ranges::replace(output, before, after);
        auto const image = [](std::uint32_t key) { return image_of(std::bit_cast<float>(key)); };
        std::ranges::sort(output, {}, image);
        OutputCheck const check = check_of(read_as<float>(keys), read_as<float>(output));
        ASSERT_TRUE(check.guess) << words;
        EXPECT_EQ(check.guess->cause, Cause::converted_keys) << check.guess->sentence;
        EXPECT_NE(check.guess->sentence.find(words), std::string::npos) << check.guess->sentence;
    }
}

TEST(CauseGuess, TakesNoValueThatWasDoubledForAFilledBlock) {
    // Half of the keys are zeros; the output has twice as many, in their sorted position.
    std::vector<std::uint32_t> keys(1'000, 0);
    for (std::uint32_t i = 0; i < 3'000; ++i) {
        keys.push_back(1 + i * 1'299'709);
    }
    auto output = sorted(keys);
    std::fill_n(output.begin() + 1'000, 1'000, 0);
    OutputCheck const check = check_of(keys, output);
    ASSERT_TRUE(check.guess);
    EXPECT_EQ(check.guess->cause, Cause::doubled_keys) << check.guess->sentence;
    // A small surplus gives no guess.
    output = sorted(keys);
    std::fill_n(output.begin() + 1'000, 300, 0);
    OutputCheck const some = check_of(keys, output);
    EXPECT_FALSE(some.guess) << some.guess->sentence;
}

TEST(CauseGuess, NamesKeysThatWereWrittenOverOthers) {
    expect_named<std::uint64_t>(
        Cause::doubled_keys,
        [](Random&, auto const& keys) {
            auto output = sorted(keys);
            for (std::size_t i = 10; i < output.size(); i += output.size() / 40) {
                auto const other = std::ranges::upper_bound(output, output[i]) - output.begin();
                if (std::size_t(other) < output.size()) {
                    output[i] = output[std::size_t(other)];
                }
            }
            return sorted(output);
        },
        "are keys of the input");
}

TEST(CauseGuess, NamesTheEndOfTheInputThatIsMissingOrThereTwice) {
    for (std::uint64_t seed = 1; seed <= plants; ++seed) {
        Random random(seed);
        auto const input = drawn_keys<std::uint32_t>(random);
        auto const tile = std::ptrdiff_t(1 + random() % 60);
        std::vector<std::uint32_t> less(input.begin(), input.end() - tile);
        OutputCheck const missing = check_of(input, sorted(less));
        ASSERT_TRUE(missing.guess);
        EXPECT_EQ(missing.guess->cause, Cause::missing_keys);
        EXPECT_NE(missing.guess->sentence.find("the last "), std::string::npos);
        EXPECT_NE(missing.guess->sentence.find("missing"), std::string::npos);
        auto more = input;
        more.insert(more.end(), input.begin(), input.begin() + tile);
        OutputCheck const doubled = check_of(input, sorted(more));
        ASSERT_TRUE(doubled.guess);
        EXPECT_NE(doubled.guess->sentence.find("the first "), std::string::npos);
        EXPECT_NE(doubled.guess->sentence.find("duplicated"), std::string::npos);
    }
    // If all keys are equal, the missing ones cannot be identified.
    std::vector<std::uint32_t> const alike(100, 7);
    EXPECT_FALSE(check_of(alike, std::vector<std::uint32_t>(90, 7)).guess);
}

/// 16 keys; fewer can fit any hypothesis by chance.
TEST(CauseGuess, NeedsEnoughKeys) {
    auto const mixed = [](std::size_t count) {
        std::vector<std::uint32_t> keys(count);
        for (std::size_t i = 0; i < count; ++i) {
            keys[i] = static_cast<std::uint32_t>(i * 7 % count + 1) * 0x01010101U;
        }
        return keys;
    };
    using Mixed = std::vector<std::uint32_t>;
    for (auto const& [cause, change] : std::vector<std::pair<Cause, std::function<Mixed(Mixed)>>>{
             {Cause::untouched, [](Mixed keys) { return keys; }},
             {Cause::other_order,
              [](Mixed keys) {
                  std::ranges::sort(
                      keys, {}, [](std::uint32_t key) { return static_cast<std::int32_t>(key); });
                  return keys;
              }},
             {Cause::filled_block,
              [](Mixed keys) {
                  std::ranges::fill(keys, 0xabababU);
                  return keys;
              }},
             {Cause::changed_bits, [](Mixed keys) {
                  std::ranges::transform(
                      keys, keys.begin(), [](std::uint32_t key) { return key ^ 0x1000U; });
                  return sorted(keys);
              }}}) {
        for (std::size_t const count : {15U, 16U, 17U}) {
            Mixed input = mixed(count);
            if (cause == Cause::other_order) {
                input[3] |= 0x80000000U;
                input[9] |= 0x80000000U;
            }
            OutputCheck const check = check_of(input, change(input));
            EXPECT_FALSE(check.holds());
            EXPECT_EQ(check.guess && check.guess->cause == cause, count >= 16)
                << to_string(cause) << ' ' << count << ' '
                << (check.guess ? check.guess->sentence : "none");
        }
    }
}

/// A range that equals the input and is in order may be correct.
TEST(CauseGuess, SaysNothingOfAStretchThatWasInOrderAlready) {
    for (std::uint64_t seed = 1; seed <= plants; ++seed) {
        Random random(seed);
        auto input = sorted(drawn_keys<std::uint32_t>(random));
        auto output = input;
        auto const half = std::ptrdiff_t(input.size() / 2);
        std::shuffle(input.begin() + half, input.end(), random);
        std::shuffle(output.begin() + half, output.end(), random);
        OutputCheck const check = check_of(input, output);
        EXPECT_FALSE(check.holds());
        EXPECT_FALSE(check.guess) << seed << ": " << check.guess->sentence;
    }
}

TEST(CauseGuess, NamesConversionsThatEveryKeyWentThrough) {
    auto const converted = [](auto conversion) {
        return [conversion](Random&, auto keys) {
            std::ranges::transform(keys, keys.begin(), conversion);
            return sorted(keys);
        };
    };
    expect_named<std::uint64_t>(Cause::converted_keys,
                                converted([](std::uint64_t key) { return __builtin_bswap64(key); }),
                                "bytes of every key are in reverse order");
    expect_named<double>(Cause::converted_keys,
                         converted([](double key) { return double{static_cast<float>(key)}; }),
                         "rounded to 32 bits");
    expect_named<std::int64_t>(
        Cause::converted_keys,
        converted([](std::int64_t key) { return std::int64_t{static_cast<std::int32_t>(key)}; }),
        "sign-extended");
}

TEST(CauseGuess, NamesNansThatBecameOne) {
    auto const nan = std::numeric_limits<float>::quiet_NaN();
    auto const odd = std::bit_cast<float>(0x7fc00001U);
    std::vector<float> const input{nan, 3, -nan, 1, odd, 2};
    OutputCheckOptions options;
    options.nan_order = NanOrder::last;
    for (float const one : {nan, -nan}) {
        auto const check =
            check_of<float>(input, std::vector<float>{1, 2, 3, one, one, one}, options);
        ASSERT_TRUE(check.guess);
        EXPECT_EQ(check.guess->cause, Cause::converted_keys);
        EXPECT_NE(check.guess->sentence.find("every NaN became"), std::string::npos);
        EXPECT_NE(check.guess->sentence.find("AVX-512"), std::string::npos);
    }
    EXPECT_FALSE(check_of<float>(input, std::vector<float>{1, 2, 4, nan, nan, nan}, options).guess);
    EXPECT_FALSE(check_of<float>(input, std::vector<float>{1, 2, 3, nan, odd, odd}, options).guess);
}

TEST(CauseGuess, NamesTheOtherWidthOfTheOutput) {
    for (std::uint64_t seed = 1; seed <= plants; ++seed) {
        Random random(seed);
        auto const narrow = drawn_keys<std::uint32_t>(random);
        std::vector<std::uint64_t> const wide(narrow.begin(), narrow.end());
        OutputCheck const widened = check_of(narrow, sorted(wide));
        ASSERT_TRUE(widened.guess);
        EXPECT_EQ(widened.guess->cause, Cause::other_width);

        auto input = drawn_keys<std::uint64_t>(random);
        input.resize(input.size() / 2 * 2);
        std::vector<std::uint32_t> cut;
        cut.reserve(input.size());
        for (std::uint64_t const key : input) {
            cut.push_back(static_cast<std::uint32_t>(key));
        }
        OutputCheck const narrowed = check_of(input, sorted(cut));
        ASSERT_TRUE(narrowed.guess);
        EXPECT_EQ(narrowed.guess->cause, Cause::other_width);
    }
}

TEST(CauseGuess, NamesTheOtherWidthOfAnOutputThatIsNoWholeKeys) {
    KeyFolder const folder;
    OutputCheckOptions options;
    options.input.key_type = KeyType::u64;
    auto const input = folder.put("in", std::vector<std::uint64_t>{3, 1, 2});
    auto const cut =
        check_output(input, folder.put("cut", std::vector<std::uint32_t>{1, 2, 3}), options);
    ASSERT_FALSE(cut);
    testing::expect_in(cut.error().message(),
                       {"has 12 bytes, which is not a multiple of the 8 bytes of a u64 key",
                        "the input's 3 keys would fill it with 4 bytes each",
                        "written as a narrower type"});
    auto const one = check_output(folder.put("one", std::vector<std::uint64_t>{3}),
                                  folder.put("narrow", std::vector<std::uint32_t>{3}),
                                  options);
    ASSERT_FALSE(one);
    testing::expect_in(one.error().message(), {"the input's 1 keys would fill it with 4 bytes"});
    auto const none = check_output(folder.put("none", std::vector<std::uint64_t>{}),
                                   folder.put("narrow", std::vector<std::uint32_t>{3}),
                                   options);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message().find("would fill"), std::string::npos);
    auto const other = check_output(input, folder.put("other", std::string("abc4567")), options);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().message().find("narrower"), std::string::npos);
}

TEST(CauseGuess, GuessesOnlyCausesThatExplainEveryKey) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        auto const input = drawn_keys<std::int32_t>(random);
        auto output = sorted(input);
        std::size_t const place = random() % (output.size() - 1);
        switch (seed % 5) {
        case 0:
            output.erase(output.begin() + std::ptrdiff_t(place));
            break;
        case 1:
            output[place] ^= 1 << (random() % 32);
            break;
        case 2:
            std::swap(output[place], output[random() % output.size()]);
            break;
        case 3:
            std::shuffle(output.begin() + std::ptrdiff_t(place), output.end(), random);
            break;
        default:
            output[place] = output[place + 1];
        }
        OutputCheck const check = check_of(input, output);
        EXPECT_FALSE(check.guess) << seed << ": " << check.guess->sentence;
    }
}

/// With chunks of one key, any order consists of sorted chunks in the wrong order.
TEST(CauseGuess, SaysNothingOfFewKeysInAnyOrder) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        auto input = drawn_keys<std::uint32_t>(random);
        input.resize(64 + random() % 137);
        auto output = sorted(input);
        auto const place = std::ptrdiff_t(random() % (output.size() / 2));
        std::shuffle(output.begin() + place, output.end(), random);
        OutputCheck const check = check_of(input, output);
        EXPECT_FALSE(check.guess) << seed << ": " << check.guess->sentence;
    }
}

TEST(CauseGuess, SaysNothingOfARightOutputOrOneThatIsReversed) {
    Random random(1);
    auto const input = drawn_keys<std::uint32_t>(random);
    auto output = sorted(input);
    EXPECT_FALSE(check_of(input, output).guess);
    std::ranges::reverse(output);
    EXPECT_FALSE(check_of(input, output).guess);
}

} // namespace
} // namespace keyswap::model
