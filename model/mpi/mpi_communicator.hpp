#pragma once

/// \file Ranks as MPI processes; part of the library keyswap::ranks, which is built only if MPI is
/// found.

#include "model/mpi/mpi_header.hpp"
#include "model/ranks/communicator.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// This process's endpoint among the ranks of an MPI communicator. Messages use a duplicate of it,
/// separate from the caller's. While waiting, a rank polls for messages and failure reports, with a
/// back-off of up to 1 ms.
class MpiCommunicator final : public Communicator {
  public:
    /// Collective: returns once every rank of `comm` has called it.
    /// \param patience time limit for waiting for other ranks in a step
    /// \pre MPI is initialized, and the calling thread may call it
    MpiCommunicator(MPI_Comm comm, std::chrono::milliseconds patience);
    /// Collective, before MPI_Finalize, unless a step has failed.
    ~MpiCommunicator() override;

    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return size_; }
    /// After a failure no further step is allowed. If it happened "in the middle of a message", the
    /// process must exit, since MPI may still write to `receives`.
    void exchange(std::string_view step,
                  std::span<std::span<std::byte const> const> sends,
                  std::span<std::span<std::byte> const> receives) override;

    /// Reports to all other ranks that this rank takes part in no further step, with the reason.
    void report_failure(std::string_view problem);
    [[nodiscard]] bool has_failed() const { return failure_report_ != nullptr; }

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
    /// The failure report to the others. MPI may read it until the process exits.
    std::unique_ptr<std::string> failure_report_;
};

} // namespace keyswap::model
