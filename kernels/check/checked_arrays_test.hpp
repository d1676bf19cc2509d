#pragma once

/// \file Arrays and faults with which all readers of sequences are tested, on host and GPUs.

#include "kernels/check/sequence_summary.hpp"
#include "kernels/device/key_image.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace keyswap::kernels {

/// Elements of one type in host memory.
template <class Word>
struct CheckedArray {
    SortShape shape;
    std::vector<Word> keys;
    std::vector<std::uint64_t> values; ///< same size as keys if the shape has values

    void sort_keys() {
        ImageCode const code = image_code(shape.key_type, shape.direction);
        std::ranges::sort(keys, {}, [code](Word key) { return encode_image(key, code); });
    }

    /// Splits the array into parts in host memory; each part ends before a border.
    [[nodiscard]] std::vector<SequencePart> parts(std::vector<std::size_t> const& borders) const {
        std::vector<SequencePart> made;
        std::size_t begin = 0;
        for (std::size_t const end : borders) {
            made.push_back({SequencePart::in_host_memory,
                            keys.data() + begin,
                            values.empty() ? nullptr : values.data() + begin,
                            end - begin});
            begin = end;
        }
        return made;
    }
};

/// \param kinds most distinct keys
template <class Word>
CheckedArray<Word> random_array(SortShape shape, std::size_t count, std::uint64_t kinds) {
    CheckedArray<Word> array{shape, std::vector<Word>(count), {}};
    for (std::size_t i = 0; i < count; ++i) {
        Word key = static_cast<Word>(mix_bits(mix_bits(i + 5) % kinds + 1));
        if constexpr (sizeof(Word) == sizeof(WideImage)) {
            key |= WideImage{mix_bits(i % 3)} << 64;
        }
        array.keys[i] = key;
    }
    if (shape.value_type != ValueType::none) {
        for (std::size_t i = 0; i < count; ++i) {
            array.values.push_back(mix_bits(i));
        }
    }
    return array;
}

/// \param read returns the summary of a CheckedArray of 32-bit keys, split at the given borders
template <class Read>
void expect_that_planted_faults_are_found(Read const& read) {
    using Array = CheckedArray<std::uint32_t>;
    std::vector<std::size_t> const borders{20'000, 20'000, 50'001};
    auto const is_found = [&](Array const& sorted, auto const& change) {
        SequenceSummary const before = read(sorted, borders);
        EXPECT_EQ(before.violations, 0U);
        Array changed = sorted;
        change(changed);
        SequenceSummary const after = read(changed, borders);
        return after.violations != 0 || after.elements != before.elements;
    };
    auto const sorted_array = [](SortShape const& shape) {
        auto array = random_array<std::uint32_t>(shape, 50'001, 1'000'000);
        array.sort_keys();
        return array;
    };
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        auto const keys = sorted_array({KeyType::u32, direction});
        EXPECT_FALSE(is_found(keys, [](Array&) {}));
        // At both ends; within a load; at borders of a load, a warp and two parts.
        for (std::size_t const at : {0U, 1U, 3U, 127U, 2'047U, 19'999U, 20'000U, 49'999U}) {
            EXPECT_TRUE(is_found(keys, [at](Array& all) {
                std::swap(all.keys[at], all.keys[at + 1]);
                all.keys[at] ^= all.keys[at] == all.keys[at + 1] ? 1U : 0U;
            })) << at;
            EXPECT_TRUE(is_found(keys, [at](Array& all) { all.keys[at] = all.keys[at + 1] ^ 1U; }));
            EXPECT_TRUE(is_found(keys, [at](Array& all) { all.keys[at] ^= 0x80000000U; }));
            EXPECT_TRUE(is_found(keys, [at](Array& all) { // preserves the order and the sum
                all.keys[at] -= 1;
                all.keys[at + 1] += 1;
            })) << at;
        }
        auto const pairs = sorted_array({KeyType::u32, direction, ValueType::bits64});
        EXPECT_FALSE(is_found(pairs, [](Array&) {}));
        EXPECT_TRUE(is_found(pairs, [](Array& all) { all.values[7] ^= 1; }));
        EXPECT_TRUE(
            is_found(pairs, [](Array& all) { std::swap(all.values[7], all.values[40'007]); }));
    }
}

} // namespace keyswap::kernels
