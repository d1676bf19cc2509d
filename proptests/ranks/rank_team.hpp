#pragma once

/// \file Runs tests of ranks on threads of one process, or on processes: `ranks_prop` and `mpirun
/// -n 4 ranks_prop --mpi` are the same tests. Under mpirun rank 0 runs the tests and sends jobs to
/// the other ranks.

#include "model/ranks/communicator.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// One rank's part of a job; job and result are text. Must not throw.
using RankPart = std::function<std::string(model::Communicator& ranks, std::string const& job)>;

/// The ranks of a test program: threads or MPI processes.
class RankTeam {
  public:
    virtual ~RankTeam() = default;
    /// Number of ranks; nullopt if any number can be started.
    [[nodiscard]] virtual std::optional<std::uint32_t> size() const = 0;
    /// Runs a job on ranks that have not communicated before.
    /// \param patience time limit for waiting for other ranks in a step
    /// \return [rank] results
    /// \pre rank_count is size(), unless that is nullopt
    [[nodiscard]] std::vector<std::string>
    run(std::uint32_t rank_count,
        std::string const& job,
        std::chrono::milliseconds patience = std::chrono::minutes(1)) {
        return run_for(rank_count, job, patience);
    }
    [[nodiscard]] bool is_of_processes() const { return size().has_value(); }

  private:
    [[nodiscard]] virtual std::vector<std::string> run_for(std::uint32_t rank_count,
                                                           std::string const& job,
                                                           std::chrono::milliseconds patience) = 0;
};

/// The team of this program. \pre called during run_rank_tests()
[[nodiscard]] RankTeam& team();

/// Replaces main(): runs GoogleTest on threads, or with --mpi on the ranks of mpirun.
[[nodiscard]] int run_rank_tests(int argc, char** argv, RankPart part);

} // namespace keyswap::proptests
