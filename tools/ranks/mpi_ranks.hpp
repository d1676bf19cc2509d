#pragma once

/// \file Ranks that are processes under mpirun. A build without MPI has these functions too, and
/// they say so (mpi_ranks_absent.cpp).

#include "model/ranks/communicator.hpp"
#include "traces/errors/input_error.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace keyswap::tools {

/// This process as a rank, from its start to its end.
class MpiRanks {
  public:
    virtual ~MpiRanks() = default;
    [[nodiscard]] virtual model::Communicator& world() = 0;
    /// Ends all ranks at once after a failure, with this exit code. Waits a moment, so that each
    /// can say what it knows.
    virtual void abort(int exit_code) = 0;
};

/// Joins the ranks that mpirun started; a process that was started alone is the one rank.
/// \param patience how long a rank waits for the others at a step
[[nodiscard]] Expected<std::unique_ptr<MpiRanks>>
join_mpi_ranks(std::chrono::milliseconds patience);

/// "Open MPI v4.1.4, ..." of the build; nothing without MPI.
[[nodiscard]] std::optional<std::string> mpi_version();

} // namespace keyswap::tools
