#pragma once

/// \file Which backend sorts, and `keyswap sort --backend cuda`: which GPUs, and the run from host
/// memory to host memory.

#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/text/json.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// The options that only real GPUs have, as the user gave them.
struct GpuChoice {
    std::string backend = "reference";
    std::optional<std::string> gpus; ///< cuda: device numbers
    std::optional<unsigned> threads; ///< cpu, or an external sort: nothing = one a core
    [[nodiscard]] bool is_cuda() const { return backend == "cuda"; }
    [[nodiscard]] bool is_cpu() const { return backend == "cpu"; }
    /// The same without threads: an external sort's distribute and check, whatever sorts.
    [[nodiscard]] GpuChoice without_threads() const {
        GpuChoice choice = *this;
        choice.threads.reset();
        return choice;
    }
};

/// Adds --backend, --gpus and --threads.
/// \pre add_sort_options() was called for the command
void add_gpu_choice(CLI::App& command, GpuChoice& choice);

/// Refuses what contradicts itself.
[[nodiscard]] Expected<void> check_gpu_choice(GpuChoice const& choice);

/// Refuses what contradicts itself, and sets the number of GPUs in `sort`. For backend cuda the
/// devices are returned, else none. Asks the machine only where it has to know its devices.
[[nodiscard]] Expected<std::vector<int>> resolve_gpus(GpuChoice const& choice, SortArguments& sort);

/// What the kernels are asked for.
/// \pre devices are as resolve_gpus() gives them
[[nodiscard]] Expected<kernels::SortOptions> kernel_options(SortRequest const& request,
                                                            std::vector<int> const& devices);

/// Sorts the keys in `memory` on the GPUs; afterwards it holds the sorted ones.
/// \param content digest of the keys before
[[nodiscard]] Expected<cuda::SortResult> sort_on_gpus(SortRequest const& request,
                                                      kernels::SortOptions const& options,
                                                      KeyMemory& memory,
                                                      MultisetDigest const& content,
                                                      TraceSink* trace);

/// "2026-11-21T07:30:00Z"
[[nodiscard]] std::string utc_time_text();

/// A phase's longest time on any GPU, in the order in which phases begin.
struct PhaseSpan {
    std::string name; ///< with the pass where there is one
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
