#pragma once

/// \file What the commands ask of this machine's GPUs. Everything CUDA is behind these functions; a
/// build without the kernels has them too, and each says so (cuda_backend_absent.cpp).

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
#include "tools/external/range_engine.hpp"
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

/// CUDA devices that can be used, at least 1.
/// \return an error where the build or the machine has none
[[nodiscard]] Expected<int> device_count();

/// Says what is missing where the devices cannot take so many keys, before any is made.
[[nodiscard]] Expected<void> check_fit(kernels::SortOptions const& options,
                                       std::uint64_t key_count);

/// Keys that the devices take at once. \param bytes_per_gpu that a GPU may take; nullopt: what is
/// free
[[nodiscard]] Expected<std::uint64_t> keys_that_fit(kernels::SortOptions const& options,
                                                    std::optional<std::uint64_t> bytes_per_gpu);

/// The same of each range that an engine of theirs sorts.
[[nodiscard]] Expected<std::uint64_t>
range_keys_that_fit(kernels::SortOptions const& options,
                    std::optional<std::uint64_t> bytes_per_gpu);

/// GPUs that sort the ranges of an external sort. \param options with the ranges' shape
[[nodiscard]] Expected<std::shared_ptr<RangeEngine>>
range_engine(kernels::SortOptions const& options);

/// Keys and values in host memory, to be sorted in place.
struct SortJob {
    kernels::SortOptions options;
    std::span<std::byte> keys;   ///< raw keys
    std::span<std::byte> values; ///< empty without values
    std::uint64_t key_count = 0;
};

struct SortResult {
    kernels::SortReport report;
    kernels::WorkspaceSize workspace;
    std::string device;  ///< "NVIDIA H200"
    std::string driver;  ///< "580.159.04"
    double seconds = 0;  ///< from host memory to host memory, buffers allocated before
    bool pinned = false; ///< whether the keys' memory could be pinned
};

/// Sorts, recording into `trace` unless it is null. The header is written first, after `complete`
/// has filled in what the kernels cannot know (program, commit, date, input).
[[nodiscard]] Expected<SortResult>
sort(SortJob const& job, std::function<void(RunHeader&)> const& complete, TraceSink* trace);

/// One rank's GPU in a sort by ranks; see kernels/rank_sort.hpp.
class RankSession {
  public:
    RankSession() = default;
    RankSession(RankSession const&) = delete;
    RankSession& operator=(RankSession const&) = delete;
    virtual ~RankSession() = default;

    /// Keys that the rank may own.
    [[nodiscard]] virtual std::uint64_t capacity() const = 0;
    /// What moves keys between the ranks' GPUs.
    [[nodiscard]] virtual std::string transport() const = 0;
    /// Sorts the rank's chunk of all keys, and leaves what it owns at the beginning of the memory.
    /// \param keys raw keys, with room for capacity() \param values empty without values
    /// \param complete as in sort() \param trace null = none
    [[nodiscard]] virtual Expected<kernels::SortReport>
    sort(std::span<std::byte> keys,
         std::span<std::byte> values,
         std::uint64_t key_count,
         std::function<void(RunHeader&)> const& complete,
         TraceSink* trace) = 0;
};

/// \param key_count of all ranks \pre options name one device, the rank's
[[nodiscard]] Expected<std::unique_ptr<RankSession>>
open_rank(std::unique_ptr<kernels::RankTransport> ranks,
          kernels::SortOptions const& options,
          std::uint64_t key_count);

/// Ranks that are threads; see kernels::thread_transports.
[[nodiscard]] Expected<std::vector<std::unique_ptr<kernels::RankTransport>>>
ranks_of_threads(std::uint32_t count, std::chrono::milliseconds patience);

/// Ranks that NCCL joins; see kernels/ranks/nccl_transport.hpp.
[[nodiscard]] Expected<kernels::NcclId> make_rank_id();
[[nodiscard]] Expected<std::unique_ptr<kernels::RankTransport>>
join_ranks(kernels::NcclId const& id, kernels::RankPlace place, std::chrono::milliseconds patience);

/// Orders elements in host memory by bucket; see kernels::Multisplitter::record_host.
[[nodiscard]] Expected<kernels::SplitRecords> multisplit(kernels::MultisplitOptions const& options,
                                                         kernels::MultisplitArrays const& arrays,
                                                         std::uint64_t count);

/// The same across GPUs; see kernels::Shuffler::record_host.
[[nodiscard]] Expected<kernels::ShuffleRecords> shuffle(kernels::ShuffleOptions const& options,
                                                        kernels::MultisplitArrays const& arrays,
                                                        std::uint64_t count);

/// Shortest paths; see kernels/shortest_paths.hpp.
struct PathJob {
    kernels::PathGraph graph;
    kernels::PathMethod method = kernels::PathMethod::multisplit;
    std::uint32_t delta = 1;
    std::uint32_t source = 0;
    int runs = 1; ///< the result is that of the last
};

struct TimedPaths {
    kernels::PathResult result;
    std::vector<double> milliseconds; ///< of each run
};

[[nodiscard]] Expected<TimedPaths> shortest_paths(PathJob const& job);

/// Counts samples in host memory; see kernels::Histogram::count_host.
[[nodiscard]] Expected<std::vector<std::uint64_t>>
histogram(kernels::HistogramOptions const& options, void const* samples, std::uint64_t count);

/// Reads sequences of keys once, on GPUs and in host memory; see kernels/device_check.hpp. A build
/// without the kernels has those in host memory alone.
[[nodiscard]] Expected<kernels::SequenceSummary>
summarize(SortShape const& shape,
          std::span<kernels::SequencePart const> parts,
          kernels::SummaryOptions const& options);

/// Pins host memory for fast transfers until the result goes; where that cannot be done, nothing
/// happens and transfers are slower.
[[nodiscard]] std::shared_ptr<void const> pin(std::span<std::byte> bytes);

/// Measures one sort; see kernels::bench_sort.
[[nodiscard]] Expected<kernels::BenchRuns> bench(kernels::BenchJob const& job);

/// Measures multisplits or histograms on a GPU; see kernels/bench/split_benchmark.hpp.
[[nodiscard]] Expected<std::vector<kernels::SplitBenchRow>>
bench_splits(Operation operation, kernels::SplitBenchJob const& job);

/// GB/s that a copy of 1 GiB on the first GPU reads and writes together.
[[nodiscard]] Expected<double> device_copy_rate(int runs);

/// The machine's own copies, for comparison.
[[nodiscard]] Expected<kernels::MachineRates> machine_rates(std::vector<int> const& devices,
                                                            std::uint64_t bytes);

/// Single kernels of a device, for its profile.
[[nodiscard]] Expected<kernels::KernelRates> kernel_rates(int device, std::uint64_t key_count);

/// Device name and driver as a trace's header has them.
[[nodiscard]] Expected<RunHeader> describe(std::vector<int> const& devices);

} // namespace keyswap::tools::cuda
