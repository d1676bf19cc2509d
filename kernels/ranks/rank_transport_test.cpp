/// \file The contract of all transports, for threads and for NCCL. NCCL rejects two ranks on one
/// GPU; on machines with one, its functions are replaced by stand-ins that forward to a
/// ThreadTransport, and the test covers our use of them.

#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/rank_sort.hpp"

#include <nccl.h>

#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

/// Stand-in for a communicator: a thread's endpoint and the operations queued in its group.
struct ncclComm {
    std::unique_ptr<keyswap::kernels::RankTransport> end;
    std::vector<keyswap::kernels::RankMessage> sends;
    std::vector<keyswap::kernels::RankMessage> receives;
    cudaStream_t stream = nullptr;
};

namespace {

using keyswap::kernels::RankTransport;

std::mutex ends_mutex;
/// By id: endpoints that no rank has claimed yet.
std::map<std::string, std::vector<std::unique_ptr<RankTransport>>> ends;
/// Communicator of the group that this thread has begun.
thread_local ncclComm* grouped = nullptr;

/// Converts the loss of a rank to NCCL's error.
template <class Call>
ncclResult_t answer(Call const& call) {
    try {
        call();
        return ncclSuccess;
    } catch (std::exception const&) {
        return ncclRemoteError;
    }
}

} // namespace

extern "C" {
ncclResult_t ncclGetVersion(int* version) {
    *version = 22809;
    return ncclSuccess;
}
char const* ncclGetErrorString(ncclResult_t result) {
    return result == ncclRemoteError ? "a rank is lost" : "an error";
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    static int next = 0;
    std::memset(id, 0, sizeof(*id));
    std::lock_guard const lock{ends_mutex};
    std::memcpy(id, &++next, sizeof(next));
    return ncclSuccess;
}
ncclResult_t
ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank, ncclConfig_t*) {
    std::lock_guard const lock{ends_mutex};
    auto& of_id = ends[std::string(id.internal, sizeof(id.internal))];
    if (of_id.empty()) {
        of_id = keyswap::kernels::thread_transports(static_cast<std::uint32_t>(size),
                                                    std::chrono::seconds(5));
    }
    *comm = new ncclComm{std::move(of_id[static_cast<std::size_t>(rank)]), {}, {}, nullptr};
    return ncclSuccess;
}
ncclResult_t ncclCommSplit(ncclComm_t, int, int, ncclComm_t*, ncclConfig_t*) {
    return ncclInvalidUsage;
}
ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
    *rank = static_cast<int>(comm->end->rank());
    return ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t comm, int* size) {
    *size = static_cast<int>(comm->end->size());
    return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* state) {
    *state = ncclSuccess;
    return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    delete comm;
    return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    return ncclCommDestroy(comm);
}
ncclResult_t ncclGroupStart() {
    grouped = nullptr;
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    ncclComm* const comm = grouped;
    grouped = nullptr;
    if (comm == nullptr) {
        return ncclSuccess;
    }
    auto const sends = std::exchange(comm->sends, {});
    auto const receives = std::exchange(comm->receives, {});
    return answer([&] { comm->end->exchange(comm->stream, "group", sends, receives); });
}
ncclResult_t ncclAllGather(void const* own,
                           void* all,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclComm_t comm,
                           cudaStream_t stream) {
    if (type != ncclUint8) {
        return ncclInvalidArgument;
    }
    return answer([&] { comm->end->all_gather(stream, "gather", own, all, count); });
}
ncclResult_t ncclSend(void const* data,
                      std::size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream) {
    grouped = comm;
    comm->stream = stream;
    comm->sends.push_back({static_cast<std::uint32_t>(peer), const_cast<void*>(data), count});
    return type == ncclUint8 ? ncclSuccess : ncclInvalidArgument;
}
ncclResult_t ncclRecv(void* data,
                      std::size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream) {
    grouped = comm;
    comm->stream = stream;
    comm->receives.push_back({static_cast<std::uint32_t>(peer), data, count});
    return type == ncclUint8 ? ncclSuccess : ncclInvalidArgument;
}
}

namespace keyswap::kernels {
namespace {

using gpu_test::on_device;
using gpu_test::on_host;
constexpr auto patience = std::chrono::seconds(5);

/// Transport under test.
enum class Kind { threads, nccl };

class RankTransports : public ::testing::TestWithParam<Kind> {
  protected:
    void SetUp() override { KEYSWAP_NEEDS_GPUS(1); }

    /// Runs `part` on each of `count` ranks, all on device 0.
    static void run(std::uint32_t count, std::function<void(RankTransport&)> const& part) {
        auto ends_of_threads = thread_transports(count, patience);
        auto const id = make_nccl_id();
        ASSERT_TRUE(id.has_value()) << id.error().message;
        std::vector<std::jthread> threads;
        for (std::uint32_t rank = 0; rank < count; ++rank) {
            threads.emplace_back([&, rank] {
                std::unique_ptr<RankTransport> end = std::move(ends_of_threads[rank]);
                if (GetParam() == Kind::nccl) {
                    auto joined = join_nccl(*id, {rank, count, 0}, patience);
                    ASSERT_TRUE(joined.has_value()) << joined.error().message;
                    end = std::move(*joined);
                }
                EXPECT_EQ(end->rank(), rank);
                EXPECT_EQ(end->size(), count);
                part(*end);
            });
        }
    }
};

TEST_P(RankTransports, BringsTheBytesOfEveryRankToAll) {
    run(4, [](RankTransport& end) {
        Stream const stream{0};
        auto const own = on_device(std::vector<std::uint32_t>{end.rank(), 10 * end.rank(), 7});
        DeviceBuffer<std::uint32_t> const all{0, 12};
        end.all_gather(stream.get(), "test", own.data(), all.data(), 12);
        end.wait(stream.get(), "test");
        EXPECT_EQ(on_host(all.data(), 12),
                  (std::vector<std::uint32_t>{0, 0, 7, 1, 10, 7, 2, 20, 7, 3, 30, 7}));
    });
}

TEST_P(RankTransports, MatchesMessagesOfAPairInTheirOrder) {
    // Two messages to each rank including itself, of one byte and of rank + 2 bytes.
    run(3, [](RankTransport& end) {
        Stream const stream{0};
        std::uint32_t const rank = end.rank();
        auto const code = [](std::uint32_t from, std::uint32_t to, std::uint32_t which) {
            return static_cast<std::uint8_t>(100 * which + 10 * from + to);
        };
        std::vector<DeviceBuffer<std::uint8_t>> memory;
        std::vector<RankMessage> sends;
        std::vector<RankMessage> receives;
        for (std::uint32_t peer = 0; peer < 3; ++peer) {
            for (std::uint32_t which = 0; which < 2; ++which) {
                std::size_t const sent = which == 0 ? 1 : rank + 2;
                std::size_t const received = which == 0 ? 1 : peer + 2;
                memory.push_back(
                    on_device(std::vector<std::uint8_t>(sent, code(rank, peer, which))));
                sends.push_back({peer, memory.back().data(), sent});
                memory.push_back(on_device(std::vector<std::uint8_t>(received, 0xff)));
                receives.push_back({peer, memory.back().data(), received});
            }
        }
        end.exchange(stream.get(), "test", sends, receives);
        end.wait(stream.get(), "test");
        std::size_t at = 0;
        for (RankMessage const& receive : receives) {
            std::vector<std::uint8_t> const expected(
                receive.bytes, code(receive.peer, rank, static_cast<std::uint32_t>(at++ % 2)));
            EXPECT_EQ(on_host(static_cast<std::uint8_t const*>(receive.data), receive.bytes),
                      expected);
        }
    });
}

TEST_P(RankTransports, TellOfARankThatTakesNoFurtherStep) {
    run(3, [](RankTransport& end) {
        if (end.rank() == 1) {
            end.abandon();
        }
        Stream const stream{0};
        DeviceBuffer<std::uint32_t> const memory{0, 4};
        EXPECT_THROW(end.all_gather(stream.get(), "test", memory.data(), memory.data() + 1, 4),
                     RankLost);
        end.abandon();
        EXPECT_THROW(end.wait(stream.get(), "test"), RankLost);
    });
}

TEST_P(RankTransports, ShareMemoryThatEveryRankCopiesTo) {
    run(3, [](RankTransport& end) {
        Stream const stream{0};
        DeviceBuffer<std::uint32_t> const memory{0, 10};
        // Offsets in the allocation differ by rank.
        std::uint32_t* const shared = memory.data() + 2 * end.rank();
        SharedBlock const block = end.share_memory(shared, 3 * sizeof(std::uint32_t));
        ASSERT_EQ(block.addresses.size(), 3);
        EXPECT_EQ(block.addresses[end.rank()], shared);
        auto const own = on_device(std::vector<std::uint32_t>{7 + end.rank()});
        for (void* const address : block.addresses) {
            KEYSWAP_CUDA(cudaMemcpyAsync(static_cast<std::uint32_t*>(address) + end.rank(),
                                         own.data(),
                                         sizeof(std::uint32_t),
                                         cudaMemcpyDefault,
                                         stream.get()));
        }
        end.barrier(stream.get(), "test");
        end.wait(stream.get(), "test");
        EXPECT_EQ(on_host(shared, 3), (std::vector<std::uint32_t>{7, 8, 9}));
        SharedBlock const next = end.share_memory(shared, 3);
        EXPECT_GT(next.id, block.id);
        end.unshare_memory(block.id);
        end.unshare_memory(next.id);
    });
}

TEST_P(RankTransports, ReleaseSharedMemoryOfALostRank) {
    run(3, [](RankTransport& end) {
        DeviceBuffer<std::uint32_t> const memory{0, 4};
        SharedBlock const block = end.share_memory(memory.data(), 16);
        if (end.rank() == 1) {
            end.abandon();
        } else {
            EXPECT_THROW(static_cast<void>(end.share_memory(memory.data(), 16)), RankLost);
        }
        end.unshare_memory(block.id);
    });
}

TEST(NcclTransport, SharesNoMemoryIfOneRankCannot) {
    KEYSWAP_NEEDS_GPUS(1);
    constexpr std::uint32_t count = 3;
    auto const id = make_nccl_id();
    ASSERT_TRUE(id.has_value()) << id.error().message;
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        threads.emplace_back([&id, rank] {
            auto const end = join_nccl(*id, {rank, count, 0}, patience);
            ASSERT_TRUE(end.has_value()) << end.error().message;
            DeviceBuffer<std::uint32_t> const memory{0, 4};
            // More than rank 1 has allocated.
            constexpr std::size_t too_much = std::size_t{1} << 24;
            SharedBlock const none = (*end)->share_memory(memory.data(), rank == 1 ? too_much : 16);
            EXPECT_TRUE(none.addresses.empty());
            SharedBlock const all = (*end)->share_memory(memory.data(), 16);
            EXPECT_EQ(all.addresses.size(), 3);
            (*end)->unshare_memory(none.id);
            (*end)->unshare_memory(all.id);
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds,
                         RankTransports,
                         ::testing::Values(Kind::threads, Kind::nccl),
                         [](auto const& kind) {
                             return std::string{kind.param == Kind::nccl ? "Nccl" : "Threads"};
                         });

} // namespace
} // namespace keyswap::kernels
