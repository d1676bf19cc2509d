// Bytes that the key swap of variant `fast` copies between devices if equal keys change GPUs.

#include "kernels/emulation/peer_bytes.hpp"
#include "kernels/rank_sort.hpp"
#include "kernels/ranks/forwarding_transport_test.hpp"
#include "kernels/sort.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace keyswap::kernels {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

struct CountedSort {
    std::vector<std::uint32_t> keys;
    std::uint64_t peer_bytes = 0;
};

/// Options that use levels for any number of keys.
SortOptions options_of(std::vector<int> devices, std::uint64_t fill_min) {
    SortOptions options;
    options.devices = std::move(devices);
    options.tuning.digits_min = 0;
    options.tuning.fill_min = fill_min;
    return options;
}

CountedSort sort_counted(std::vector<std::uint32_t> keys, std::uint64_t fill_min) {
    SortOptions const options = options_of({0, 1}, fill_min);
    auto sorter = Sorter::create(options, keys.size(), ChunkBuffers::sorter);
    EXPECT_TRUE(sorter.has_value());
    std::uint64_t const before = emulation::peer_bytes();
    EXPECT_TRUE(sorter->sort(keys.data(), nullptr, keys.size()).has_value());
    return {std::move(keys), emulation::peer_bytes() - before};
}

/// \param unsent number of keys that are filled instead of sent
void expect_unsent(std::vector<std::uint32_t> keys, std::uint64_t fill_min, std::uint64_t unsent) {
    CountedSort const all = sort_counted(keys, never);
    CountedSort const some = sort_counted(keys, fill_min);
    std::ranges::sort(keys);
    EXPECT_EQ(all.keys, keys);
    EXPECT_EQ(some.keys, keys);
    EXPECT_EQ(all.peer_bytes - some.peer_bytes, unsent * sizeof(std::uint32_t));
}

TEST(FilledSwap, SendsNoKeysOfOneValue) {
    // Each GPU holds the keys of the other.
    std::vector<std::uint32_t> keys(8000, 9);
    std::fill(keys.begin() + 4000, keys.end(), 3U);
    expect_unsent(keys, 0, 8000);
    expect_unsent(keys, 4000, 8000);
    expect_unsent(keys, 4001, 0);
}

TEST(FilledSwap, FillsWhatEachGpuLacksOfASharedValue) {
    // GPU 0 has 4,000 keys of value 9; GPU 1 has 1,000 of 3, the rest 9: GPU 0 receives the 3s and
    // keeps 3,000 of its own keys.
    std::vector<std::uint32_t> keys(8000, 9);
    std::fill_n(keys.begin() + 5000, 1000, 3U);
    expect_unsent(keys, 0, 2000);
}

TEST(FilledSwap, SendsFillsAndKeysOfOtherValuesTogether) {
    // GPU 0 has 3,000 keys of value 9, GPU 1 as many of 3, and both have 1,000 larger ones: GPU 0
    // owns the 3s and 1,000 of its own keys.
    std::vector<std::uint32_t> keys(8000, 9);
    std::fill(keys.begin() + 5000, keys.end(), 3U);
    for (std::uint32_t i = 0; i < 2000; ++i) {
        keys[3000 + i] = (i + 1) * 1'000'003;
    }
    expect_unsent(keys, 2000, 3000 + 2000);
    expect_unsent(keys, 2001, 3000);
}

/// Counts bytes that a rank sends. It shares no memory, so that keys travel as messages.
class CountingTransport final : public gpu_test::ForwardingTransport {
  public:
    CountingTransport(std::unique_ptr<RankTransport> end, std::atomic<std::uint64_t>& bytes)
        : ForwardingTransport(*end), end_(std::move(end)), bytes_(bytes) {}

    void exchange(CUstream_st* stream,
                  std::string_view step,
                  std::span<RankMessage const> sends,
                  std::span<RankMessage const> receives) override {
        for (RankMessage const& message : sends) {
            bytes_ += message.bytes;
        }
        ForwardingTransport::exchange(stream, step, sends, receives);
    }
    SharedBlock share_memory(void* data, std::size_t bytes) override {
        return {ForwardingTransport::share_memory(data, bytes).id, {}};
    }

  private:
    std::unique_ptr<RankTransport> end_;
    std::atomic<std::uint64_t>& bytes_;
};

/// Bytes sent by two ranks that each hold only keys of the other's value.
std::uint64_t bytes_sent_by_ranks(std::uint64_t keys_of_rank, std::uint64_t fill_min) {
    std::atomic<std::uint64_t> bytes = 0;
    auto transports = thread_transports(2, std::chrono::seconds(20));
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        threads.emplace_back([&, rank] {
            auto sorter = RankSorter::create(
                std::make_unique<CountingTransport>(std::move(transports[rank]), bytes),
                options_of({static_cast<int>(rank)}, fill_min),
                2 * keys_of_rank,
                ChunkBuffers::sorter);
            ASSERT_TRUE(sorter.has_value());
            std::vector<std::uint32_t> share(sorter->workspace().key_capacity, 9 - 6 * rank);
            ASSERT_TRUE(sorter->sort(share.data(), nullptr, 2 * keys_of_rank).has_value());
            std::uint32_t const expected = 3 + 6 * rank;
            EXPECT_TRUE(std::all_of(share.begin(),
                                    share.begin() + static_cast<std::ptrdiff_t>(keys_of_rank),
                                    [expected](std::uint32_t key) { return key == expected; }));
        });
    }
    threads.clear();
    return bytes;
}

TEST(FilledSwap, OfRanksSendsNoKeysOfOneValue) {
    EXPECT_EQ(bytes_sent_by_ranks(4000, never) - bytes_sent_by_ranks(4000, 4000),
              8000 * sizeof(std::uint32_t));
}

} // namespace
} // namespace keyswap::kernels
