#include "tools/backends/cuda_backend.hpp"
#include "traces/errors/try.hpp"

namespace keyswap::tools::cuda {

namespace {

tl::unexpected<InputError> absent() {
    return input_error(
        "GPUs",
        "this keyswap was built without the CUDA kernels",
        "build it where nvcc is found, with -DKEYSWAP_CUDA=ON, or give --backend cpu to a command "
        "that takes it");
}

} // namespace

Expected<int> device_count() {
    return absent();
}

Expected<void> check_fit(kernels::SortOptions const& /*options*/, std::uint64_t /*key_count*/) {
    return absent();
}

Expected<std::uint64_t> keys_that_fit(kernels::SortOptions const& /*options*/,
                                      std::optional<std::uint64_t> /*bytes_per_gpu*/) {
    return absent();
}

Expected<std::uint64_t> range_keys_that_fit(kernels::SortOptions const& /*options*/,
                                            std::optional<std::uint64_t> /*bytes_per_gpu*/) {
    return absent();
}

Expected<std::shared_ptr<RangeEngine>> range_engine(kernels::SortOptions const& /*options*/) {
    return absent();
}

Expected<SortResult> sort(kernels::SortOptions const& /*options*/,
                          std::span<std::byte> /*keys*/,
                          std::span<std::byte> /*values*/,
                          std::function<void(RunHeader&)> const& /*complete*/,
                          TraceSink* /*trace*/) {
    return absent();
}

Expected<std::unique_ptr<RankSession>> open_rank(std::unique_ptr<kernels::RankTransport> /*ranks*/,
                                                 kernels::SortOptions const& /*options*/,
                                                 std::uint64_t /*key_count*/) {
    return absent();
}

Expected<std::vector<std::unique_ptr<kernels::RankTransport>>>
ranks_of_threads(std::uint32_t /*count*/, std::chrono::milliseconds /*patience*/) {
    return absent();
}

Expected<kernels::NcclId> make_rank_id() {
    return absent();
}

Expected<std::unique_ptr<kernels::RankTransport>>
join_ranks(kernels::NcclId const& /*id*/,
           kernels::RankPlace /*place*/,
           std::chrono::milliseconds /*patience*/) {
    return absent();
}

Expected<kernels::SplitRecords> multisplit(kernels::MultisplitOptions const& /*options*/,
                                           kernels::MultisplitArrays const& /*arrays*/,
                                           std::uint64_t /*count*/) {
    return absent();
}

Expected<kernels::ShuffleRecords> shuffle(kernels::ShuffleOptions const& /*options*/,
                                          kernels::MultisplitArrays const& /*arrays*/,
                                          std::uint64_t /*count*/) {
    return absent();
}

Expected<TimedPaths> shortest_paths(PathJob const& /*job*/) {
    return absent();
}

Expected<std::vector<std::uint64_t>> histogram(kernels::HistogramOptions const& /*options*/,
                                               void const* /*samples*/,
                                               std::uint64_t /*count*/) {
    return absent();
}

Expected<kernels::SequenceSummary> summarize(SortShape const& shape,
                                             std::span<kernels::SequencePart const> parts,
                                             kernels::SummaryOptions const& options) {
    kernels::SequenceSummary all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].device != kernels::SequencePart::in_host_memory) {
            return absent();
        }
        if (auto const checked = check_part(shape, parts[i], kernels::part_name(i, parts.size()));
            !checked) {
            return input_error("keys", checked.error().message, "");
        }
        all = joined(all, summarize_in_host_memory(shape, parts[i], options));
    }
    return all;
}

std::shared_ptr<void const> pin(std::span<std::byte> /*bytes*/) {
    return nullptr;
}

Expected<kernels::BenchRuns> bench(kernels::BenchJob const& /*job*/) {
    return absent();
}

Expected<std::vector<kernels::SplitBenchRow>> bench_splits(Operation /*operation*/,
                                                           kernels::SplitBenchJob const& /*job*/) {
    return absent();
}

Expected<double> device_copy_rate(int /*runs*/) {
    return absent();
}

Expected<kernels::MachineRates> machine_rates(std::vector<int> const& /*devices*/,
                                              std::uint64_t /*bytes*/) {
    return absent();
}

Expected<kernels::KernelRates> kernel_rates(int /*device*/, std::uint64_t /*key_count*/) {
    return absent();
}

Expected<RunHeader> describe(std::vector<int> const& /*devices*/) {
    return absent();
}

} // namespace keyswap::tools::cuda
