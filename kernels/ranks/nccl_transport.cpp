#include "kernels/ranks/nccl_transport.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/ranks/nccl_library.hpp"
#include "kernels/ranks/peer_memory.hpp"
#include "kernels/ranks/rank_step.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <type_traits>

namespace keyswap::kernels {

namespace {

using Clock = std::chrono::steady_clock;

/// GPU work takes milliseconds; after this time, polling is less frequent.
constexpr auto busy_wait = std::chrono::milliseconds{2};
constexpr auto pause = std::chrono::microseconds{50};

/// Yields at first; after busy_wait, sleeps for `pause`.
void idle(Clock::time_point begin) {
    if (Clock::now() - begin < busy_wait) {
        std::this_thread::yield();
    } else {
        std::this_thread::sleep_for(pause);
    }
}

std::string version_text(NcclLibrary const& nccl) {
    int version = 0;
    if (nccl.get_version(&version) != ncclSuccess) {
        return "NCCL";
    }
    return "NCCL " + std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) +
           '.' + std::to_string(version % 100);
}

/// Owns a non-blocking communicator: NCCL calls may return ncclInProgress.
class NcclTransport final : public RankTransport {
  public:
    NcclTransport(NcclLibrary const& nccl, int device, std::chrono::milliseconds patience)
        : nccl_(nccl), device_(device), patience_(patience) {}
    ~NcclTransport() override {
        if (comm_ != nullptr) {
            static_cast<void>(nccl_.comm_destroy(comm_));
        }
    }

    /// \throws RankLost
    void join(NcclId const& id, RankPlace place) {
        ncclUniqueId unique{};
        static_assert(sizeof(unique) == sizeof(id));
        std::memcpy(&unique, id.data(), sizeof(unique));
        ncclConfig_t config = configuration();
        settle("joining the ranks",
               nccl_.comm_init_rank_config(&comm_,
                                           static_cast<int>(place.size),
                                           unique,
                                           static_cast<int>(place.rank),
                                           &config));
        learn_place();
    }
    /// \throws RankLost
    void duplicate(ncclComm* comm) {
        int rank = 0;
        expect("asking for the rank", nccl_.comm_user_rank(comm, &rank));
        ncclConfig_t config = configuration();
        settle("duplicating the communicator", nccl_.comm_split(comm, 0, rank, &comm_, &config));
        learn_place();
    }

    [[nodiscard]] std::uint32_t rank() const override { return rank_; }
    [[nodiscard]] std::uint32_t size() const override { return size_; }
    [[nodiscard]] std::string name() const override { return version_text(nccl_); }

    [[nodiscard]] bool has_distinct_gpus() const override { return true; }

    void all_gather(CUstream_st* stream,
                    std::string_view step,
                    void const* own,
                    void* all,
                    std::size_t bytes) override {
        expect_here(step);
        settle(step, nccl_.all_gather(own, all, bytes, ncclUint8, comm_, stream));
    }

    void exchange(CUstream_st* stream,
                  std::string_view step,
                  std::span<RankMessage const> sends,
                  std::span<RankMessage const> receives) override {
        expect_here(step);
        expect(step, nccl_.group_start());
        ncclResult_t first_error = ncclSuccess;
        auto const note = [&first_error](ncclResult_t result) {
            if (first_error == ncclSuccess && result != ncclInProgress) {
                first_error = result;
            }
        };
        for (RankMessage const& send : sends) {
            note(nccl_.send(
                send.data, send.bytes, ncclUint8, static_cast<int>(send.peer), comm_, stream));
        }
        for (RankMessage const& receive : receives) {
            note(nccl_.receive(receive.data,
                               receive.bytes,
                               ncclUint8,
                               static_cast<int>(receive.peer),
                               comm_,
                               stream));
        }
        // A group must be ended even after an error.
        ncclResult_t const end = nccl_.group_end();
        expect(step, first_error);
        settle(step, end);
    }

    void barrier(CUstream_st* stream, std::string_view step) override {
        // The bytes mean nothing, so that barriers in several streams may share them.
        all_gather(stream, step, signals_.data() + rank_, signals_.data(), 1);
    }

    SharedBlock share_memory(void* data, std::size_t bytes) override {
        constexpr std::string_view step = "sharing memory";
        expect_here(step);
        DeviceScope const scope{device_};
        auto const offers = gather(step, offer_memory(device_, data, bytes));
        Shared shared;
        SharedBlock block{++blocks_, {}};
        for (MemoryOffer const& offer : offers) {
            auto peer = PeerMemory::open(offer, offers[rank_]);
            if (!peer) {
                break;
            }
            block.addresses.push_back(peer->data());
            shared.peers.push_back(std::move(*peer));
            shared.crosses_processes =
                shared.crosses_processes || offer.process != offers.front().process;
        }
        auto const opened = gather(step, std::uint64_t{block.addresses.size()});
        if (std::ranges::any_of(opened, [this](std::uint64_t count) { return count < size_; })) {
            block.addresses.clear();
            shared = {};
            shared.registration = registration_of(data, bytes);
        }
        shared_.emplace(block.id, std::move(shared));
        return block;
    }
    void unshare_memory(std::uint64_t id) noexcept override {
        auto const found = shared_.find(id);
        if (found == shared_.end()) {
            return;
        }
        try {
            DeviceScope const scope{device_};
            bool const others_map_it = found->second.crosses_processes;
            if (found->second.registration != nullptr && comm_ != nullptr) {
                static_cast<void>(nccl_.comm_deregister(comm_, found->second.registration));
            }
            shared_.erase(found);
            if (others_map_it && comm_ != nullptr) {
                constexpr std::string_view step = "releasing shared memory";
                Stream const stream{device_};
                barrier(stream.get(), step);
                wait(stream.get(), step);
            }
        } catch (std::exception const&) {
            abandon(); // a rank is lost, or the device failed: no further sort is possible
        }
    }

    void wait(CUstream_st* stream, std::string_view step) override {
        wait_while_not_ready([stream] { return cudaStreamQuery(stream); }, step);
    }

    void wait_event(CUevent_st* event, std::string_view step) override {
        wait_while_not_ready([event] { return cudaEventQuery(event); }, step);
    }

    void abandon() noexcept override {
        if (comm_ != nullptr) {
            static_cast<void>(nccl_.comm_abort(comm_));
            comm_ = nullptr;
        }
    }

  private:
    /// Memory that this rank shares.
    struct Shared {
        std::vector<PeerMemory> peers; ///< [size()]; empty if the ranks cannot share
        bool crosses_processes = false;
        void* registration = nullptr; ///< with NCCL, for ranks that cannot share; may be null
    };

    /// Gathers a value of every rank. \return [size()] \throws RankLost, CudaFailure
    template <class Value>
    std::vector<Value> gather(std::string_view step, Value const& own) {
        static_assert(std::is_trivially_copyable_v<Value>);
        std::vector<Value> all(size_);
        std::size_t const all_bytes = all.size() * sizeof(Value);
        Stream const stream{device_};
        DeviceBuffer<std::byte> const memory{device_, sizeof(Value) + all_bytes};
        std::byte* const gathered = memory.data() + sizeof(Value);
        copy_bytes(stream.get(), memory.data(), &own, sizeof(Value));
        all_gather(stream.get(), step, memory.data(), gathered, sizeof(Value));
        wait(stream.get(), step);
        copy_bytes(stream.get(), all.data(), gathered, all_bytes);
        wait_for(stream.get());
        return all;
    }

    /// Registers memory with NCCL; null if it cannot.
    void* registration_of(void* data, std::size_t bytes) {
        void* registration = nullptr;
        // Messages work without registration, so ignore errors.
        bool const is_registered =
            nccl_.comm_register != nullptr && nccl_.comm_deregister != nullptr && bytes > 0 &&
            nccl_.comm_register(comm_, data, bytes, &registration) == ncclSuccess;
        return is_registered ? registration : nullptr;
    }

    /// \param query returns the state of a stream or event
    template <class Query>
    void wait_while_not_ready(Query const& query, std::string_view step) {
        expect_here(step);
        Clock::time_point const begin = Clock::now();
        for (;;) {
            cudaError_t const state = query();
            if (state == cudaSuccess) {
                return;
            }
            if (state != cudaErrorNotReady) {
                check_cuda(state, "asking whether the GPU is done", __FILE__, __LINE__);
            }
            ncclResult_t const result = state_of_comm();
            if (result != ncclSuccess && result != ncclInProgress) {
                lose(step, nccl_.get_error_string(result));
            }
            expect_in_time(step, begin);
            idle(begin);
        }
    }

    static ncclConfig_t configuration() {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        return config;
    }

    void learn_place() {
        int rank = 0;
        int size = 0;
        expect("asking for the rank", nccl_.comm_user_rank(comm_, &rank));
        expect("asking for the number of ranks", nccl_.comm_count(comm_, &size));
        rank_ = static_cast<std::uint32_t>(rank);
        size_ = static_cast<std::uint32_t>(size);
        signals_ = DeviceBuffer<std::byte>{device_, size_};
    }

    [[nodiscard]] ncclResult_t state_of_comm() const {
        ncclResult_t state = ncclSuccess;
        ncclResult_t const asked = nccl_.comm_get_async_error(comm_, &state);
        return asked == ncclSuccess ? state : asked;
    }

    [[noreturn]] void lose(std::string_view step, std::string const& problem) {
        abandon();
        throw RankLost{std::string{step} + ": NCCL says: " + problem};
    }
    void expect(std::string_view step, ncclResult_t result) {
        if (result != ncclSuccess) {
            lose(step, nccl_.get_error_string(result));
        }
    }
    void expect_here(std::string_view step) const {
        if (comm_ == nullptr) {
            throw RankLost{std::string{step} +
                           ": this rank lost contact with the others in an earlier call."};
        }
    }
    void expect_in_time(std::string_view step, Clock::time_point begin) {
        if (Clock::now() - begin > patience_) {
            abandon();
            throw RankLost{std::string{step} + ": some rank " + timeout_text(patience_)};
        }
    }

    /// Waits until NCCL has accepted the operation.
    void settle(std::string_view step, ncclResult_t result) {
        Clock::time_point const begin = Clock::now();
        while (result == ncclInProgress && comm_ != nullptr) {
            expect_in_time(step, begin);
            idle(begin);
            result = state_of_comm();
        }
        expect(step, result);
    }

    NcclLibrary const& nccl_;
    int device_;
    std::chrono::milliseconds patience_;
    ncclComm_t comm_ = nullptr;
    std::uint32_t rank_ = 0;
    std::uint32_t size_ = 1;
    DeviceBuffer<std::byte> signals_;        ///< [size()], for barriers
    std::map<std::uint64_t, Shared> shared_; ///< by SharedBlock::id
    std::uint64_t blocks_ = 0;               ///< shared so far
};

SortError to_sort_error(std::string message) {
    return {SortErrorCode::rank_failure, std::move(message)};
}

/// Creates a transport and connects it to the other ranks by `connect`.
template <class Connect>
SortExpected<std::unique_ptr<RankTransport>>
connected(int device, std::chrono::milliseconds patience, Connect const& connect) {
    KEYSWAP_TRY(auto const nccl, nccl_library());
    try {
        DeviceScope const scope{device};
        auto transport = std::make_unique<NcclTransport>(*nccl, device, patience);
        connect(*transport);
        return transport;
    } catch (RankLost const& lost) {
        return tl::unexpected(to_sort_error(
            std::string{lost.what()} +
            ". Give each rank a GPU of its own, and see that all ranks were started."));
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, InputState::intact));
    }
}

} // namespace

void let_nccl_register_cuda_memory() {
    constexpr int keep_what_is_set = 0;
    static_cast<void>(setenv("NCCL_LEGACY_CUDA_REGISTER", "1", keep_what_is_set));
}

SortExpected<NcclId> make_nccl_id() {
    KEYSWAP_TRY(auto const nccl, nccl_library());
    ncclUniqueId unique{};
    if (ncclResult_t const result = nccl->get_unique_id(&unique); result != ncclSuccess) {
        return tl::unexpected(to_sort_error(std::string{"NCCL cannot be started: "} +
                                            nccl->get_error_string(result) +
                                            ". NCCL_DEBUG=INFO shows why."));
    }
    NcclId id{};
    std::memcpy(id.data(), &unique, sizeof(unique));
    return id;
}

SortExpected<std::unique_ptr<RankTransport>>
join_nccl(NcclId const& id, RankPlace place, std::chrono::milliseconds patience) {
    return connected(place.device, patience, [&](auto& transport) { transport.join(id, place); });
}

SortExpected<std::unique_ptr<RankTransport>>
duplicate_nccl(ncclComm* comm, int device, std::chrono::milliseconds patience) {
    return connected(device, patience, [comm](auto& transport) { transport.duplicate(comm); });
}

} // namespace keyswap::kernels
