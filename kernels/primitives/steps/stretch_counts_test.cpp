#include "kernels/primitives/steps/stretch_counts.hpp"

#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;
using gpu_test::on_device;
using gpu_test::on_host;
using gpu_test::pattern_count;

enum class Place { same_buffer, other_buffer };

/// Keys of adjacent stretches; keys of a stretch differ only in their lowest 15 bits.
struct Stretches {
    std::vector<std::uint32_t> keys;
    std::vector<std::uint64_t> begins{0};

    void add(int pattern, std::uint64_t count) {
        auto const high = static_cast<std::uint32_t>(begins.size()) << counting_bits;
        for (std::uint32_t const key : make_keys<std::uint32_t>(pattern, count, begins.size())) {
            keys.push_back(high | key % stretch_values);
        }
        begins.push_back(keys.size());
    }
    [[nodiscard]] std::uint32_t count() const {
        return static_cast<std::uint32_t>(begins.size() - 1);
    }
    [[nodiscard]] std::vector<std::uint32_t> sorted(ImageCode code) const {
        std::vector<std::uint32_t> result = keys;
        std::ranges::sort(result); // the high bits ascend from stretch to stretch
        std::ranges::transform(
            result, result.begin(), [code](std::uint32_t key) { return decode_image(key, code); });
        return result;
    }
};

using LaunchByBlock = decltype(launch_narrow_stretches);

void expect_sorted_by_blocks(LaunchByBlock& launch,
                             Stretches const& stretches,
                             Place place,
                             ImageCode code) {
    auto const from = on_device(stretches.keys);
    DeviceBuffer<std::uint32_t> const other{0, stretches.keys.size()};
    std::uint32_t* const out = place == Place::same_buffer ? from.data() : other.data();
    std::vector<SegmentPart> parts;
    for (std::uint32_t i = 0; i < stretches.count(); ++i) {
        std::uint64_t const begin = stretches.begins[i];
        parts.push_back({begin, stretches.begins[i + 1] - begin, begin, i, 0, 0});
    }
    auto const device_parts = on_device(parts);
    launch(nullptr, {from.data(), out, device_parts.data(), stretches.count(), code});
    ASSERT_EQ(on_host(out, stretches.keys.size()), stretches.sorted(code));
}

/// Every stretch is in two parts in reverse order, the first in the input buffer, the second in the
/// output buffer, behind the result.
void expect_wide_ones_are_sorted(Stretches const& stretches, ImageCode code) {
    std::vector<std::uint32_t> arrived;
    std::vector<SegmentPart> parts;
    std::vector<SegmentPart> places;
    std::uint32_t tiles = 0;
    std::uint32_t fill_tiles = 0;
    auto const tiles_of = [](std::uint64_t count, std::uint32_t tile) {
        return static_cast<std::uint32_t>((count + tile - 1) / tile);
    };
    for (std::uint32_t i = stretches.count(); i-- > 0;) {
        arrived.insert(arrived.end(),
                       stretches.keys.begin() + static_cast<std::ptrdiff_t>(stretches.begins[i]),
                       stretches.keys.begin() +
                           static_cast<std::ptrdiff_t>(stretches.begins[i + 1]));
    }
    for (std::uint32_t i = 0; i < stretches.count(); ++i) {
        std::uint64_t const begin = stretches.begins[i];
        std::uint64_t const count = stretches.begins[i + 1] - begin;
        std::uint64_t const at = stretches.keys.size() - stretches.begins[i + 1];
        std::uint32_t const segment_tile = tiles;
        std::uint64_t const third = count / 3;
        std::uint64_t const behind = stretches.keys.size();
        for (SegmentPart part : {SegmentPart{at + third, count - third, begin, i},
                                 SegmentPart{behind + at, third, begin, i}}) {
            if (part.count > 0) {
                part.first_tile = tiles;
                part.segment_tile = segment_tile;
                part.buffer = part.source < behind ? KeyBuffer::input : KeyBuffer::output;
                parts.push_back(part);
                tiles += tiles_of(part.count, stretch_tile_keys_max);
            }
        }
        places.push_back({begin, count, begin, i, fill_tiles, fill_tiles});
        fill_tiles += tiles_of(count, stretch_fill_keys);
    }
    std::vector<std::uint32_t> stayed(arrived.size());
    stayed.insert(stayed.end(), arrived.begin(), arrived.end());
    for (SegmentPart const& part : parts) {
        if (part.buffer == KeyBuffer::output) {
            std::fill_n(arrived.begin() + static_cast<std::ptrdiff_t>(part.source - arrived.size()),
                        part.count,
                        ~0U);
        }
    }
    auto const keys = on_device(arrived);
    auto const out = on_device(stayed);
    auto const device_parts = on_device(parts);
    auto const device_places = on_device(places);
    DeviceBuffer<SortTile> const device_tiles{0, tiles};
    launch_tiles(nullptr,
                 device_parts.data(),
                 static_cast<std::uint32_t>(parts.size()),
                 tiles,
                 stretch_tile_keys_max,
                 device_tiles.data());
    DeviceBuffer<std::uint32_t> const counts{0, std::size_t{stretches.count()} * stretch_values};
    DeviceBuffer<std::uint32_t> const high{0, stretches.count()};
    StretchCounters const counters{counts.data(), high.data()};
    launch_stretch_counts(nullptr,
                          {keys.data(), out.data()},
                          device_tiles.data(),
                          tiles,
                          stretches.count(),
                          counters);
    launch_stretch_fill(
        nullptr, out.data(), device_places.data(), stretches.count(), fill_tiles, counters, code);
    ASSERT_EQ(on_host(out.data(), stretches.keys.size()), stretches.sorted(code));
}

TEST(NarrowStretchKernel, SortsStretchesOfAnySizeThatItsCountersHold) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        Stretches stretches;
        for (std::uint64_t const count :
             {1ULL, 511ULL, 8'191ULL, 8'192ULL, 8'193ULL, 40'000ULL, 65'534ULL, 65'535ULL}) {
            stretches.add(pattern, count);
        }
        for (Place const place : {Place::same_buffer, Place::other_buffer}) {
            expect_sorted_by_blocks(launch_narrow_stretches, stretches, place, {});
            expect_sorted_by_blocks(launch_narrow_stretches,
                                    stretches,
                                    place,
                                    image_code(KeyType::f32, Direction::descending));
        }
    }
}

TEST(MiddleStretchKernel, SortsStretchesThatABlockCountsInto32Bits) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        Stretches stretches;
        for (std::uint64_t const count : {1ULL, 8'193ULL, 65'536ULL, 262'143ULL, 262'144ULL}) {
            stretches.add(pattern, count);
        }
        expect_sorted_by_blocks(launch_middle_stretches, stretches, Place::same_buffer, {});
        expect_sorted_by_blocks(launch_middle_stretches,
                                stretches,
                                Place::other_buffer,
                                image_code(KeyType::i32, Direction::descending));
    }
}

TEST(WideStretchKernels, SortStretchesOfAnySizeThatComeInParts) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        Stretches stretches;
        for (std::uint64_t const count :
             {1ULL, 3ULL, 8'192ULL, 8'193ULL, 65'536ULL, 524'288ULL, 1'700'003ULL}) {
            stretches.add(pattern, count);
        }
        expect_wide_ones_are_sorted(stretches, {});
        expect_wide_ones_are_sorted(stretches, image_code(KeyType::i32, Direction::ascending));
    }
}

TEST(WideStretchKernels, WriteRunsOfOneValueOverManyTilesAndGapsOfValuesThatNoKeyHas) {
    KEYSWAP_NEEDS_GPUS(1);
    Stretches stretches;
    stretches.add(1, 100'003); // one value, the lowest
    stretches.add(2, 100'003); // one value, the highest
    stretches.add(3, 50'000);  // zeros alone, as the lowest 15 bits of two values
    std::uint32_t const high = 4U << counting_bits;
    for (std::uint32_t i = 0; i < 90'000; ++i) { // from 5 to 32,000, with 3 in between
        stretches.keys.push_back(high | (i % 30'000 == 0 ? 777 + i
                                         : i < 45'000    ? 5U
                                                         : 32'000U) %
                                            stretch_values);
    }
    stretches.begins.push_back(stretches.keys.size());
    expect_wide_ones_are_sorted(stretches, {});
}

/// Small enough for racecheck, the only check that detects a missing barrier before counts.
TEST(StretchKernels, SortAFewThousandKeys) {
    KEYSWAP_NEEDS_GPUS(1);
    Stretches stretches;
    stretches.add(0, 9'001);
    stretches.add(1, 8'193);
    for (auto* const launch : {launch_narrow_stretches, launch_middle_stretches}) {
        expect_sorted_by_blocks(*launch, stretches, Place::other_buffer, {});
    }
    expect_wide_ones_are_sorted(stretches, {});
}

} // namespace
} // namespace keyswap::kernels
