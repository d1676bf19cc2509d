#include "kernels/device_check.hpp"

#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"
#include "kernels/device/key_image.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace keyswap::kernels {
namespace {

constexpr std::uint64_t seed = 77;

/// Elements of one type in host memory, and what is true of them.
template <class Word>
struct Elements {
    SortShape shape;
    std::vector<Word> keys;
    std::vector<std::uint64_t> values; ///< as long as keys if the shape has values

    [[nodiscard]] SequenceSummary expected() const {
        ImageCode const code = image_code(shape.key_type, shape.direction);
        SequenceSummary summary;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            KeyImage const image = key_image(encode_image(keys[i], code));
            std::uint64_t hash = hash_of_key(image, seed);
            if (shape.value_type != ValueType::none) {
                hash = hash_with_value(hash, values[i]);
            }
            summary.elements += array_digest(hash);
            if (summary.last && image < *summary.last) {
                ++summary.violations;
                summary.first_violation = summary.first_violation.value_or(i - 1);
            }
            summary.first = summary.first.value_or(image);
            summary.last = image;
        }
        return summary;
    }

    /// In parts that end before each border; `offset` keys lie before them in their memory.
    [[nodiscard]] SortExpected<SequenceSummary> on_gpu(std::vector<std::size_t> const& borders,
                                                       std::size_t offset) const {
        std::vector<Word> shifted(offset);
        shifted.insert(shifted.end(), keys.begin(), keys.end());
        auto const device_keys = gpu_test::on_device(shifted);
        auto const device_values = gpu_test::on_device(values);
        std::vector<DeviceArray> parts;
        std::size_t begin = 0;
        for (std::size_t const end : borders) {
            parts.push_back({0,
                             device_keys.data() + offset + begin,
                             values.empty() ? nullptr : device_values.data() + begin,
                             end - begin});
            begin = end;
        }
        return summarize(shape, parts, seed);
    }
};

template <class Word>
Elements<Word> random_elements(SortShape shape, std::size_t count, std::uint64_t kinds) {
    Elements<Word> elements{shape, std::vector<Word>(count), {}};
    for (std::size_t i = 0; i < count; ++i) {
        Word key = static_cast<Word>(mix_bits(mix_bits(i + 5) % kinds + 1));
        if constexpr (sizeof(Word) == sizeof(WideImage)) {
            key |= WideImage{mix_bits(i % 3)} << 64;
        }
        elements.keys[i] = key;
    }
    if (shape.value_type != ValueType::none) {
        for (std::size_t i = 0; i < count; ++i) {
            elements.values.push_back(mix_bits(i));
        }
    }
    return elements;
}

template <class Word>
void sort_keys(Elements<Word>& elements) {
    ImageCode const code = image_code(elements.shape.key_type, elements.shape.direction);
    std::ranges::sort(elements.keys, {}, [code](Word key) { return encode_image(key, code); });
}

template <class Word>
void expect_same_summary(KeyType type) {
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        for (ValueType const values : {ValueType::none, ValueType::bits64}) {
            SortShape const shape{type, direction, values};
            for (std::size_t const count : {0U, 1U, 2U, 5U, 1023U, 100'003U}) {
                auto elements = random_elements<Word>(shape, count, 1'000);
                for (bool const is_sorted : {false, true}) {
                    if (is_sorted) {
                        sort_keys(elements);
                    }
                    for (std::size_t const offset : {0U, 1U}) {
                        auto const found = elements.on_gpu({count / 3, count / 3, count}, offset);
                        ASSERT_TRUE(found.has_value()) << found.error().message;
                        EXPECT_EQ(*found, elements.expected())
                            << to_string(type) << ' ' << count << ' ' << offset;
                        EXPECT_TRUE(!is_sorted || found->violations == 0);
                    }
                }
            }
        }
    }
}

TEST(DeviceCheck, FindsWhatAHostFinds) {
    KEYSWAP_NEEDS_GPUS(1);
    for (KeyType const type : {KeyType::u32, KeyType::i32, KeyType::f32}) {
        expect_same_summary<std::uint32_t>(type);
    }
    for (KeyType const type : {KeyType::u64, KeyType::i64, KeyType::f64}) {
        expect_same_summary<std::uint64_t>(type);
    }
    for (KeyType const type : {KeyType::u128, KeyType::i128}) {
        expect_same_summary<WideImage>(type);
    }
}

/// Whether the check of a sorted array finds what was done to it.
template <class Change>
bool is_found(SortShape const& shape, Change const& change) {
    auto elements = random_elements<std::uint32_t>(shape, 50'001, 1'000'000);
    sort_keys(elements);
    std::vector<std::size_t> const borders{20'000, 20'000, 50'001};
    auto const before = elements.on_gpu(borders, 0);
    change(elements);
    auto const after = elements.on_gpu(borders, 0);
    EXPECT_TRUE(before.has_value() && after.has_value());
    EXPECT_EQ(before->violations, 0U);
    return after->violations != 0 || after->elements != before->elements;
}

TEST(DeviceCheck, FindsEveryPlantedFault) {
    KEYSWAP_NEEDS_GPUS(1);
    using Keys = Elements<std::uint32_t>;
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        SortShape const keys{KeyType::u32, direction};
        EXPECT_FALSE(is_found(keys, [](Keys&) {}));
        // At the ends, within a load, at its border, a warp's, and that of two parts.
        for (std::size_t const at : {0U, 1U, 3U, 127U, 2'047U, 19'999U, 20'000U, 49'999U}) {
            EXPECT_TRUE(is_found(keys, [at](Keys& all) {
                std::swap(all.keys[at], all.keys[at + 1]);
                all.keys[at] ^= all.keys[at] == all.keys[at + 1] ? 1U : 0U;
            })) << at;
            EXPECT_TRUE(is_found(keys, [at](Keys& all) { all.keys[at] = all.keys[at + 1] ^ 1U; }));
            EXPECT_TRUE(is_found(keys, [at](Keys& all) { all.keys[at] ^= 0x80000000U; }));
            EXPECT_TRUE(is_found(keys, [at](Keys& all) { // keeps the order and the sum
                all.keys[at] -= 1;
                all.keys[at + 1] += 1;
            })) << at;
        }
        SortShape const pairs{KeyType::u32, direction, ValueType::bits64};
        EXPECT_FALSE(is_found(pairs, [](Keys&) {}));
        EXPECT_TRUE(is_found(pairs, [](Keys& all) { all.values[7] ^= 1; }));
        EXPECT_TRUE(
            is_found(pairs, [](Keys& all) { std::swap(all.values[7], all.values[40'007]); }));
    }
}

TEST(DeviceCheck, RefusesWhatItCannotRead) {
    KEYSWAP_NEEDS_GPUS(1);
    SortShape shape;
    DeviceArray const nothing;
    EXPECT_TRUE(summarize(shape, {&nothing, 1}).has_value());
    DeviceArray part{0, nullptr, nullptr, 3};
    EXPECT_EQ(summarize(shape, {&part, 1}).error().message, "part 1 of 1 has no keys.");
    auto const keys = gpu_test::on_device(std::vector<std::uint32_t>(4));
    part.keys = keys.data();
    shape.value_type = ValueType::bits32;
    EXPECT_EQ(summarize(shape, {&part, 1}).error().message, "part 1 of 1 has no values.");
    shape.value_type = ValueType::none;
    part.keys = reinterpret_cast<unsigned char const*>(keys.data()) + 2;
    EXPECT_NE(summarize(shape, {&part, 1}).error().message.find("multiple of its type's size"),
              std::string::npos);
    part = {device_count(), keys.data(), nullptr, 3};
    EXPECT_EQ(summarize(shape, {&part, 1}).error().code, SortErrorCode::no_such_device);
    shape.key_type = KeyType::f32;
    shape.zero_order = ZeroOrder::equal;
    part.device = 0;
    EXPECT_EQ(summarize(shape, {&part, 1}).error().code, SortErrorCode::invalid_option);
}

} // namespace
} // namespace keyswap::kernels
