#include "tools/external/arrays/word_sort.hpp"

#include "traces/records/digest.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace keyswap::tools {

namespace {

__extension__ using Wide = unsigned __int128;

using Make = std::function<std::uint64_t(std::uint64_t index)>;

/// Distributions that cover all cases: wide, narrow, groups with common bits, constant.
std::vector<Make> makers() {
    auto const random = [](std::uint64_t i) { return mix_bits(i + 1); };
    return {
        random,
        [=](std::uint64_t i) { return random(i) % 1000; },
        [=](std::uint64_t i) { return random(i) >> (random(i + 7) % 60); },
        [](std::uint64_t i) { return i; },
        [](std::uint64_t i) { return ~i; },
        [](std::uint64_t) { return std::uint64_t{42}; },
        [=](std::uint64_t i) { return random(i) & 0xfff0000000000fffU; },
        [=](std::uint64_t i) { return i % 64 == 0 ? random(i) : 5; },
        [](std::uint64_t i) { return i % 2 == 0 ? 0 : std::numeric_limits<std::uint64_t>::max(); }};
}

template <class Word>
void expect_sorted_by_all_makers(std::size_t count, Word (*widen)(std::uint64_t)) {
    for (std::size_t maker = 0; maker < makers().size(); ++maker) {
        std::vector<Word> words(count);
        for (std::size_t i = 0; i < count; ++i) {
            words[i] = widen(makers()[maker](i));
        }
        std::vector<Word> expected = words;
        std::ranges::sort(expected);
        for (unsigned const threads : {1U, 3U}) {
            std::vector<Word> sorted = words;
            std::vector<Word> scratch(count);
            sort_words<Word>(sorted, scratch, threads);
            EXPECT_TRUE(sorted == expected)
                << count << " words of maker " << maker << ", " << threads << " threads";
        }
    }
}

} // namespace

TEST(WordSort, SortsWordsOfEveryWidthAndDistribution) {
    for (std::size_t const count : {0U, 1U, 24U, 25U, 3'000U, 70'000U}) {
        expect_sorted_by_all_makers<std::uint32_t>(
            count, [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
        expect_sorted_by_all_makers<std::uint64_t>(count, [](std::uint64_t word) { return word; });
        expect_sorted_by_all_makers<Wide>(
            count, [](std::uint64_t word) { return Wide{mix_bits(word)} << 64 | word; });
    }
}

} // namespace keyswap::tools
