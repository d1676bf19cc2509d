#pragma once

/// \file What tests of whole sorts share: what the result has to be, and the records of a run.

#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/primitives/key_words.hpp"
#include "kernels/sort.hpp"
#include "traces/testing/value_fixtures.hpp"

#include <cstring>
#include <numeric>

namespace keyswap::kernels::gpu_test {

/// Keeps all records of a run.
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

/// g GPUs, going around the devices that exist.
inline std::vector<int> devices(int gpus) {
    std::vector<int> list;
    for (int i = 0; i < gpus; ++i) {
        list.push_back(i % device_count());
    }
    return list;
}

/// Keys and, where there are any, values that tell each key's place in the input.
template <class Word>
struct Elements {
    std::vector<Word> keys;
    std::vector<std::uint64_t> values;
};

/// What std::stable_sort makes of them.
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

/// Every value names a place of the input of its own, which held the value's key.
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

/// Variant fast of RMG sort divides pairs by digits where nobody asks for the order of equal keys.
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
            with_key_word(static_cast<int>(key_size_bytes(options.key_type)),
                          [&]<class Word>(std::type_identity<Word> /*word*/) {
                              expect_host_sort_is_right(*sorter,
                                                        make_keys<Word>(pattern, size, size));
                          });
            if (::testing::Test::HasFatalFailure()) {
                return;
            }
        }
    }
}

/// Chunks on the GPUs, each with a stream of its own and values of 32 bits that tell each key's
/// place in the input.
template <class Word>
class ResidentChunks {
  public:
    ResidentChunks(Sorter const& sorter, std::vector<Word> const& keys) {
        SortOptions const& options = sorter.options();
        auto const gpus = options.devices.size();
        std::size_t const chunk = (keys.size() + gpus - 1) / gpus;
        capacity_ = sorter.workspace().key_capacity;
        for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
            int const device = options.devices[gpu];
            std::size_t const begin = std::min(keys.size(), gpu * chunk);
            std::size_t const size = std::min(chunk, keys.size() - begin);
            std::vector<std::uint32_t> index(size);
            std::iota(index.begin(), index.end(), static_cast<std::uint32_t>(begin));
            for (int buffer = 0; buffer < 2; ++buffer) {
                keys_.emplace_back(device, capacity_);
                values_.emplace_back(device, capacity_);
            }
            streams_.emplace_back(device);
            DeviceChunk& arrays = chunks_.emplace_back();
            arrays.keys = keys_[2 * gpu].data();
            arrays.alternate_keys = keys_[2 * gpu + 1].data();
            if (options.value_type != ValueType::none) {
                arrays.values = values_[2 * gpu].data();
                arrays.alternate_values = values_[2 * gpu + 1].data();
                KEYSWAP_CUDA(
                    cudaMemcpy(arrays.values, index.data(), size * 4, cudaMemcpyHostToDevice));
            }
            arrays.stream = streams_.back().get();
            KEYSWAP_CUDA(cudaMemcpy(
                arrays.keys, keys.data() + begin, size * sizeof(Word), cudaMemcpyHostToDevice));
        }
        KEYSWAP_CUDA(cudaDeviceSynchronize());
    }
    [[nodiscard]] std::span<DeviceChunk const> chunks() const { return chunks_; }

    /// All keys and values in the order of the GPUs, whose shares must follow each other.
    [[nodiscard]] Elements<Word> sorted(SortReport const& report) const {
        Elements<Word> all;
        for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
            SortedChunk const& share = report.chunks[gpu];
            EXPECT_EQ(share.base, all.keys.size());
            EXPECT_LE(share.count, capacity_);
            std::size_t const buffer = 2 * gpu + (share.in_alternate ? 1 : 0);
            auto const keys = on_host(keys_[buffer].data(), share.count);
            auto const values = on_host(values_[buffer].data(), share.count);
            all.keys.insert(all.keys.end(), keys.begin(), keys.end());
            all.values.insert(all.values.end(), values.begin(), values.end());
        }
        return all;
    }

  private:
    std::uint64_t capacity_ = 0;
    std::vector<DeviceBuffer<Word>> keys_; ///< [2 g], current and alternate
    std::vector<DeviceBuffer<std::uint32_t>> values_;
    std::vector<Stream> streams_;
    std::vector<DeviceChunk> chunks_;
};

/// Sorts 32-bit keys with values in chunks that lie on the GPUs, and wants equal keys in order.
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
