#pragma once

/// \file Ranks that are processes under mpirun. Builds without MPI link stubs that return errors
/// (mpi_ranks_absent.cpp).

#include "model/ranks/communicator.hpp"
#include "traces/errors/input_error.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace keyswap::tools {

/// MPI session of this process, from MPI_Init to MPI_Finalize.
class MpiRanks {
  public:
    virtual ~MpiRanks() = default;
    [[nodiscard]] virtual model::Communicator& world() = 0;
    /// Ends all ranks with this exit code after a failure. Waits briefly first, so that other ranks
    /// can report their errors.
    virtual void abort(int exit_code) = 0;
};

/// Joins the ranks started by mpirun; a process started without mpirun is the only rank.
/// \param patience timeout of each communication step
[[nodiscard]] Expected<std::unique_ptr<MpiRanks>>
join_mpi_ranks(std::chrono::milliseconds patience);

/// MPI library of the build: "Open MPI v4.1.4, ..."; nullopt without MPI.
[[nodiscard]] std::optional<std::string> mpi_version();

} // namespace keyswap::tools
