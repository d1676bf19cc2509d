#include "kernels/device/peer_access.hpp"

#include "kernels/emulation/peer_bytes.hpp"
#include "kernels/sort.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace keyswap::kernels {
namespace {

using emulation::PeerAccess;

TEST(PeerAccess, IsMissingIfDevicesHaveNoneOrTooManyPeers) {
    for (PeerAccess const access :
         {PeerAccess::impossible, PeerAccess::exhausted, PeerAccess::possible}) {
        emulation::set_peer_access(access);
        EXPECT_EQ(enable_peer_access({0, 1}), access == PeerAccess::possible);
        EXPECT_TRUE(enable_peer_access({1}));
    }
}

TEST(PeerAccess, OfAllPairsIsNoConditionOfASort) {
    std::vector<std::uint32_t> keys(10'000);
    std::ranges::generate(keys, [next = 1U]() mutable { return next *= 1'664'525U; });
    std::vector<std::uint32_t> expected = keys;
    std::ranges::sort(expected);
    emulation::set_peer_access(PeerAccess::exhausted);
    SortOptions options;
    options.devices = {0, 1};
    auto sorter = Sorter::create(options, keys.size(), ChunkBuffers::sorter);
    emulation::set_peer_access(PeerAccess::possible);
    ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
    auto const report = sorter->sort(keys.data(), nullptr, keys.size());
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_FALSE(report->peer_access);
    EXPECT_EQ(keys, expected);
}

} // namespace
} // namespace keyswap::kernels
