#include "kernels/ranks/peer_memory.hpp"

#include "kernels/device/device_buffer.hpp"
#include "kernels/emulation/peer_bytes.hpp"
#include "kernels/ranks/nccl_transport.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

namespace keyswap::kernels {
namespace {

using emulation::open_mappings;

/// Memory offered by this process, and by another one on the same machine.
struct Offers {
    DeviceBuffer<std::byte> memory{0, 1000};
    std::byte* data = memory.data() + 300;
    MemoryOffer own = offer_memory(0, data, 700);
    MemoryOffer other = own;

    Offers() {
        ++other.process;
        other.address = 1; // means nothing here
    }
};

TEST(PeerMemory, IsUsedAsItIsWithinAProcess) {
    Offers const offers;
    MemoryOffer of_device_1 = offers.own;
    of_device_1.device = 1;
    auto const peer = PeerMemory::open(of_device_1, offers.own);
    ASSERT_TRUE(peer.has_value());
    EXPECT_EQ(peer->data(), offers.data);
    EXPECT_EQ(open_mappings(), 0);
}

TEST(PeerMemory, IsMappedAtItsOffsetUntilDestroyed) {
    Offers const offers;
    EXPECT_EQ(offers.own.offset, 300);
    {
        auto peer = PeerMemory::open(offers.other, offers.own);
        ASSERT_TRUE(peer.has_value());
        EXPECT_EQ(peer->data(), offers.data);
        EXPECT_EQ(open_mappings(), 1);
        auto again = PeerMemory::open(offers.other, offers.own);
        EXPECT_EQ(open_mappings(), 2);
        peer = std::move(again);
        PeerMemory const moved = std::move(*peer);
        EXPECT_EQ(moved.data(), offers.data);
    }
    EXPECT_EQ(open_mappings(), 0);
}

TEST(PeerMemory, CannotBeOnAnotherMachine) {
    Offers offers;
    ++offers.other.machine;
    EXPECT_FALSE(PeerMemory::open(offers.other, offers.own).has_value());
}

TEST(PeerMemory, CannotBeMappedIfCudaRefuses) {
    Offers offers;
    offers.other.allocation = {};
    EXPECT_FALSE(PeerMemory::open(offers.other, offers.own).has_value());
    EXPECT_EQ(open_mappings(), 0);
}

TEST(PeerMemory, IsNotOfferedBeyondItsAllocation) {
    DeviceBuffer<std::byte> const memory{0, 1000};
    EXPECT_NE(offer_memory(0, memory.data(), 1000).is_exportable, 0);
    EXPECT_EQ(offer_memory(0, memory.data() + 1, 1000).is_exportable, 0);
    std::byte on_host{};
    EXPECT_EQ(offer_memory(0, &on_host, 1).is_exportable, 0);
}

TEST(PeerMemory, IsNotOfferedIfNcclMustNotUseIt) {
    DeviceBuffer<std::byte> const memory{0, 1000};
    for (auto const& [value, is_exportable] :
         {std::pair{"", true}, std::pair{"0", true}, std::pair{"1", false}}) {
        ASSERT_EQ(setenv("NCCL_P2P_DISABLE", value, 1), 0);
        EXPECT_EQ(offer_memory(0, memory.data(), 1000).is_exportable != 0, is_exportable);
    }
    ASSERT_EQ(unsetenv("NCCL_P2P_DISABLE"), 0);
}

TEST(PeerMemory, OfNoRankIsSharedIfOneRankCannotAccessIt) {
    auto const id = make_nccl_id(); // of the stand-ins in rank_transport_test.cpp
    ASSERT_TRUE(id.has_value()) << id.error().message;
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        threads.emplace_back([&id, rank] {
            int const device = static_cast<int>(rank);
            auto const end = join_nccl(*id, {rank, 2, device}, std::chrono::seconds(5));
            ASSERT_TRUE(end.has_value()) << end.error().message;
            DeviceBuffer<std::byte> const memory{device, 100};
            for (bool const can_all : {true, false, true}) {
                emulation::set_peer_access(can_all || rank == 0
                                               ? emulation::PeerAccess::possible
                                               : emulation::PeerAccess::impossible);
                SharedBlock const block = (*end)->share_memory(memory.data(), 100);
                EXPECT_EQ(block.addresses.empty(), !can_all);
                (*end)->unshare_memory(block.id);
            }
        });
    }
}

} // namespace
} // namespace keyswap::kernels
