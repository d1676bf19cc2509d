#include "model/verify/input_keys.hpp"

#include "model/keys/key_generator.hpp"
#include "model/keys/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <sys/stat.h>
#include <type_traits>
#include <vector>

namespace keyswap::conformance {
namespace {

using model::testing::KeyFolder;

RunHeader header_of_file(std::filesystem::path const& path, std::uint64_t key_count) {
    RunHeader header;
    header.key_count = key_count;
    header.gpus = {0};
    header.input.distribution = "file";
    header.input.file = path.string();
    return header;
}

RunHeader header_of_seed(std::uint64_t key_count) {
    RunHeader header;
    header.key_count = key_count;
    header.gpus = {0};
    header.input.distribution = "uniform";
    header.input.seed = 1;
    header.input.generator_version = 2;
    return header;
}

std::string refusal(RunHeader const& header, VerifyLimits const& limits = {}) {
    auto const found = find_input(header, limits);
    return found ? "" : found.error().message();
}

TEST(InputKeys, AreReadWhereTheFileHasAsManyAsTheHeaderSays) {
    KeyFolder const folder;
    for (char const* const name : {"a.csv", "a.raw"}) {
        auto const path = folder.put(
            name,
            std::string(name) == "a.csv" ? "keys\n7\n5\n" : std::string("\7\0\0\0\5\0\0\0", 8));
        auto const found = find_input(header_of_file(path, 2), {});
        ASSERT_TRUE(found.has_value()) << found.error().message();
        ASSERT_NE(found->keys, nullptr);
        EXPECT_EQ(found->keys->key_count(), 2U);
    }
}

TEST(InputKeys, TakeNoMemoryForKeysThatAHeaderOnlyClaims) {
    KeyFolder const folder;
    for (std::uint64_t const claimed : {std::uint64_t{3}, std::uint64_t{1} << 63}) {
        auto const text = refusal(header_of_file(folder.put("a.csv", "7\n5\n"), claimed));
        EXPECT_NE(text.find("has 2 keys, and the trace is of " + std::to_string(claimed)),
                  std::string::npos)
            << text;
        auto const raw = refusal(header_of_file(folder.put("a.raw", std::string(8, 'x')), claimed));
        EXPECT_NE(raw.find("has 2 keys"), std::string::npos) << raw;
    }
    EXPECT_NE(refusal(header_of_file(folder.put("a.csv", "7\n5\n"), 1)).find("more than 1 keys"),
              std::string::npos);
}

TEST(InputKeys, AreNotReadFromAPipe) {
    KeyFolder const folder;
    auto const path = folder / "pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    auto const found = find_input(header_of_file(path, 2), {});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->keys, nullptr);
    EXPECT_NE(found->reason.find("no regular file"), std::string::npos);
}

TEST(InputKeys, BeyondALimitAreRefusedByTheNameOfItsOption) {
    EXPECT_NE(refusal(header_of_seed(1'000'000'000'000)).find("raise --key-limit"),
              std::string::npos);
    VerifyLimits small;
    small.memory_bytes = 7;
    KeyFolder const folder;
    auto const path = folder.put("a.raw", std::string(8, 'x'));
    EXPECT_NE(refusal(header_of_file(path, 2), small).find("raise --memory-limit"),
              std::string::npos);
    EXPECT_NE(refusal(header_of_file(folder.put("a.csv", "7\n5\n"), 2), small)
                  .find("raise --memory-limit"),
              std::string::npos);
    small.memory_bytes = 8;
    EXPECT_EQ(refusal(header_of_file(path, 2), small), "");
    VerifyLimits records_only;
    records_only.records_only = true;
    auto const found = find_input(header_of_seed(1'000'000'000'000), records_only);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->keys, nullptr);
}

/// Numbers of a file in ascending order, with both zeros where there are two.
template <class Key>
std::vector<Key> ascending_numbers() {
    using Limits = std::numeric_limits<Key>;
    if constexpr (std::is_floating_point_v<Key>) {
        return {-Limits::infinity(), Limits::lowest(), -1.5, -0.0, 0.0, 1.5, Limits::infinity()};
    } else {
        return {Limits::min(), Limits::min() + 1, Limits::max() / 2, Limits::max()};
    }
}

template <class Key>
void expect_images_in_order_of(KeyType type) {
    KeyFolder const folder;
    std::vector<Key> const numbers = ascending_numbers<Key>();
    auto const path = folder.put(
        "keys.raw",
        std::string(reinterpret_cast<char const*>(numbers.data()), numbers.size() * sizeof(Key)));
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        for (ZeroOrder const zeros : {ZeroOrder::total, ZeroOrder::equal}) {
            RunHeader header = header_of_file(path, numbers.size());
            header.key_type = type;
            header.direction = direction;
            header.zero_order = zeros;
            auto const found = find_input(header, {});
            ASSERT_TRUE(found.has_value()) << found.error().message();
            std::vector<model::uint128> images(numbers.size());
            found->keys->images(0, std::span<model::uint128>(images));
            if (direction == Direction::descending) {
                std::ranges::reverse(images);
            }
            for (std::size_t i = 1; i < images.size(); ++i) {
                std::size_t const at = direction == Direction::ascending ? i : numbers.size() - i;
                bool const same = numbers[at - 1] == numbers[at] && zeros == ZeroOrder::equal;
                EXPECT_EQ(images[i - 1] < images[i], !same) << to_string(type) << ' ' << i;
                EXPECT_EQ(images[i - 1] == images[i], same) << to_string(type) << ' ' << i;
            }
        }
    }
}

TEST(InputKeys, OfAFileHaveImagesInTheOrderOfTheirNumbers) {
    expect_images_in_order_of<std::uint32_t>(KeyType::u32);
    expect_images_in_order_of<std::uint64_t>(KeyType::u64);
    expect_images_in_order_of<std::int32_t>(KeyType::i32);
    expect_images_in_order_of<std::int64_t>(KeyType::i64);
    expect_images_in_order_of<float>(KeyType::f32);
    expect_images_in_order_of<double>(KeyType::f64);
}

/// Too many to be kept, so that they are made in batches whenever they are asked for.
TEST(InputKeys, ThatAreNotKeptAreThoseOfTheirGeneratorInTheRunsDirection) {
    for (KeyType const type : {KeyType::u32, KeyType::i32, KeyType::f64}) {
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            RunHeader header = header_of_seed(kept_bytes_max / 4 + 5'000);
            header.key_type = type;
            header.direction = direction;
            auto const found = find_input(header);
            ASSERT_TRUE(found.has_value()) << found.error().message();
            auto const generator = model::KeyGenerator::make(
                {"uniform", std::nullopt, type, header.key_count, header.input.seed});
            ASSERT_TRUE(generator.has_value());
            std::uint64_t const begin = header.key_count - 1'500;
            std::vector<std::uint64_t> positions(1'500);
            std::iota(positions.begin(), positions.end(), begin);
            auto const expected = model::generated_images(*generator, direction, positions);
            std::vector<std::uint64_t> images(positions.size());
            found->keys->images(begin, images);
            EXPECT_TRUE(std::ranges::equal(images, expected)) << to_string(type);
            std::vector<model::uint128> wide(positions.size());
            if (key_bits(type) == 64) {
                found->keys->images(begin, wide);
                EXPECT_EQ(wide, expected);
            }
        }
    }
}

} // namespace
} // namespace keyswap::conformance
