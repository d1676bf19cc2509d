#include "kernels/rank_sort.hpp"
#include "kernels/ranks/forwarding_transport_test.hpp"
#include "kernels/sorts/whole_sort_test.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <thread>

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;
using gpu_test::pattern_count;
using gpu_test::pattern_names;
using gpu_test::sorted_on_cpu;

constexpr auto patience = std::chrono::seconds(20);

/// Runs `part` on each of `count` ranks.
void on_ranks(std::uint32_t count, std::function<void(std::uint32_t)> const& part) {
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        threads.emplace_back(part, rank);
    }
}

/// A rank's chunk on its GPU; each value is its key's input index.
struct RankChunk {
    DeviceBuffer<std::byte> keys[2];
    DeviceBuffer<std::byte> values[2];

    RankChunk(int device, std::uint64_t capacity) {
        for (int buffer = 0; buffer < 2; ++buffer) {
            keys[buffer] = DeviceBuffer<std::byte>{device, capacity * sizeof(std::uint32_t)};
            values[buffer] = DeviceBuffer<std::byte>{device, capacity * sizeof(std::uint64_t)};
        }
    }
    [[nodiscard]] DeviceChunk chunk() const {
        return {keys[0].data(), keys[1].data(), values[0].data(), values[1].data(), nullptr};
    }
};

template <class T>
void copy(T* destination, T const* source, std::uint64_t count) {
    KEYSWAP_CUDA(cudaMemcpy(destination, source, count * sizeof(T), cudaMemcpyDefault));
}

/// Sorts keys with values in chunks on the ranks' GPUs, and compares the result with a CPU sort.
/// \param transports [rank] \param devices [rank]
void expect_sorted(std::vector<std::unique_ptr<RankTransport>> transports,
                   std::vector<int> const& devices,
                   SortOptions const& options,
                   std::vector<std::uint32_t> const& keys) {
    std::vector<std::uint32_t> sorted(keys.size());
    std::vector<std::uint64_t> values(keys.size());
    on_ranks(static_cast<std::uint32_t>(devices.size()), [&](std::uint32_t rank) {
        SortOptions own = options;
        own.value_type = ValueType::bits64;
        own.devices = {devices[rank]};
        auto sorter =
            RankSorter::create(std::move(transports[rank]), own, keys.size(), ChunkBuffers::caller);
        ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
        DeviceScope const scope{devices[rank]};
        RankChunk const memory{devices[rank], sorter->workspace().key_capacity};
        DeviceChunk const chunk = memory.chunk();
        auto const shared = sorter->share_chunk(chunk);
        ASSERT_TRUE(shared.has_value()) << shared.error().message;
        std::uint64_t const size = sorter->chunk_size(keys.size());
        std::uint64_t const begin = std::min<std::uint64_t>(keys.size(), rank * size);
        std::uint64_t const count = std::min<std::uint64_t>(keys.size() - begin, size);
        std::vector<std::uint64_t> places(count);
        std::iota(places.begin(), places.end(), begin);
        copy(static_cast<std::uint32_t*>(chunk.keys), keys.data() + begin, count);
        copy(static_cast<std::uint64_t*>(chunk.values),
             static_cast<std::uint64_t const*>(places.data()),
             count);
        KEYSWAP_CUDA(cudaDeviceSynchronize());
        auto const report = sorter->sort_in_place(chunk, keys.size());
        ASSERT_TRUE(report.has_value()) << report.error().message;
        SortedChunk const owned = report->chunks.at(0);
        ASSERT_LE(owned.base + owned.count, keys.size());
        auto const at = static_cast<std::size_t>(owned.in_alternate);
        copy(sorted.data() + owned.base,
             reinterpret_cast<std::uint32_t const*>(memory.keys[at].data()),
             owned.count);
        copy(values.data() + owned.base,
             reinterpret_cast<std::uint64_t const*>(memory.values[at].data()),
             owned.count);
    });
    EXPECT_EQ(sorted, sorted_on_cpu(keys, options).keys);
    gpu_test::expect_values_follow_keys(keys, sorted, values);
}

/// Counts messages, and those outside of memory that the rank offered to share.
class WatchedTransport final : public gpu_test::ForwardingTransport {
  public:
    /// What the ranks do with memory that they share.
    enum class Sharing { refused, allowed };
    struct Notes {
        std::atomic<int> messages = 0;
        std::atomic<int> unknown = 0;
        std::atomic<int> still_shared = 0;
    };
    WatchedTransport(std::unique_ptr<RankTransport> end, Sharing sharing, Notes& notes)
        : ForwardingTransport(*end), end_(std::move(end)), sharing_(sharing), notes_(notes) {}
    ~WatchedTransport() override { notes_.still_shared += static_cast<int>(blocks_.size()); }

    void exchange(CUstream_st* stream,
                  std::string_view step,
                  std::span<RankMessage const> sends,
                  std::span<RankMessage const> receives) override {
        for (auto const& messages : {sends, receives}) {
            for (RankMessage const& message : messages) {
                ++notes_.messages;
                auto* const data = static_cast<std::byte*>(message.data);
                bool const known =
                    message.bytes == 0 || std::ranges::any_of(blocks_, [&](auto const& block) {
                        auto const& [begin, bytes] = block.second;
                        return data >= begin && data + message.bytes <= begin + bytes;
                    });
                notes_.unknown += known ? 0 : 1;
            }
        }
        ForwardingTransport::exchange(stream, step, sends, receives);
    }
    SharedBlock share_memory(void* data, std::size_t bytes) override {
        SharedBlock block = ForwardingTransport::share_memory(data, bytes);
        blocks_[block.id] = {static_cast<std::byte*>(data), bytes};
        if (sharing_ == Sharing::refused) {
            block.addresses.clear();
        }
        return block;
    }
    void unshare_memory(std::uint64_t id) noexcept override {
        blocks_.erase(id);
        ForwardingTransport::unshare_memory(id);
    }

  private:
    std::unique_ptr<RankTransport> end_;
    Sharing sharing_;
    Notes& notes_;
    std::map<std::uint64_t, std::pair<std::byte*, std::size_t>> blocks_;
};
using Sharing = WatchedTransport::Sharing;

std::vector<std::unique_ptr<RankTransport>>
watched(std::uint32_t ranks, Sharing sharing, WatchedTransport::Notes& notes) {
    std::vector<std::unique_ptr<RankTransport>> transports;
    for (auto& end : thread_transports(ranks, patience)) {
        transports.push_back(std::make_unique<WatchedTransport>(std::move(end), sharing, notes));
    }
    return transports;
}

std::vector<AlgorithmChoice> choices() {
    return {choose("rmg", "paper").value(),
            choose("rmg", "rotated").value(),
            choose("rmg", "fast").value(),
            choose("sample-sort", "paper").value(),
            choose("sample-sort", "fast").value()};
}

TEST(RankSorter, SortsChunksOnVirtualGpus) {
    KEYSWAP_NEEDS_GPUS(1);
    for (AlgorithmChoice const& choice : choices()) {
        for (int const ranks : {1, 2, 5}) {
            for (int pattern = 0; pattern < pattern_count; ++pattern) {
                SCOPED_TRACE(full_name(choice) + " " + pattern_names[pattern] + " on " +
                             std::to_string(ranks));
                SortOptions options;
                options.choice = choice;
                options.tolerance_ppm = 20'000;
                expect_sorted(thread_transports(static_cast<std::uint32_t>(ranks), patience),
                              std::vector<int>(static_cast<std::size_t>(ranks), 0),
                              options,
                              make_keys<std::uint32_t>(pattern, 50'021, 3));
            }
        }
    }
}

TEST(RankSorter, SendsMessagesBetweenBuffersThatCannotBeShared) {
    KEYSWAP_NEEDS_GPUS(1);
    for (AlgorithmChoice const& choice : choices()) {
        SCOPED_TRACE(full_name(choice));
        SortOptions options;
        options.choice = choice;
        auto const keys = make_keys<std::uint32_t>(0, 20'011, 3);
        for (Sharing const sharing : {Sharing::refused, Sharing::allowed}) {
            WatchedTransport::Notes in_place;
            expect_sorted(watched(3, sharing, in_place), {0, 0, 0}, options, keys);
            WatchedTransport::Notes from_host;
            auto transports = watched(3, sharing, from_host);
            on_ranks(3, [&](std::uint32_t rank) {
                SortOptions own = options;
                own.devices = {0};
                auto sorter = RankSorter::create(
                    std::move(transports[rank]), own, keys.size(), ChunkBuffers::sorter);
                ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
                EXPECT_EQ(sorter->copies_to_peers(), sharing == Sharing::allowed);
                std::vector<std::uint32_t> share(sorter->workspace().key_capacity);
                std::uint64_t const begin = rank * sorter->chunk_size(keys.size());
                std::copy_n(keys.begin() + static_cast<std::ptrdiff_t>(begin),
                            std::min(sorter->chunk_size(keys.size()), keys.size() - begin),
                            share.begin());
                EXPECT_TRUE(sorter->sort(share.data(), nullptr, keys.size()).has_value());
            });
            for (auto const* const notes : {&in_place, &from_host}) {
                EXPECT_EQ(notes->messages > 0, sharing == Sharing::refused);
                EXPECT_EQ(notes->unknown, 0);
                EXPECT_EQ(notes->still_shared, 0);
            }
        }
    }
}

/// Sorts descending chunks by two ranks with shared memory that is larger than a chunk.
/// \param place of a rank's chunk in its memory: 0 to 2, or nullopt for memory that is not shared
/// \return number of messages
int messages_for_chunks_at(std::array<std::optional<std::size_t>, 2> const& place) {
    constexpr std::uint64_t key_count = 40'000;
    WatchedTransport::Notes notes;
    auto transports = watched(2, Sharing::allowed, notes);
    std::vector<std::uint32_t> sorted(key_count);
    on_ranks(2, [&](std::uint32_t rank) {
        SortOptions options;
        options.devices = {0};
        auto sorter = RankSorter::create(
            std::move(transports[rank]), options, key_count, ChunkBuffers::caller);
        ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
        std::uint64_t const capacity = sorter->workspace().key_capacity;
        DeviceBuffer<std::uint32_t> const keys{0, 4 * capacity};
        DeviceBuffer<std::uint32_t> const alternate{0, 4 * capacity};
        DeviceBuffer<std::uint32_t> const other{0, 2 * capacity};
        // Blocks overlap, and are not in the order of their use.
        std::vector<std::vector<SharedMemory>> shared;
        for (std::uint64_t const begin : {2 * capacity, capacity, std::uint64_t{0}}) {
            auto made = sorter->share_chunk(
                {keys.data() + begin, alternate.data() + begin, nullptr, nullptr, nullptr});
            ASSERT_TRUE(made.has_value()) << made.error().message;
            shared.push_back(std::move(*made));
        }
        std::size_t const skipped = 512 * place[rank].value_or(0);
        DeviceChunk chunk{
            keys.data() + skipped, alternate.data() + skipped, nullptr, nullptr, nullptr};
        if (!place[rank]) {
            chunk.keys = other.data();
            chunk.alternate_keys = other.data() + capacity;
        }
        std::uint64_t const size = sorter->chunk_size(key_count);
        std::vector<std::uint32_t> share(size);
        for (int call = 0; call < 3; ++call) {
            for (std::uint64_t i = 0; i < size; ++i) {
                share[i] = static_cast<std::uint32_t>(107'000 * (key_count - rank * size - i));
            }
            copy(static_cast<std::uint32_t*>(chunk.keys), share.data(), size);
            KEYSWAP_CUDA(cudaDeviceSynchronize());
            auto const report = sorter->sort_in_place(chunk, key_count);
            ASSERT_TRUE(report.has_value()) << report.error().message;
            SortedChunk const owned = report->chunks.at(0);
            void const* const result = owned.in_alternate ? chunk.alternate_keys : chunk.keys;
            copy(
                sorted.data() + owned.base, static_cast<std::uint32_t const*>(result), owned.count);
            std::swap(chunk.keys, chunk.alternate_keys);
        }
    });
    for (std::uint64_t i = 0; i < key_count; ++i) {
        if (sorted[i] != static_cast<std::uint32_t>(107'000 * (i + 1))) {
            ADD_FAILURE() << "wrong key at " << i;
            break;
        }
    }
    EXPECT_EQ(notes.still_shared, 0);
    return notes.messages;
}

TEST(RankSorter, FindsChunksAnywhereInSharedMemory) {
    KEYSWAP_NEEDS_GPUS(1);
    EXPECT_EQ(messages_for_chunks_at({0, 0}), 0);
    EXPECT_EQ(messages_for_chunks_at({1, 0}), 0);
    EXPECT_EQ(messages_for_chunks_at({1, 2}), 0);
}

TEST(RankSorter, SendsMessagesIfOneChunkIsNotShared) {
    KEYSWAP_NEEDS_GPUS(1);
    EXPECT_GT(messages_for_chunks_at({std::nullopt, 1}), 0);
    EXPECT_GT(messages_for_chunks_at({2, std::nullopt}), 0);
}

TEST(RankSorter, SortsByNcclOnTwoGpus) {
    KEYSWAP_NEEDS_GPUS(2);
    for (AlgorithmChoice const& choice : choices()) {
        auto const id = make_nccl_id();
        ASSERT_TRUE(id.has_value()) << id.error().message;
        std::vector<std::unique_ptr<RankTransport>> transports(2);
        on_ranks(2, [&](std::uint32_t rank) {
            auto joined = join_nccl(*id, {rank, 2, static_cast<int>(rank)}, patience);
            ASSERT_TRUE(joined.has_value()) << joined.error().message;
            transports[rank] = std::move(*joined);
        });
        SortOptions options;
        options.choice = choice;
        expect_sorted(
            std::move(transports), {0, 1}, options, make_keys<std::uint32_t>(7, 300'017, 4));
    }
}

TEST(RankSorter, RefusesSortsThatNeedTheMemoryOfAllGpus) {
    for (std::string_view const name : gpu_sorts()) {
        SortOptions options;
        options.choice = choose(name, std::nullopt).value();
        options.devices = {device_count()}; // checked after the algorithm
        auto const sorter = RankSorter::create(
            std::move(thread_transports(1, patience).front()), options, 1, ChunkBuffers::sorter);
        ASSERT_FALSE(sorter.has_value());
        bool const is_known = name == "rmg" || name == "sample-sort";
        EXPECT_EQ(sorter.error().code,
                  is_known ? SortErrorCode::no_such_device : SortErrorCode::invalid_option)
            << sorter.error().message;
    }
}

TEST(RankSorter, RefusesARankWithTwoGpus) {
    SortOptions options;
    options.devices = {0, 1};
    auto const sorter = RankSorter::create(
        std::move(thread_transports(1, patience).front()), options, 1, ChunkBuffers::sorter);
    EXPECT_EQ(sorter.error().code, SortErrorCode::invalid_option);
}

TEST(RankSorter, ReportsDifferentOptionsToEveryRank) {
    KEYSWAP_NEEDS_GPUS(1);
    auto transports = thread_transports(3, patience);
    on_ranks(3, [&](std::uint32_t rank) {
        SortOptions options;
        options.tolerance_ppm = rank == 2 ? 7 : 5'000;
        auto const sorter =
            RankSorter::create(std::move(transports[rank]), options, 100, ChunkBuffers::sorter);
        ASSERT_FALSE(sorter.has_value());
        EXPECT_EQ(sorter.error().code, SortErrorCode::rank_failure);
        EXPECT_NE(sorter.error().message.find(rank == 2 ? "rank 0" : "rank 2"), std::string::npos)
            << sorter.error().message;
    });
}

TEST(RankSorter, ReportsDifferentBuffersToEveryRank) {
    KEYSWAP_NEEDS_GPUS(1);
    auto transports = thread_transports(2, patience);
    on_ranks(2, [&](std::uint32_t rank) {
        auto const sorter =
            RankSorter::create(std::move(transports[rank]),
                               SortOptions{},
                               100,
                               rank == 0 ? ChunkBuffers::sorter : ChunkBuffers::caller);
        ASSERT_FALSE(sorter.has_value());
        EXPECT_NE(sorter.error().message.find("has other options"), std::string::npos)
            << sorter.error().message;
    });
}

TEST(RankSorter, EndsWhereARankStaysAway) {
    KEYSWAP_NEEDS_GPUS(1);
    std::int64_t const before = device_bytes_held;
    auto transports = thread_transports(3, std::chrono::milliseconds(300));
    on_ranks(3, [&](std::uint32_t rank) {
        auto sorter = RankSorter::create(
            std::move(transports[rank]), SortOptions{}, 90, ChunkBuffers::sorter);
        ASSERT_TRUE(sorter.has_value()) << sorter.error().message;
        if (rank == 1) {
            return;
        }
        std::vector<std::uint32_t> keys(sorter->workspace().key_capacity, rank);
        for (int call = 0; call < 2; ++call) {
            auto const report = sorter->sort(keys.data(), nullptr, 90);
            ASSERT_FALSE(report.has_value());
            EXPECT_EQ(report.error().code, SortErrorCode::rank_failure);
            EXPECT_EQ(report.error().input, InputState::intact);
        }
    });
    EXPECT_EQ(device_bytes_held, before);
}

} // namespace
} // namespace keyswap::kernels
