#pragma once

/// \file Tests of ranks run by threads of one process, and again by processes: `ranks_prop` and
/// `mpirun -n 4 ranks_prop --mpi` are the same tests. Under mpirun rank 0 runs them, and the others
/// do their part of what it asks for.

#include "model/ranks/communicator.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// One rank's part of a job, which is a text, and so is what it comes to. Throws nothing.
using RankPart = std::function<std::string(model::Communicator& ranks, std::string const& job)>;

/// The ranks of a test program.
class RankTeam {
  public:
    virtual ~RankTeam() = default;
    /// How many they are; none if any number can be started.
    [[nodiscard]] virtual std::optional<std::uint32_t> size() const = 0;
    /// Runs a job on ranks that never talked to each other before.
    /// \param patience how long a rank waits for the others at a step
    /// \return [rank] what each came to
    /// \pre rank_count is size() where there is one
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

/// The team of this program. \pre run_rank_tests() runs
[[nodiscard]] RankTeam& team();

/// The whole main(): GoogleTest's, on threads, or with --mpi on the ranks under mpirun.
[[nodiscard]] int run_rank_tests(int argc, char** argv, RankPart part);

} // namespace keyswap::proptests
