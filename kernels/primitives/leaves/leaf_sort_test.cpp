#include "kernels/primitives/leaves/leaf_sort.hpp"

#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace keyswap::kernels {
namespace {

using gpu_test::on_device;
using gpu_test::on_host;

/// Leaves of one size whose keys crowd in a single bin between the smallest and the largest
/// key. Blocks add such leaves to the merge sort's list concurrently: thousands within
/// microseconds.
template <class Key>
void expect_crowded_leaves_are_listed(std::uint32_t leaf_count, std::uint64_t leaf_keys) {
    std::vector<Key> keys(leaf_count * leaf_keys);
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
        Key const middle = std::numeric_limits<Key>::max() / 2;
        keys[i] = i % leaf_keys == 0   ? std::numeric_limits<Key>::max()
                  : i % leaf_keys == 1 ? Key{0}
                                       : static_cast<Key>(middle + mix_bits(i) % 100'000);
    }
    std::vector<std::uint64_t> ends(leaf_count);
    std::vector<std::uint32_t> leaves((leaf_classes + 1) * std::size_t{leaf_count});
    for (std::uint32_t leaf = 0; leaf < leaf_count; ++leaf) {
        ends[leaf] = (leaf + 1) * leaf_keys;
        leaves[leaf] = leaf; // of the first class
    }
    ChildKinds kinds;
    kinds.leaves[0] = leaf_count;

    auto const device_keys = on_device(keys);
    auto const device_ends = on_device(ends);
    auto const device_counts = on_device(std::vector<std::uint64_t>(leaf_count, leaf_keys));
    auto const device_one_values = on_device(std::vector<std::uint8_t>(leaf_count, 0));
    auto const device_leaves = on_device(leaves);
    auto const device_kinds = on_device(std::vector{kinds});
    DeviceBuffer<Key> const sorted{0, keys.size()};
    ChildTable table;
    table.entries = leaf_count;
    table.counts = device_counts.data();
    table.ends = device_ends.data();
    table.one_value = device_one_values.data();
    table.leaves = device_leaves.data();
    table.kinds = device_kinds.data();
    LeafArrays arrays;
    arrays.keys_in = device_keys.data();
    arrays.keys_out = sorted.data();
    cudaStream_t const stream = nullptr;
    launch_leaf_sorts({&stream, 1}, {{sizeof(Key), 0}, Stability::unstable, table, kinds, arrays});

    EXPECT_EQ(on_host(device_kinds.data(), 1).front().crowded, leaf_count);
    for (std::uint64_t begin = 0; begin < keys.size(); begin += leaf_keys) {
        auto const first = keys.begin() + static_cast<std::ptrdiff_t>(begin);
        std::sort(first, first + static_cast<std::ptrdiff_t>(leaf_keys));
    }
    EXPECT_TRUE(std::ranges::equal(on_host(sorted.data(), keys.size()), keys));
}

TEST(LeafSortKernels, SortCrowdedLeavesThatEndTogether) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_crowded_leaves_are_listed<std::uint32_t>(20'000, 512);
    expect_crowded_leaves_are_listed<std::uint32_t>(2'000, 1'000);
    expect_crowded_leaves_are_listed<std::uint64_t>(20'000, 512);
}

} // namespace
} // namespace keyswap::kernels
