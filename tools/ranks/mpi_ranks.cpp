#include "tools/ranks/mpi_ranks.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

// The C interface alone: the C++ one that Open MPI adds was removed from the standard.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace keyswap::tools {

namespace {

using Clock = std::chrono::steady_clock;
using Sends = std::span<std::span<std::byte const> const>;
using Receives = std::span<std::span<std::byte> const>;

/// A message's longest piece: MPI counts in int.
constexpr std::size_t piece_bytes = std::size_t{1} << 30;
constexpr int tag_count = 16384; ///< every implementation has 32,767; steps use them in turn
constexpr int failure_tag = tag_count;
constexpr std::size_t failure_text_bytes = 256;
/// How long the others may take to say what they know once a rank has failed.
constexpr auto last_words = std::chrono::milliseconds(500);

/// A piece that is on its way.
struct Piece {
    std::uint32_t peer = 0;
    std::size_t expected = 0; ///< bytes; of a receive
    bool is_receive = false;
};

class World final : public model::Communicator {
  public:
    explicit World(std::chrono::milliseconds patience) : patience_(patience) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
        int rank = 0;
        int size = 1;
        MPI_Comm_rank(comm_, &rank);
        MPI_Comm_size(comm_, &size);
        rank_ = static_cast<std::uint32_t>(rank);
        size_ = static_cast<std::uint32_t>(size);
    }

    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return size_; }

    void exchange(std::string_view step, Sends sends, Receives receives) override {
        KEYSWAP_EXPECTS(sends.size() == size_ && receives.size() == size_);
        if (sends[rank_].size() != receives[rank_].size()) {
            fail(
                step, {rank_}, model::wrong_size_text(sends[rank_].size(), receives[rank_].size()));
        }
        std::ranges::copy(sends[rank_], receives[rank_].begin());
        int const tag = static_cast<int>(step_number_++ % tag_count);
        std::vector<Piece> pieces;
        std::vector<MPI_Request> requests;
        for (std::uint32_t peer = 0; peer < size_; ++peer) {
            if (peer != rank_) {
                post(peer, tag, receives[peer], MPI_Irecv, pieces, requests);
                post(peer, tag, sends[peer], MPI_Isend, pieces, requests);
            }
        }
        wait(step, pieces, requests);
    }

  private:
    /// Starts to send or to receive a message. An empty one is sent, too: it says that the peer has
    /// come so far.
    /// \param start MPI_Isend or MPI_Irecv
    template <class Byte, class Start>
    void post(std::uint32_t peer,
              int tag,
              std::span<Byte> message,
              Start start,
              std::vector<Piece>& pieces,
              std::vector<MPI_Request>& requests) {
        std::size_t at = 0;
        do {
            std::size_t const size = std::min(piece_bytes, message.size() - at);
            pieces.push_back({peer, size, !std::is_const_v<Byte>});
            start(message.data() + at,
                  static_cast<int>(size),
                  MPI_BYTE,
                  static_cast<int>(peer),
                  tag,
                  comm_,
                  &requests.emplace_back());
            at += size;
        } while (at < message.size());
    }

    void wait(std::string_view step,
              std::vector<Piece> const& pieces,
              std::vector<MPI_Request>& requests) {
        auto deadline = Clock::now() + patience_;
        std::vector<int> indices(requests.size());
        std::vector<MPI_Status> statuses(requests.size());
        auto pause = std::chrono::microseconds(1);
        for (std::size_t left = requests.size(); left > 0;) {
            int done = 0;
            MPI_Testsome(static_cast<int>(requests.size()),
                         requests.data(),
                         &done,
                         indices.data(),
                         statuses.data());
            for (int i = 0; i < std::max(done, 0); ++i) {
                check_piece(step,
                            pieces[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])],
                            statuses[static_cast<std::size_t>(i)]);
            }
            if (done > 0) {
                left -= static_cast<std::size_t>(done);
                deadline = Clock::now() + patience_;
                pause = std::chrono::microseconds(1);
                continue;
            }
            hear_of_failures(step);
            if (Clock::now() > deadline) {
                fail(step,
                     peers_of(pieces, requests),
                     "did not answer within " + std::to_string(patience_.count()) + " ms");
            }
            std::this_thread::sleep_for(pause);
            pause = std::min(pause * 2, std::chrono::microseconds(1000));
        }
    }

    void check_piece(std::string_view step, Piece const& piece, MPI_Status status) {
        if (!piece.is_receive) {
            return;
        }
        int bytes = 0;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        if (static_cast<std::size_t>(bytes) != piece.expected) {
            fail(step,
                 {piece.peer},
                 model::wrong_size_text(static_cast<std::size_t>(bytes), piece.expected));
        }
    }

    static std::vector<std::uint32_t> peers_of(std::vector<Piece> const& pieces,
                                               std::vector<MPI_Request> const& requests) {
        std::vector<std::uint32_t> peers;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (requests[i] != MPI_REQUEST_NULL &&
                (peers.empty() || peers.back() != pieces[i].peer)) {
                peers.push_back(pieces[i].peer);
            }
        }
        return peers;
    }

    /// Another rank has failed: it would be waited for in vain.
    void hear_of_failures(std::string_view step) {
        int there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, failure_tag, comm_, &there, &status);
        if (there == 0) {
            return;
        }
        std::array<char, failure_text_bytes> text{};
        MPI_Recv(text.data(),
                 static_cast<int>(text.size()),
                 MPI_CHAR,
                 status.MPI_SOURCE,
                 failure_tag,
                 comm_,
                 MPI_STATUS_IGNORE);
        text.back() = '\0';
        throw model::RankFailure(std::string(step),
                                 {static_cast<std::uint32_t>(status.MPI_SOURCE)},
                                 std::string("reports: ") + text.data());
    }

    [[noreturn]] void
    fail(std::string_view step, std::vector<std::uint32_t> const& ranks, std::string problem) {
        model::RankFailure const failure(std::string(step), ranks, std::move(problem));
        static std::array<char, failure_text_bytes> text{}; // sent while the program ends
        std::strncpy(text.data(), failure.what(), text.size() - 1);
        for (std::uint32_t peer = 0; peer < size_; ++peer) {
            if (peer != rank_) {
                MPI_Request request = MPI_REQUEST_NULL;
                MPI_Isend(text.data(),
                          static_cast<int>(text.size()),
                          MPI_CHAR,
                          static_cast<int>(peer),
                          failure_tag,
                          comm_,
                          &request);
                MPI_Request_free(&request);
            }
        }
        throw model::RankFailure(failure);
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    std::uint32_t rank_ = 0;
    std::uint32_t size_ = 1;
    std::uint64_t step_number_ = 0;
    std::chrono::milliseconds patience_;
};

class JoinedRanks final : public MpiRanks {
  public:
    explicit JoinedRanks(std::chrono::milliseconds patience) : world_(patience) {}
    ~JoinedRanks() override { MPI_Finalize(); }

    model::Communicator& world() override { return world_; }
    void abort(int exit_code) override {
        std::this_thread::sleep_for(last_words);
        MPI_Abort(MPI_COMM_WORLD, exit_code);
        std::_Exit(exit_code);
    }

  private:
    World world_;
};

} // namespace

Expected<std::unique_ptr<MpiRanks>> join_mpi_ranks(std::chrono::milliseconds patience) {
    int there = 0;
    MPI_Initialized(&there);
    int level = 0;
    if (there == 0 &&
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        return tl::unexpected(
            InputError{"--ranks mpi", "MPI could not be started", "start the program by mpirun"});
    }
    return std::make_unique<JoinedRanks>(patience);
}

std::optional<std::string> mpi_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return std::string(text.data());
}

} // namespace keyswap::tools
