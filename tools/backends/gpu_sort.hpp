#pragma once

/// \file Choice of the backend, and `keyswap sort --backend cuda`: choice of the GPUs, and the sort
/// from host memory to host memory.

#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/text/json.hpp"

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Where a sort runs, as the user gave it.
struct BackendChoice {
    std::string backend = "reference";
    std::optional<std::string> gpus;   ///< cuda: device indices
    std::optional<unsigned> threads;   ///< cpu, external sort; nullopt: one per core
    std::optional<std::string> ranks;  ///< "mpi", or a number of threads that share no memory
    std::uint64_t rank_timeout_s = 60; ///< timeout of each communication step of ranks

    [[nodiscard]] bool is_cuda() const { return backend == "cuda"; }
    [[nodiscard]] bool is_cpu() const { return backend == "cpu"; }
    [[nodiscard]] bool has_ranks() const { return ranks.has_value(); }
    [[nodiscard]] bool is_mpi() const { return ranks == "mpi"; }
    [[nodiscard]] std::chrono::milliseconds rank_patience() const {
        return std::chrono::milliseconds(rank_timeout_s * 1000);
    }
    /// Without `threads`, which external sorts accept with every backend, to distribute and check.
    [[nodiscard]] BackendChoice without_threads() const {
        BackendChoice choice = *this;
        choice.threads.reset();
        return choice;
    }
};

/// Adds --backend, --gpus and --threads.
/// \pre add_sort_options() was called for the command
void add_backend_choice(CLI::App& command, BackendChoice& choice);

/// Returns an error if options contradict each other.
[[nodiscard]] Expected<void> check_backend_choice(BackendChoice const& choice);

/// Checks the choice and sets the GPU count in `sort`. Returns the devices for backend cuda, else
/// an empty list. Queries the driver only for backend cuda.
[[nodiscard]] Expected<std::vector<int>> resolve_gpus(BackendChoice const& choice,
                                                      SortArguments& sort);

/// Options of the kernels for a request.
/// \pre devices were returned by resolve_gpus()
[[nodiscard]] Expected<kernels::SortOptions> kernel_options(SortRequest const& request,
                                                            std::vector<int> const& devices);

/// Sorts the keys in `memory` in place on the GPUs.
/// \param content digest of the unsorted keys
[[nodiscard]] Expected<cuda::SortResult> sort_on_gpus(SortRequest const& request,
                                                      kernels::SortOptions const& options,
                                                      KeyMemory& memory,
                                                      MultisetDigest const& content,
                                                      TraceSink* trace);

/// Current time in UTC: "2026-11-21T07:30:00Z".
[[nodiscard]] std::string utc_time_text();

/// Longest duration of a phase over all GPUs; lists are ordered by start time.
struct PhaseSpan {
    std::string name; ///< with its pass, if any
    double ms = 0;
};
[[nodiscard]] std::vector<PhaseSpan> phase_spans(std::vector<PhaseTimeRecord> const& times);

void print_gpu_account(kernels::SortOptions const& options,
                       cuda::SortResult const& result,
                       std::uint64_t key_count,
                       std::ostream& out);
[[nodiscard]] Json gpu_account_json(kernels::SortOptions const& options,
                                    cuda::SortResult const& result);

} // namespace keyswap::tools
