#include "kernels/device/cuda_error.hpp"
#include "kernels/runtime/sort_driver.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "kernels/sort.hpp"
#include "kernels/sorts/run_header.hpp"
#include "kernels/sorts/sort_run.hpp"
#include "kernels/sorts/sorter_state.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::kernels {

namespace {

bool sorts_on(SortOptions const& options, Residence residence) {
    auto const residences = options.choice.algorithm->residences;
    return std::ranges::find(residences, residence) != residences.end();
}

/// Returns answer(), or an error if this machine cannot run the sort.
template <class Answer>
auto if_runnable(SortOptions const& options, Answer const& answer)
    -> SortExpected<decltype(answer())> {
    if (auto error = option_error(options)) {
        return tl::unexpected(std::move(*error));
    }
    return guarded([&]() -> SortExpected<decltype(answer())> {
        if (auto error = device_error(options, 0, ChunkBuffers::caller)) {
            return tl::unexpected(std::move(*error));
        }
        return answer();
    });
}

} // namespace

SortExpected<WorkspaceSize> workspace_size(SortOptions const& options, std::uint64_t key_count) {
    return if_runnable(options, [&] { return needed_workspace(options, key_count); });
}

SortExpected<std::uint64_t> keys_that_fit(SortOptions const& options,
                                          std::optional<std::uint64_t> bytes_per_gpu) {
    return if_runnable(options, [&] {
        return std::min(key_count_that_fits(options, bytes_per_gpu),
                        driver_of(options).key_count_max);
    });
}

Sorter::Sorter(std::unique_ptr<SorterState> state) : state_(std::move(state)) {}
Sorter::Sorter(Sorter&&) noexcept = default;
Sorter& Sorter::operator=(Sorter&&) noexcept = default;
Sorter::~Sorter() = default;

SortOptions const& Sorter::options() const {
    return state_->options;
}
std::uint64_t Sorter::key_count_max() const {
    return state_->key_count_max;
}
WorkspaceSize Sorter::workspace() const {
    return state_->workspace;
}

SortExpected<Sorter>
Sorter::create(SortOptions const& options, std::uint64_t key_count_max, ChunkBuffers buffers) {
    if (auto error = option_error(options)) {
        return tl::unexpected(*error);
    }
    if (buffers == ChunkBuffers::caller && !sorts_on(options, Residence::devices)) {
        return tl::unexpected(refused(full_name(options.choice) +
                                      " sorts from host memory to host memory only; "
                                      "chunks that lie on the GPUs need rmg or "
                                      "p2p-merge."));
    }
    if (std::uint64_t const most = driver_of(options).key_count_max; key_count_max > most) {
        return tl::unexpected(refused(full_name(options.choice) + " takes at most " +
                                      std::to_string(most) + " keys, not " +
                                      std::to_string(key_count_max) + ". Use rmg."));
    }
    return guarded([&]() -> SortExpected<Sorter> {
        if (auto error = device_error(options, key_count_max, buffers)) {
            return tl::unexpected(*error);
        }
        auto state = std::make_unique<SorterState>(options, key_count_max, buffers);
        if (driver_of(options).needs_peer_access && !state->peer_access) {
            return tl::unexpected(refused(full_name(options.choice) +
                                          " needs GPUs that read each other's memory, "
                                          "and these cannot. Use rmg or het-merge."));
        }
        return Sorter{std::move(state)};
    });
}

RunHeader Sorter::describe(std::uint64_t key_count) const {
    return run_header(*state_, key_count);
}

SortExpected<SortReport> Sorter::sort(
    void* keys, void* values, std::uint64_t key_count, PhaseTiming timing, TraceSink* trace) {
    KEYSWAP_EXPECTS(state_->chunk_buffers == ChunkBuffers::sorter);
    KEYSWAP_EXPECTS(keys != nullptr || key_count == 0);
    KEYSWAP_EXPECTS(values != nullptr || key_count == 0 ||
                    state_->options.value_type == ValueType::none);
    return run_sort(*state_, key_count, timing, trace, [keys, values](SortRun& run) {
        run.use_own_buffers();
        run.start_clock();
        run.copy_from_host({keys, values});
        return run.sort_chunks(Columns<void>{keys, values});
    });
}

SortExpected<SortReport> Sorter::sort_in_place(std::span<DeviceChunk const> chunks,
                                               std::uint64_t key_count,
                                               PhaseTiming timing,
                                               TraceSink* trace) {
    KEYSWAP_EXPECTS(chunks.size() == state_->options.devices.size());
    return run_sort(*state_, key_count, timing, trace, [chunks](SortRun& run) {
        run.use_buffers(chunks);
        run.start_clock();
        return run.sort_chunks(std::nullopt);
    });
}

} // namespace keyswap::kernels
