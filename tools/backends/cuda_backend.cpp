#include "tools/backends/cuda_backend.hpp"

#include "kernels/device_check.hpp"
#include "kernels/range_sorter.hpp"
#include "tools/backends/gpu_range_engine.hpp"
#include "tools/backends/sort_error.hpp"
#include "tools/build/stopwatch.hpp"
#include "traces/errors/try.hpp"
#include "traces/records/pending_header.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace keyswap::tools::cuda {

namespace {

template <class T>
Expected<T> to_expected(kernels::SortExpected<T> result) {
    return std::move(result).map_error(to_input_error);
}

/// Sorts with a Sorter or RankSorter: pins the arrays, and records into `trace` unless it is null.
template <class AnySorter>
Expected<SortResult> sort_pinned(AnySorter& sorter,
                                 std::span<std::byte> keys,
                                 std::span<std::byte> values,
                                 std::uint64_t key_count,
                                 std::function<void(RunHeader&)> const& complete,
                                 TraceSink* trace) {
    RunHeader header = sorter.describe(key_count);
    complete(header);
    std::optional<PendingHeader> pending;
    if (trace != nullptr) {
        pending.emplace(header, *trace);
    }
    kernels::HostPin const key_pin{keys.data(), keys.size()};
    kernels::HostPin const value_pin{values.data(), values.size()};
    Stopwatch const stopwatch;
    auto report = sorter.sort(keys.data(),
                              values.empty() ? nullptr : values.data(),
                              key_count,
                              kernels::PhaseTiming::on,
                              pending ? &*pending : nullptr);
    double const seconds = stopwatch.seconds();
    if (pending) {
        pending->release();
    }
    KEYSWAP_TRY(auto sorted, to_expected(std::move(report)));
    return SortResult{std::move(sorted),
                      sorter.workspace(),
                      header.device,
                      header.driver,
                      seconds,
                      key_pin.is_pinned()};
}

class OpenRank final : public RankSession {
  public:
    explicit OpenRank(kernels::RankSorter sorter) : sorter_(std::move(sorter)) {}

    [[nodiscard]] std::uint64_t capacity() const override {
        return sorter_.workspace().key_capacity;
    }
    [[nodiscard]] std::string transport() const override {
        bool const has_peers = sorter_.ranks().has_distinct_gpus() && sorter_.copies_to_peers();
        return sorter_.ranks().name() + (has_peers ? ", peer copies" : "");
    }

    [[nodiscard]] Expected<kernels::SortReport>
    sort(std::span<std::byte> keys,
         std::span<std::byte> values,
         std::uint64_t key_count,
         std::function<void(RunHeader&)> const& complete,
         TraceSink* trace) override {
        KEYSWAP_TRY(auto sorted, sort_pinned(sorter_, keys, values, key_count, complete, trace));
        return std::move(sorted.report);
    }

  private:
    kernels::RankSorter sorter_;
};

} // namespace

Expected<int> device_count() {
    int const count = kernels::device_count();
    if (count == 0) {
        return input_error("GPUs",
                           "no CUDA device or driver was found on this machine",
                           "the reference backend needs none");
    }
    return count;
}

Expected<void> check_fit(kernels::SortOptions const& options, std::uint64_t key_count) {
    KEYSWAP_RETURN_IF_ERROR(
        to_expected(kernels::Sorter::create(options, key_count, kernels::ChunkBuffers::sorter)));
    return {};
}

Expected<std::uint64_t> keys_that_fit(kernels::SortOptions const& options,
                                      std::optional<std::uint64_t> bytes_per_gpu) {
    return to_expected(kernels::keys_that_fit(options, bytes_per_gpu));
}

Expected<std::uint64_t> range_keys_that_fit(kernels::SortOptions const& options,
                                            std::optional<std::uint64_t> bytes_per_gpu) {
    return to_expected(kernels::range_keys_that_fit(options, bytes_per_gpu));
}

Expected<std::shared_ptr<RangeEngine>> range_engine(kernels::SortOptions const& options) {
    return make_gpu_range_engine(options);
}

Expected<SortResult> sort(kernels::SortOptions const& options,
                          std::span<std::byte> keys,
                          std::span<std::byte> values,
                          std::function<void(RunHeader&)> const& complete,
                          TraceSink* trace) {
    std::uint64_t const key_count = keys.size() / key_size_bytes(options.key_type);
    KEYSWAP_TRY(
        auto sorter,
        to_expected(kernels::Sorter::create(options, key_count, kernels::ChunkBuffers::sorter)));
    return sort_pinned(sorter, keys, values, key_count, complete, trace);
}

Expected<std::unique_ptr<RankSession>> open_rank(std::unique_ptr<kernels::RankTransport> ranks,
                                                 kernels::SortOptions const& options,
                                                 std::uint64_t key_count) {
    KEYSWAP_TRY(auto sorter,
                to_expected(kernels::RankSorter::create(
                    std::move(ranks), options, key_count, kernels::ChunkBuffers::sorter)));
    return std::make_unique<OpenRank>(std::move(sorter));
}

Expected<std::vector<std::unique_ptr<kernels::RankTransport>>>
ranks_of_threads(std::uint32_t count, std::chrono::milliseconds patience) {
    return kernels::thread_transports(count, patience);
}

Expected<kernels::NcclId> make_rank_id() {
    kernels::let_nccl_register_cuda_memory();
    return to_expected(kernels::make_nccl_id());
}

Expected<std::unique_ptr<kernels::RankTransport>> join_ranks(kernels::NcclId const& id,
                                                             kernels::RankPlace place,
                                                             std::chrono::milliseconds patience) {
    kernels::let_nccl_register_cuda_memory();
    return to_expected(kernels::join_nccl(id, place, patience));
}

Expected<kernels::SplitRecords> multisplit(kernels::MultisplitOptions const& options,
                                           kernels::MultisplitArrays const& arrays,
                                           std::uint64_t count) {
    KEYSWAP_TRY(auto splitter, to_expected(kernels::Multisplitter::create(options, count)));
    return to_expected(splitter.record_host(arrays, count));
}

Expected<kernels::ShuffleRecords> shuffle(kernels::ShuffleOptions const& options,
                                          kernels::MultisplitArrays const& arrays,
                                          std::uint64_t count) {
    std::uint64_t const gpu_count = std::max<std::uint64_t>(options.devices.size(), 1);
    KEYSWAP_TRY(
        auto shuffler,
        to_expected(kernels::Shuffler::create(options, (count + gpu_count - 1) / gpu_count)));
    return to_expected(shuffler.record_host(arrays, count));
}

Expected<TimedPaths> shortest_paths(PathJob const& job) {
    KEYSWAP_TRY(auto finder,
                to_expected(kernels::PathFinder::create(job.graph, job.method, job.delta)));
    TimedPaths paths;
    for (int run = 0; run < job.runs; ++run) {
        KEYSWAP_TRY(auto found, to_expected(finder.find(job.source)));
        paths.milliseconds.push_back(found.milliseconds);
        paths.result = std::move(found);
    }
    return paths;
}

Expected<std::vector<std::uint64_t>>
histogram(kernels::HistogramOptions const& options, void const* samples, std::uint64_t count) {
    KEYSWAP_TRY(auto histogram, to_expected(kernels::Histogram::create(options)));
    return to_expected(histogram.count_host(samples, count));
}

Expected<kernels::SequenceSummary> summarize(SortShape const& shape,
                                             std::span<kernels::SequencePart const> parts,
                                             kernels::SummaryOptions const& options) {
    return to_expected(kernels::summarize(shape, parts, options));
}

std::shared_ptr<void const> pin(std::span<std::byte> bytes) {
    return std::make_shared<kernels::HostPin>(bytes.data(), bytes.size());
}

Expected<kernels::BenchRuns> bench(kernels::BenchJob const& job) {
    return to_expected(kernels::bench_sort(job));
}

Expected<std::vector<kernels::SplitBenchRow>> bench_splits(Operation operation,
                                                           kernels::SplitBenchJob const& job) {
    return to_expected(operation == Operation::histogram ? kernels::bench_histogram(job)
                       : job.devices.size() == 1         ? kernels::bench_multisplit(job)
                                                         : kernels::bench_shuffle(job));
}

Expected<double> device_copy_rate(int runs) {
    return to_expected(kernels::bench_device_copy(0, std::uint64_t{1} << 30, runs));
}

Expected<kernels::MachineRates> machine_rates(std::vector<int> const& devices,
                                              std::uint64_t bytes) {
    return to_expected(kernels::bench_machine(devices, bytes));
}

Expected<kernels::KernelRates> kernel_rates(int device, std::uint64_t key_count) {
    return to_expected(kernels::measure_kernels(device, key_count));
}

Expected<RunHeader> describe(std::vector<int> const& devices) {
    kernels::SortOptions options;
    options.devices = devices;
    KEYSWAP_TRY(auto const sorter,
                to_expected(kernels::Sorter::create(options, 1, kernels::ChunkBuffers::caller)));
    return sorter.describe(0);
}

} // namespace keyswap::tools::cuda
