#pragma once

/// \file What tests of whole sorts share: what the result has to be, and the records of a run.

#include "kernels/device/gpu_test.hpp"
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
    if (options.value_type != ValueType::none) {
        ASSERT_EQ(keyswap::testing::unpacked_values(values, options.value_type), expected.values);
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
            if (key_size_bytes(options.key_type) == 4) {
                expect_host_sort_is_right(*sorter, make_keys<std::uint32_t>(pattern, size, size));
            } else {
                expect_host_sort_is_right(*sorter, make_keys<std::uint64_t>(pattern, size, size));
            }
            if (::testing::Test::HasFatalFailure()) {
                return;
            }
        }
    }
}

} // namespace keyswap::kernels::gpu_test
