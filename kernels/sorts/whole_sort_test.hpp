#pragma once

/// \file Helpers for tests of whole sorts: expected results, and records of a run.

#include "kernels/device/gpu_test.hpp"
#include "kernels/primitives/key_words.hpp"
#include "kernels/sort.hpp"
#include "kernels/sorts/caller_chunks_test.hpp"
#include "traces/testing/value_fixtures.hpp"

#include <cstring>
#include <numeric>

namespace keyswap::kernels::gpu_test {

/// Stores all records of a run.
class MemorySink : public TraceSink {
  public:
    void write(TraceRecord const& record) override { records.push_back(record); }
    template <class Record>
    [[nodiscard]] std::vector<Record> all() const {
        std::vector<Record> found;
        for (TraceRecord const& record : records) {
            if (auto const* const match = std::get_if<Record>(&record)) {
                found.push_back(*match);
            }
        }
        return found;
    }
    std::vector<TraceRecord> records;
};

/// A variant of RMG sort.
inline AlgorithmChoice rmg(std::string_view variant) {
    return choose("rmg", std::string{variant}).value();
}

/// Devices of g GPUs, cycling through the existing ones.
inline std::vector<int> devices(int gpus) {
    std::vector<int> list;
    for (int i = 0; i < gpus; ++i) {
        list.push_back(i % device_count());
    }
    return list;
}

/// Keys and, with values, each key's input index as its value.
template <class Word>
struct Elements {
    std::vector<Word> keys;
    std::vector<std::uint64_t> values;
};

/// The result of std::stable_sort.
template <class Word>
Elements<Word> sorted_on_cpu(std::vector<Word> const& keys, SortOptions const& options) {
    ImageCode const code = image_code(options.key_type, options.direction);
    std::vector<std::uint64_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::stable_sort(order.begin(), order.end(), [&keys, code](std::uint64_t a, std::uint64_t b) {
        return encode_image(keys[a], code) < encode_image(keys[b], code);
    });
    Elements<Word> result;
    for (std::uint64_t const i : order) {
        result.keys.push_back(keys[i]);
        result.values.push_back(i);
    }
    return result;
}

/// Checks that values are distinct input indices of keys equal to theirs.
template <class Word>
void expect_values_follow_keys(std::vector<Word> const& input,
                               std::vector<Word> const& sorted,
                               std::vector<std::uint64_t> const& values) {
    std::vector<bool> seen(input.size(), false);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        ASSERT_LT(values[i], input.size());
        ASSERT_EQ(input[values[i]], sorted[i]) << "at " << i;
        ASSERT_FALSE(seen[values[i]]) << "at " << i;
        seen[values[i]] = true;
    }
}

/// True if equal keys must keep their order: stable algorithms, but rmg-fast only on request.
inline bool keeps_order(SortOptions const& options) {
    bool const may_change =
        full_name(options.choice) == "rmg-fast" && options.stability == Stability::unstable;
    return options.choice.algorithm->stability == Stability::stable && !may_change;
}

template <class Word>
void expect_host_sort_is_right(Sorter& sorter, std::vector<Word> const& keys) {
    SortOptions const& options = sorter.options();
    std::vector<Word> result = keys;
    auto values = keyswap::testing::index_values(keys.size(), options.value_type);
    auto const report =
        sorter.sort(result.data(), values.empty() ? nullptr : values.data(), keys.size());
    ASSERT_TRUE(report.has_value()) << report.error().message;
    Elements<Word> const expected = sorted_on_cpu(keys, options);
    ASSERT_TRUE(std::memcmp(result.data(), expected.keys.data(), result.size() * sizeof(Word)) ==
                0);
    if (options.value_type == ValueType::none) {
        return;
    }
    auto const unpacked = keyswap::testing::unpacked_values(values, options.value_type);
    if (keeps_order(options)) {
        ASSERT_EQ(unpacked, expected.values);
    } else {
        expect_values_follow_keys(keys, result, unpacked);
    }
}

inline void expect_host_sort_is_right_for_all_patterns(SortOptions const& options,
                                                       std::vector<std::uint64_t> const& sizes) {
    std::uint64_t const largest = *std::max_element(sizes.begin(), sizes.end());
    auto sorter = Sorter::create(options, largest, ChunkBuffers::sorter);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    for (std::uint64_t const size : sizes) {
        for (int pattern = 0; pattern < pattern_count; ++pattern) {
            SCOPED_TRACE(std::string{to_string(options.key_type)} + " " +
                         full_name(options.choice) + " " + pattern_names[pattern] + ", " +
                         std::to_string(size) + " keys on " +
                         std::to_string(options.devices.size()) + " GPUs");
            with_key_word(static_cast<int>(key_size_bytes(options.key_type)), [&]<class Word>() {
                expect_host_sort_is_right(*sorter, make_keys<Word>(pattern, size, size));
            });
            if (::testing::Test::HasFatalFailure()) {
                return;
            }
        }
    }
}

/// Chunks on the GPUs with keys and, if the sorter has values, each key's input index as its
/// value.
template <class Word>
class ResidentChunks {
  public:
    ResidentChunks(Sorter const& sorter, std::vector<Word> const& keys)
        : count_(keys.size()), value_type_(sorter.options().value_type), chunks_(sorter) {
        std::vector<Word> given = keys;
        auto values = keyswap::testing::index_values(count_, value_type_);
        chunks_.fill({given.data(), values.data()}, count_);
    }
    [[nodiscard]] std::span<DeviceChunk const> chunks() const { return chunks_.chunks(); }

    /// All keys and values by GPU; the GPUs' shares must be contiguous.
    [[nodiscard]] Elements<Word> sorted(SortReport const& report) const {
        std::vector<Word> keys(count_);
        auto values = keyswap::testing::index_values(count_, value_type_);
        EXPECT_TRUE(chunks_.take(report, {keys.data(), values.data()}, count_));
        return {std::move(keys), keyswap::testing::unpacked_values(values, value_type_)};
    }

  private:
    std::uint64_t count_;
    ValueType value_type_;
    CallerChunks chunks_;
};

/// Sorts 32-bit keys with values in chunks on the GPUs, and checks that the order is stable.
inline void expect_chunks_are_sorted(SortOptions options, std::vector<std::uint32_t> const& keys) {
    options.value_type = ValueType::bits32;
    auto sorter = Sorter::create(options, keys.size(), ChunkBuffers::caller);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    ResidentChunks<std::uint32_t> const chunks{*sorter, keys};
    auto const report = sorter->sort_in_place(chunks.chunks(), keys.size());
    ASSERT_TRUE(report.has_value()) << report.error().message;
    auto const sorted = chunks.sorted(*report);
    auto const expected = sorted_on_cpu(keys, options);
    EXPECT_EQ(sorted.keys, expected.keys);
    EXPECT_EQ(sorted.values, expected.values);
}

} // namespace keyswap::kernels::gpu_test
