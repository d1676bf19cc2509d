#include "kernels/device_check.hpp"

#include "kernels/check/checked_arrays_test.hpp"
#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"

namespace keyswap::kernels {
namespace {

/// Summary computed by GPU 0; the array starts `offset` keys into its memory.
template <class Word>
SortExpected<SequenceSummary> on_gpu(CheckedArray<Word> const& array,
                                     std::vector<std::size_t> const& borders,
                                     SummaryOptions const& options = {},
                                     std::size_t offset = 0) {
    std::vector<Word> shifted(offset);
    shifted.insert(shifted.end(), array.keys.begin(), array.keys.end());
    auto const keys = gpu_test::on_device(shifted);
    auto const values = gpu_test::on_device(array.values);
    std::vector<SequencePart> parts = array.parts(borders);
    for (SequencePart& part : parts) {
        std::size_t const begin =
            part.keys == nullptr
                ? 0
                : static_cast<std::size_t>(static_cast<Word const*>(part.keys) - array.keys.data());
        part.device = offset == 0 ? 0 : SequencePart::on_any_device;
        part.keys = keys.data() + offset + begin;
        part.values = array.values.empty() ? nullptr : values.data() + begin;
    }
    return summarize(array.shape, parts, options);
}

template <class Word>
void expect_what_a_host_finds(SortShape const& shape, NanOrder nan_order) {
    for (std::size_t const count : {0U, 1U, 2U, 5U, 1023U, 100'003U}) {
        auto array = random_array<Word>(shape, count, 1'000);
        for (bool const is_sorted : {false, true}) {
            if (is_sorted) {
                array.sort_keys();
            }
            SummaryOptions const options{nan_order, 77};
            std::vector<std::size_t> const borders{count / 3, count / 3, count};
            SequenceSummary expected;
            for (SequencePart const& part : array.parts(borders)) {
                expected = joined(expected, summarize_in_host_memory(shape, part, options));
            }
            for (std::size_t const offset : {0U, 1U}) {
                auto const found = on_gpu(array, borders, options, offset);
                ASSERT_TRUE(found.has_value()) << found.error().message;
                EXPECT_EQ(*found, expected)
                    << to_string(shape.key_type) << ' ' << count << ' ' << offset;
            }
        }
    }
}

TEST(DeviceCheck, FindsWhatAHostFinds) {
    KEYSWAP_NEEDS_GPUS(1);
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        for (ValueType const values : {ValueType::none, ValueType::bits64}) {
            for (KeyType const type : {KeyType::u32, KeyType::i32, KeyType::f32}) {
                expect_what_a_host_finds<std::uint32_t>({type, direction, values}, NanOrder::total);
            }
            for (KeyType const type : {KeyType::u64, KeyType::i64, KeyType::f64}) {
                expect_what_a_host_finds<std::uint64_t>({type, direction, values}, NanOrder::total);
            }
            for (KeyType const type : {KeyType::u128, KeyType::i128}) {
                expect_what_a_host_finds<WideImage>({type, direction, values}, NanOrder::total);
            }
            for (NanOrder const nans : {NanOrder::total, NanOrder::first, NanOrder::last}) {
                SortShape shape{KeyType::f32, direction, values};
                shape.zero_order = ZeroOrder::equal;
                expect_what_a_host_finds<std::uint32_t>(shape, nans);
                shape.key_type = KeyType::f64;
                expect_what_a_host_finds<std::uint64_t>(shape, nans);
            }
        }
    }
}

TEST(DeviceCheck, FindsEveryPlantedFault) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_that_planted_faults_are_found(
        [](CheckedArray<std::uint32_t> const& array, std::vector<std::size_t> const& borders) {
            return on_gpu(array, borders).value();
        });
}

TEST(DeviceCheck, JoinsPartsOfHostsAndDevices) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const array = random_array<std::uint64_t>({KeyType::u64}, 10'000, 100);
    auto const whole = on_gpu(array, {10'000});
    auto parts = array.parts({4'000, 10'000});
    auto const keys = gpu_test::on_device(array.keys);
    parts[1].device = 0;
    parts[1].keys = keys.data() + 4'000;
    auto const found = summarize(array.shape, parts);
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ(*found, *whole);
}

TEST(DeviceCheck, ReadsEveryDeviceAtOnce) {
    KEYSWAP_NEEDS_GPUS(2);
    auto const array = random_array<std::uint32_t>({KeyType::u32}, 1'000'000, 1'000);
    auto const whole = on_gpu(array, {1'000'000});
    auto parts = array.parts({300'000, 1'000'000});
    std::vector<DeviceBuffer<std::uint32_t>> buffers;
    for (int device = 0; device < 2; ++device) {
        SequencePart& part = parts[static_cast<std::size_t>(device)];
        buffers.emplace_back(device, part.count);
        DeviceScope const scope{device};
        ASSERT_EQ(cudaMemcpy(buffers.back().data(),
                             part.keys,
                             part.count * sizeof(std::uint32_t),
                             cudaMemcpyHostToDevice),
                  cudaSuccess);
        part.keys = buffers.back().data();
        part.device = device;
    }
    auto const found = summarize(array.shape, parts);
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ(*found, *whole);
    parts[0].device = 1;
    EXPECT_EQ(summarize(array.shape, parts).error().message,
              "part 1 of 2 is in the memory of device 0, not of device 1.");
}

TEST(DeviceCheck, RefusesWhatItCannotRead) {
    KEYSWAP_NEEDS_GPUS(1);
    SortShape const shape;
    std::vector<std::uint32_t> const on_host(4);
    SequencePart part{0, on_host.data(), nullptr, 3};
    EXPECT_EQ(summarize(shape, {&part, 1}).error().message,
              "part 1 of 1 is not in GPU memory. Pass it as an array in host memory.");
    auto const keys = gpu_test::on_device(on_host);
    part.keys = nullptr;
    EXPECT_EQ(summarize(shape, {&part, 1}).error().message, "part 1 of 1 has no keys.");
    part = {device_count(), keys.data(), nullptr, 3};
    EXPECT_EQ(summarize(shape, {&part, 1}).error().code, SortErrorCode::no_such_device);
    part.count = 0;
    part.device = SequencePart::on_any_device;
    EXPECT_TRUE(summarize(shape, {&part, 1}).has_value());
}

} // namespace
} // namespace keyswap::kernels
