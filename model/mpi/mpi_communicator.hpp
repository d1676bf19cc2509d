#pragma once

/// \file Ranks that are processes, over MPI; in the library keyswap::ranks, which is built where
/// MPI is found.

#include "model/mpi/mpi_header.hpp"
#include "model/ranks/communicator.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// This process's end among the ranks of an MPI communicator. Messages travel on a duplicate of it,
/// apart from the caller's own. A rank that waits looks every millisecond for its messages and for
/// word of a failure.
class MpiCommunicator final : public Communicator {
  public:
    /// Every rank of `comm` makes one at the same step. It does not return before all have come.
    /// \param patience how long a rank waits for the others at a step
    /// \pre MPI is started, and the calling thread may use it
    MpiCommunicator(MPI_Comm comm, std::chrono::milliseconds patience);
    /// Every rank's goes at the same step, before MPI_Finalize, unless a step has failed.
    ~MpiCommunicator() override;

    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return size_; }
    /// After a failure no further step may be taken; where it came "amid a message" the process has
    /// to end, since MPI may still write to `receives`.
    void exchange(std::string_view step,
                  std::span<std::span<std::byte const> const> sends,
                  std::span<std::span<std::byte> const> receives) override;

    /// Informs the others that this rank takes part in no further step, and why.
    void give_up(std::string_view problem);
    [[nodiscard]] bool has_failed() const { return parting_words_ != nullptr; }

  private:
    struct Transfers;

    void wait(std::string_view step, Transfers& transfers);
    void receive_failures(std::string_view step);
    [[noreturn]] void fail(RankFailure const& failure);

    MPI_Comm comm_ = MPI_COMM_NULL;
    std::uint32_t rank_ = 0;
    std::uint32_t size_ = 1;
    std::uint64_t step_number_ = 0;
    std::chrono::milliseconds patience_;
    /// The message to the others after a failure. MPI may read it for as long as it runs.
    std::unique_ptr<std::string> parting_words_;
};

} // namespace keyswap::model
