#include "tools/record/process/guarded_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <unistd.h>
#include <utility>

namespace keyswap::conformance {
namespace {

constexpr std::size_t sizes[] = {0, 1, 4, 63, 64, 65, 1000, 4095, 4096, 4097, 20'000};

std::uintptr_t address_of(std::byte const* byte) {
    return reinterpret_cast<std::uintptr_t>(byte);
}

TEST(GuardedMemory, IsAlignedAndAsLargeAsAsked) {
    for (std::size_t const size : sizes) {
        auto const memory = GuardedMemory::allocate(size);
        ASSERT_TRUE(memory.has_value());
        EXPECT_EQ(memory->bytes().size(), size);
        EXPECT_EQ(address_of(memory->bytes().data()) % 64, 0U);
        std::ranges::fill(memory->bytes(), std::byte{1});
        EXPECT_EQ(memory->changed_side(), std::nullopt) << size;
    }
}

/// Every byte around the memory is either checked or in a guard; no byte of the memory is.
TEST(GuardedMemory, NamesTheSideOfEveryAdjacentByte) {
    auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (std::size_t const size : sizes) {
        auto const memory = GuardedMemory::allocate(size);
        ASSERT_TRUE(memory.has_value());
        std::byte* const begin = memory->bytes().data();
        std::byte* const end = begin + size;
        auto const expect_known = [&](std::byte* byte, MemorySide side) {
            if (auto const guard = memory->guard_at(address_of(byte))) {
                EXPECT_EQ(*guard, side);
                return;
            }
            *byte ^= std::byte{1};
            EXPECT_EQ(memory->changed_side(), side) << size << ", " << byte - begin;
            *byte ^= std::byte{1};
        };
        for (std::size_t i = 0; i < page + 64; ++i) {
            expect_known(end + i, MemorySide::after);
            expect_known(begin - 1 - i, MemorySide::before);
        }
        if (size > 0) {
            EXPECT_EQ(memory->guard_at(address_of(begin)), std::nullopt);
            EXPECT_EQ(memory->guard_at(address_of(end) - 1), std::nullopt);
        }
        EXPECT_EQ(memory->changed_side(), std::nullopt);
    }
}

TEST(GuardedMemory, GuardsReachAMebibyte) {
    constexpr std::size_t guard_bytes = std::size_t{1} << 20;
    auto const memory = GuardedMemory::allocate(64);
    ASSERT_TRUE(memory.has_value());
    std::uintptr_t first_after = address_of(memory->bytes().data());
    while (!memory->guard_at(first_after)) {
        ++first_after;
    }
    std::uintptr_t last_before = address_of(memory->bytes().data());
    while (!memory->guard_at(last_before)) {
        --last_before;
    }
    EXPECT_EQ(memory->guard_at(first_after + guard_bytes - 1), MemorySide::after);
    EXPECT_EQ(memory->guard_at(first_after + guard_bytes), std::nullopt);
    EXPECT_EQ(memory->guard_at(last_before - guard_bytes + 1), MemorySide::before);
    EXPECT_EQ(memory->guard_at(last_before - guard_bytes), std::nullopt);
}

TEST(GuardedMemory, BelongsToWhomItWasMovedTo) {
    auto made = GuardedMemory::allocate(100);
    ASSERT_TRUE(made.has_value());
    std::byte* const place = made->bytes().data();
    GuardedMemory moved = std::move(*made);
    EXPECT_EQ(moved.bytes().data(), place);
    EXPECT_EQ(moved.bytes().size(), 100U);
    moved.bytes()[99] = std::byte{7};
    EXPECT_EQ(moved.changed_side(), std::nullopt);
}

} // namespace
} // namespace keyswap::conformance
