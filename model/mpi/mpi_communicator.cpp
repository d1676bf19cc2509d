#include "model/mpi/mpi_communicator.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <type_traits>
#include <utility>

namespace keyswap::model {

namespace {

using Clock = std::chrono::steady_clock;

/// Maximum size of a message piece: MPI counts in int.
constexpr std::size_t piece_bytes = std::size_t{1} << 30;
constexpr int tag_count = 16384; ///< used cyclically; the standard guarantees tags up to 32,767
constexpr int failure_tag = tag_count;
constexpr std::size_t failure_text_bytes = 256;
/// Time limit for the rest of a half-received message after a step has failed.
constexpr auto partial_message_timeout = std::chrono::milliseconds(200);

} // namespace

/// The pieces of one step's messages in flight.
struct MpiCommunicator::Transfers {
    struct Piece {
        std::uint32_t peer = 0;
        std::size_t expected = 0; ///< bytes to receive
        bool is_receive = false;
    };

    std::vector<Piece> pieces;
    std::vector<MPI_Request> requests; ///< [piece]

    /// Starts a send or receive. Empty messages are sent too: they show that the peer has reached
    /// this step.
    /// \param start MPI_Isend or MPI_Irecv
    template <class Byte, class Start>
    void
    post(MPI_Comm comm, std::uint32_t peer, int tag, std::span<Byte> message, Start const& start) {
        std::size_t at = 0;
        do {
            std::size_t const size = std::min(piece_bytes, message.size() - at);
            pieces.push_back({peer, size, !std::is_const_v<Byte>});
            start(message.data() + at,
                  static_cast<int>(size),
                  MPI_BYTE,
                  static_cast<int>(peer),
                  tag,
                  comm,
                  &requests.emplace_back());
            at += size;
        } while (at < message.size());
    }

    /// Describes what is wrong with a completed piece; "" if nothing is.
    /// \param code MPI error code of the piece; MPI_ERR_TRUNCATE if it exceeds its buffer
    [[nodiscard]] std::string
    problem_of(std::size_t piece, MPI_Status const& status, int code) const {
        if (code == MPI_ERR_TRUNCATE) {
            return "sent more than the " + std::to_string(pieces[piece].expected) +
                   " bytes that were expected";
        }
        if (code != MPI_SUCCESS) {
            std::array<char, MPI_MAX_ERROR_STRING> text{};
            int length = 0;
            MPI_Error_string(code, text.data(), &length);
            return "cannot be reached: " + std::string(text.data());
        }
        int bytes = 0;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        std::size_t const expected = pieces[piece].expected;
        return !pieces[piece].is_receive || static_cast<std::size_t>(bytes) == expected
                   ? ""
                   : wrong_size_text(static_cast<std::size_t>(bytes), expected);
    }

    [[nodiscard]] std::vector<std::uint32_t> late_peers() const {
        std::vector<std::uint32_t> peers;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (requests[i] != MPI_REQUEST_NULL &&
                (peers.empty() || peers.back() != pieces[i].peer)) {
                peers.push_back(pieces[i].peer);
            }
        }
        return peers;
    }

    /// Cancels the receives, so that the caller can reuse their memory. Sends cannot be cancelled;
    /// no rank receives them, since none proceeds beyond the step after the failed one.
    /// \return false if a message is half received: MPI may still write the rest
    [[nodiscard]] bool abandon() {
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (requests[i] == MPI_REQUEST_NULL) {
                continue;
            }
            if (pieces[i].is_receive) {
                MPI_Cancel(&requests[i]);
            } else {
                MPI_Request_free(&requests[i]);
            }
        }
        int all_done = 0;
        for (auto const deadline = Clock::now() + partial_message_timeout;
             all_done == 0 && Clock::now() < deadline;) {
            MPI_Testall(
                static_cast<int>(requests.size()), requests.data(), &all_done, MPI_STATUSES_IGNORE);
        }
        return all_done != 0;
    }
};

MpiCommunicator::MpiCommunicator(MPI_Comm comm, std::chrono::milliseconds patience)
    : patience_(patience) {
    MPI_Comm_dup(comm, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(comm_, &rank);
    MPI_Comm_size(comm_, &size);
    rank_ = static_cast<std::uint32_t>(rank);
    size_ = static_cast<std::uint32_t>(size);
}

MpiCommunicator::~MpiCommunicator() {
    if (has_failed()) {
        // After a failure others may never call this, and MPI may still send the report: leak both.
        (void)failure_report_.release();
        return;
    }
    MPI_Comm_free(&comm_);
}

void MpiCommunicator::exchange(std::string_view step,
                               std::span<std::span<std::byte const> const> sends,
                               std::span<std::span<std::byte> const> receives) {
    KEYSWAP_EXPECTS(sends.size() == size_ && receives.size() == size_ && !has_failed());
    if (sends[rank_].size() != receives[rank_].size()) {
        fail({std::string(step),
              {rank_},
              wrong_size_text(sends[rank_].size(), receives[rank_].size())});
    }
    std::ranges::copy(sends[rank_], receives[rank_].begin());
    int const tag = static_cast<int>(step_number_++ % tag_count);
    Transfers transfers;
    for (std::uint32_t peer = 0; peer < size_; ++peer) {
        if (peer != rank_) {
            transfers.post(comm_, peer, tag, receives[peer], MPI_Irecv);
            transfers.post(comm_, peer, tag, sends[peer], MPI_Isend);
        }
    }
    try {
        wait(step, transfers);
    } catch (RankFailure const& failure) {
        if (!transfers.abandon()) {
            fail({failure.step(),
                  failure.ranks(),
                  failure.problem() + ", in the middle of a message"});
        }
        fail(failure);
    }
}

void MpiCommunicator::wait(std::string_view step, Transfers& transfers) {
    auto deadline = Clock::now() + patience_;
    auto& requests = transfers.requests;
    std::vector<int> indices(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    auto pause = std::chrono::microseconds(1);
    for (std::size_t left = requests.size(); left > 0;) {
        int done = 0;
        int const code = MPI_Testsome(static_cast<int>(requests.size()),
                                      requests.data(),
                                      &done,
                                      indices.data(),
                                      statuses.data());
        bool const has_codes = code == MPI_ERR_IN_STATUS; // otherwise statuses have no error codes
        for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(done, 0)); ++i) {
            auto const piece = static_cast<std::size_t>(indices[i]);
            int const of_piece = has_codes ? statuses[i].MPI_ERROR : MPI_SUCCESS;
            if (auto problem = transfers.problem_of(piece, statuses[i], of_piece);
                !problem.empty()) {
                throw RankFailure(
                    std::string(step), {transfers.pieces[piece].peer}, std::move(problem));
            }
        }
        if (done > 0) {
            left -= static_cast<std::size_t>(done);
            deadline = Clock::now() + patience_;
            pause = std::chrono::microseconds(1);
            continue;
        }
        receive_failures(step);
        if (Clock::now() > deadline) {
            throw RankFailure(std::string(step),
                              transfers.late_peers(),
                              "did not answer within " + std::to_string(patience_.count()) + " ms");
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(1000));
    }
}

/// Throws if another rank has reported a failure, because waiting for it would never end.
void MpiCommunicator::receive_failures(std::string_view step) {
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
    failure_report_ = std::make_unique<std::string>(); // the failed rank has already informed all
    throw RankFailure(std::string(step),
                      {static_cast<std::uint32_t>(status.MPI_SOURCE)},
                      std::string("reports: ") + text.data());
}

void MpiCommunicator::report_failure(std::string_view problem) {
    if (has_failed()) {
        return;
    }
    failure_report_ = std::make_unique<std::string>(problem.substr(0, failure_text_bytes - 1));
    failure_report_->resize(failure_text_bytes, '\0');
    for (std::uint32_t peer = 0; peer < size_; ++peer) {
        if (peer != rank_) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Isend(failure_report_->data(),
                      static_cast<int>(failure_report_->size()),
                      MPI_CHAR,
                      static_cast<int>(peer),
                      failure_tag,
                      comm_,
                      &request);
            MPI_Request_free(&request);
        }
    }
}

void MpiCommunicator::fail(RankFailure const& failure) {
    report_failure(failure.what());
    throw RankFailure(failure);
}

} // namespace keyswap::model
