#pragma once

/// \file Interface of the commands to this machine's GPUs; all CUDA code is behind it. Builds
/// without kernels link stubs that return errors (cuda_backend_absent.cpp).

#include "kernels/bench/benchmark.hpp"
#include "kernels/bench/kernel_rates.hpp"
#include "kernels/bench/split_benchmark.hpp"
#include "kernels/check/sequence_summary.hpp"
#include "kernels/histogram.hpp"
#include "kernels/multisplit.hpp"
#include "kernels/rank_sort.hpp"
#include "kernels/shortest_paths.hpp"
#include "kernels/shuffle.hpp"
#include "kernels/sort.hpp"
#include "tools/external/arrays/range_engine.hpp"
#include "traces/errors/input_error.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::tools::cuda {

/// Number of usable CUDA devices, at least 1.
/// \return an error if the build has no kernels or the machine no device
[[nodiscard]] Expected<int> device_count();

/// Allocates and frees a sorter for so many keys, before keys are loaded; returns its error.
[[nodiscard]] Expected<void> check_fit(kernels::SortOptions const& options,
                                       std::uint64_t key_count);

/// Maximum number of keys that the devices sort at once. \param bytes_per_gpu memory limit of each
/// GPU; nullopt: the free memory
[[nodiscard]] Expected<std::uint64_t> keys_that_fit(kernels::SortOptions const& options,
                                                    std::optional<std::uint64_t> bytes_per_gpu);

/// As keys_that_fit(), per range of an engine from range_engine().
[[nodiscard]] Expected<std::uint64_t>
range_keys_that_fit(kernels::SortOptions const& options,
                    std::optional<std::uint64_t> bytes_per_gpu);

/// Engine that sorts the ranges of an external sort on GPUs. \param options with the ranges' shape
[[nodiscard]] Expected<std::shared_ptr<RangeEngine>>
range_engine(kernels::SortOptions const& options);

struct SortResult {
    kernels::SortReport report;
    kernels::WorkspaceSize workspace;
    std::string device;  ///< "NVIDIA H200"
    std::string driver;  ///< "580.159.04"
    double seconds = 0;  ///< host to host, excluding allocation
    bool pinned = false; ///< true if the keys' memory was pinned
};

/// Sorts arrays in host memory in place, and records into `trace` unless it is null. First calls
/// `complete`, which sets the header fields unknown to the kernels (program, commit, date, input),
/// then writes the header.
/// \param keys raw keys \param values empty if there are none
[[nodiscard]] Expected<SortResult> sort(kernels::SortOptions const& options,
                                        std::span<std::byte> keys,
                                        std::span<std::byte> values,
                                        std::function<void(RunHeader&)> const& complete,
                                        TraceSink* trace);

/// One rank's GPU in a sort by ranks; see kernels/rank_sort.hpp.
class RankSession {
  public:
    RankSession() = default;
    RankSession(RankSession const&) = delete;
    RankSession& operator=(RankSession const&) = delete;
    virtual ~RankSession() = default;

    /// Maximum number of keys that this rank may own.
    [[nodiscard]] virtual std::uint64_t capacity() const = 0;
    /// How keys move between the ranks' GPUs, such as "NCCL 2.28.9, peer copies".
    [[nodiscard]] virtual std::string transport() const = 0;
    /// Sorts the ranks' keys and stores those owned by this rank at the start of `keys`.
    /// \param keys this rank's chunk, [capacity()] raw keys \param values empty if there are none
    /// \param complete as in sort() \param trace null: records nothing
    [[nodiscard]] virtual Expected<kernels::SortReport>
    sort(std::span<std::byte> keys,
         std::span<std::byte> values,
         std::uint64_t key_count,
         std::function<void(RunHeader&)> const& complete,
         TraceSink* trace) = 0;
};

/// \param key_count over all ranks \pre options.devices has one entry, this rank's device
[[nodiscard]] Expected<std::unique_ptr<RankSession>>
open_rank(std::unique_ptr<kernels::RankTransport> ranks,
          kernels::SortOptions const& options,
          std::uint64_t key_count);

/// Transports between ranks that are threads; see kernels::thread_transports.
[[nodiscard]] Expected<std::vector<std::unique_ptr<kernels::RankTransport>>>
ranks_of_threads(std::uint32_t count, std::chrono::milliseconds patience);

/// Ranks connected by NCCL; see kernels/ranks/nccl_transport.hpp.
[[nodiscard]] Expected<kernels::NcclId> make_rank_id();
[[nodiscard]] Expected<std::unique_ptr<kernels::RankTransport>>
join_ranks(kernels::NcclId const& id, kernels::RankPlace place, std::chrono::milliseconds patience);

/// Partitions elements in host memory by bucket; see kernels::Multisplitter::record_host.
[[nodiscard]] Expected<kernels::SplitRecords> multisplit(kernels::MultisplitOptions const& options,
                                                         kernels::MultisplitArrays const& arrays,
                                                         std::uint64_t count);

/// Partitions elements across GPUs by bucket; see kernels::Shuffler::record_host.
[[nodiscard]] Expected<kernels::ShuffleRecords> shuffle(kernels::ShuffleOptions const& options,
                                                        kernels::MultisplitArrays const& arrays,
                                                        std::uint64_t count);

/// Single-source shortest paths; see kernels/shortest_paths.hpp.
struct PathJob {
    kernels::PathGraph graph;
    kernels::PathMethod method = kernels::PathMethod::multisplit;
    std::uint32_t delta = 1;
    std::uint32_t source = 0;
    int runs = 1; ///< the last run's result is returned
};

struct TimedPaths {
    kernels::PathResult result;
    std::vector<double> milliseconds; ///< of each run
};

[[nodiscard]] Expected<TimedPaths> shortest_paths(PathJob const& job);

/// Histogram of samples in host memory; see kernels::Histogram::count_host.
[[nodiscard]] Expected<std::vector<std::uint64_t>>
histogram(kernels::HistogramOptions const& options, void const* samples, std::uint64_t count);

/// Reads sequences of keys once, on GPUs and in host memory; see kernels/device_check.hpp. Builds
/// without kernels accept sequences in host memory only.
[[nodiscard]] Expected<kernels::SequenceSummary>
summarize(SortShape const& shape,
          std::span<kernels::SequencePart const> parts,
          kernels::SummaryOptions const& options);

/// Pins host memory for fast transfers until the result is destroyed. Best effort: on failure,
/// transfers are slower.
[[nodiscard]] std::shared_ptr<void const> pin(std::span<std::byte> bytes);

/// Measures one sort; see kernels::bench_sort.
[[nodiscard]] Expected<kernels::BenchRuns> bench(kernels::BenchJob const& job);

/// Benchmarks multisplits or histograms on a GPU; see kernels/bench/split_benchmark.hpp.
[[nodiscard]] Expected<std::vector<kernels::SplitBenchRow>>
bench_splits(Operation operation, kernels::SplitBenchJob const& job);

/// GB/s of a device-to-device copy of 1 GiB on the first GPU, reads plus writes.
[[nodiscard]] Expected<double> device_copy_rate(int runs);

/// Rates of plain copies between host and devices, as a baseline.
[[nodiscard]] Expected<kernels::MachineRates> machine_rates(std::vector<int> const& devices,
                                                            std::uint64_t bytes);

/// Measures single kernels of a device, for its device profile.
[[nodiscard]] Expected<kernels::KernelRates> kernel_rates(int device, std::uint64_t key_count);

/// Device name and driver, as in a trace header.
[[nodiscard]] Expected<RunHeader> describe(std::vector<int> const& devices);

} // namespace keyswap::tools::cuda
