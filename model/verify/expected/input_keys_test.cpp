#include "model/verify/expected/input_keys.hpp"

#include "model/distributions/key_generator.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <numeric>
#include <sys/stat.h>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

namespace keyswap::model::verify {
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
        ASSERT_NE(found->input, nullptr);
        EXPECT_EQ(found->input->key_count(), 2U);
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
    EXPECT_EQ(found->input, nullptr);
    EXPECT_NE(found->reason.find("not a regular file"), std::string::npos);
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
    EXPECT_EQ(found->input, nullptr);
}

/// Some numbers of a type in ascending order, with both zeros for floats.
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
            found->input->images(0, std::span<model::uint128>(images));
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

/// Too many to be held, so they are generated in batches on demand.
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
            found->input->images(begin, images);
            EXPECT_TRUE(std::ranges::equal(images, expected)) << to_string(type);
            std::vector<model::uint128> wide(positions.size());
            if (key_bits(type) == 64) {
                found->input->images(begin, wide);
                EXPECT_EQ(wide, expected);
            }
        }
    }
}

std::string raw_u32(std::vector<std::uint32_t> const& keys) {
    return {reinterpret_cast<char const*>(keys.data()), keys.size() * sizeof(std::uint32_t)};
}

RunHeader header_of_ranks(KeyFolder const& folder, std::size_t ranks, std::uint64_t key_count) {
    RunHeader header = header_of_file(folder / "keys-{rank}.raw", key_count);
    header.gpus.assign(ranks, 0);
    return header;
}

std::vector<std::uint64_t> images_of(InputKeys const& keys) {
    std::vector<std::uint64_t> images(keys.key_count());
    keys.images(0, images);
    return images;
}

TEST(InputKeys, OfRanksAreThoseOfTheirFilesOneAfterTheOther) {
    KeyFolder const folder;
    folder.put("keys-0.raw", raw_u32({9, 1}));
    folder.put("keys-1.raw", std::string()); // a rank may have no keys
    folder.put("keys-2.raw", raw_u32({5, 7, 3}));
    auto const found = find_input(header_of_ranks(folder, 3, 5));
    ASSERT_TRUE(found.has_value()) << found.error().message();
    ASSERT_NE(found->input, nullptr) << found->reason;
    EXPECT_EQ(images_of(*found->input), (std::vector<std::uint64_t>{9, 1, 5, 7, 3}));
    auto const of_one = find_input(header_of_ranks(folder, 1, 2));
    ASSERT_TRUE(of_one.has_value()) << of_one.error().message();
    EXPECT_EQ(images_of(*of_one->input), (std::vector<std::uint64_t>{9, 1}));

    std::string const name = (folder / "keys-{rank}.raw").string();
    EXPECT_EQ(
        refusal(header_of_ranks(folder, 3, 6)),
        name +
            ": has 5 keys, and the trace is of 6 (restore the name of the file that was sorted)");
    EXPECT_EQ(refusal(header_of_ranks(folder, 3, 4)),
              name + ": has more than 4 keys, and the trace is of 4 (restore the name of the file "
                     "that was sorted)");
    auto const missing = find_input(header_of_ranks(folder, 4, 5));
    ASSERT_TRUE(missing.has_value());
    EXPECT_EQ(missing->input, nullptr);
    EXPECT_EQ(missing->reason,
              "the file of keys " + (folder / "keys-3.raw").string() + " is not there");
    folder.put("keys-2.raw", std::string(5, 'x'));
    EXPECT_NE(refusal(header_of_ranks(folder, 3, 5)).find("keys-2.raw"), std::string::npos);
}

TEST(InputKeys, ThatAreNotAvailableHaveAReason) {
    RunHeader header = header_of_seed(5);
    auto const reason = [&header] {
        auto const found = find_input(header);
        EXPECT_TRUE(found.has_value() && found->input == nullptr);
        return found ? found->reason : found.error().message();
    };
    for (int const version : {-1, 0, 3}) {
        header.input.generator_version = version;
        EXPECT_EQ(reason(),
                  "seed 1 of uniform is of generator version " + std::to_string(version) +
                      ", and this program has version 2");
    }
    header.input.generator_version = 2;
    header.input.distribution = "";
    EXPECT_EQ(reason(), "the trace does not say where its keys came from");
    header.input.distribution = "no-such";
    EXPECT_NE(refusal(header).find("no-such"), std::string::npos);
    header.input.generator_version = 3; // a newer version may have more distributions
    EXPECT_NE(reason().find("of no-such is of generator version 3"), std::string::npos);
}

/// Version 1 yields other keys for rank-dependent distributions if the count is a power of two.
TEST(InputKeys, OfAnEarlierGeneratorAreMadeWhereBothMakeTheSame) {
    for (auto const& [distribution, key_count, same] :
         std::vector<std::tuple<char const*, std::uint64_t, bool>>{{"uniform", 64, true},
                                                                   {"sorted", 63, true},
                                                                   {"sorted", 64, false},
                                                                   {"sorted", 65, true},
                                                                   {"reverse-sorted", 64, false},
                                                                   {"zero", 64, true}}) {
        RunHeader header = header_of_seed(key_count);
        header.input.distribution = distribution;
        header.input.generator_version = 1;
        auto const found = find_input(header);
        ASSERT_TRUE(found.has_value()) << distribution;
        EXPECT_EQ(found->input != nullptr, same) << distribution << ' ' << key_count;
    }
}

TEST(InputKeys, AsManyAsALimitAllowsAreMade) {
    VerifyLimits limits;
    limits.regenerated_keys_max = 100;
    EXPECT_EQ(refusal(header_of_seed(100), limits), "");
    EXPECT_EQ(refusal(header_of_seed(101), limits),
              "key_count: 101 keys would have to be made again, and --key-limit is 100 (raise "
              "--key-limit, or compare only the records with --records-only)");
    // Keys are held if the run treats both zeros as equal; others are not.
    limits.memory_bytes = 399;
    EXPECT_EQ(refusal(header_of_seed(100), limits), "");
    for (KeyType const type : {KeyType::f32, KeyType::u32}) {
        RunHeader header = header_of_seed(100);
        header.key_type = type;
        header.zero_order = ZeroOrder::equal;
        EXPECT_EQ(refusal(header, limits),
                  type == KeyType::u32
                      ? ""
                      : "key_count: 100 keys of 4 bytes have to be held, and --memory-limit is 399 "
                        "bytes (raise --memory-limit, or compare only the records with "
                        "--records-only)");
    }
}

TEST(InputKeys, OfAnotherTypeThanTheTraceAreRefused) {
    KeyFolder const folder;
    std::string npy("\x93NUMPY\x01\0v\0", 10);
    std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
    text.resize(117, ' ');
    npy += text + "\n" + std::string(4, '\0');
    auto const path = folder.put("keys.npy", npy);
    EXPECT_EQ(refusal(header_of_file(path, 1)),
              path.string() + ": holds f32 keys, and the trace is of u32 (restore the name of the "
                              "file that was sorted)");
    RunHeader header = header_of_file(path, 1);
    header.key_type = KeyType::f32;
    EXPECT_EQ(refusal(header), "");
}

/// Changes the file's modification time in a loop during its lifetime.
class RestlessFile {
  public:
    explicit RestlessFile(std::filesystem::path path) : path_(std::move(path)) {
        writer_ = std::thread([this] {
            auto time = std::filesystem::last_write_time(path_);
            while (!done_) {
                time += std::chrono::seconds(1);
                std::filesystem::last_write_time(path_, time);
                ++changes_;
            }
        });
    }
    RestlessFile(RestlessFile const&) = delete;
    RestlessFile& operator=(RestlessFile const&) = delete;
    ~RestlessFile() {
        done_ = true;
        writer_.join();
    }
    [[nodiscard]] std::uint64_t changes() const { return changes_; }

  private:
    std::filesystem::path path_;
    std::atomic<bool> done_ = false;
    std::atomic<std::uint64_t> changes_ = 0;
    std::thread writer_;
};

TEST(InputKeys, OfAFileThatChangesWhileItIsReadAreRefused) {
    KeyFolder const folder;
    constexpr std::size_t keys = std::size_t{1} << 16;
    auto const path = folder.put("keys.raw", std::string(4 * keys, '\7'));
    EXPECT_EQ(refusal(header_of_file(path, keys)), "");
    RestlessFile const restless(path);
    std::string message;
    // The reader may finish before the time changes; then read again.
    while (message.empty() && restless.changes() < 1'000'000) {
        message = refusal(header_of_file(path, keys));
    }
    EXPECT_EQ(message,
              path.string() +
                  ": changed while it was being read (verify again when nothing is writing to it)");
}

} // namespace
} // namespace keyswap::model::verify
