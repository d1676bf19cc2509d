#include "kernels/device/cuda_error.hpp"
#include "kernels/sort.hpp"
#include "kernels/sorts/sort_driver.hpp"
#include "kernels/sorts/sort_run.hpp"
#include "kernels/sorts/sorter_options.hpp"
#include "kernels/sorts/sorter_state.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace keyswap::kernels {

namespace {

/// The driver's version as its module tells it, or the CUDA version that it supports.
std::string driver_version() {
    std::ifstream file{"/proc/driver/nvidia/version"};
    std::string line;
    std::getline(file, line);
    std::istringstream words{line};
    for (std::string word; words >> word;) {
        bool const is_version = std::count(word.begin(), word.end(), '.') >= 1 &&
                                word.find_first_not_of("0123456789.") == std::string::npos;
        if (is_version) {
            return word;
        }
    }
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0) {
        return {};
    }
    return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Version 1 has one layout of a swap by buckets and no stages, and no parameters without a field.
int trace_version(AlgorithmChoice const& choice) {
    std::set<std::string_view> fields;
    SortParameters const parameters;
    visit_parameter_fields(parameters,
                           [&fields](std::string_view name, auto) { fields.insert(name); });
    bool const has_others =
        std::ranges::any_of(choice.algorithm->parameters, [&fields](ParameterInfo const& each) {
            return !fields.contains(each.name);
        });
    std::optional<SwapLayout> const layout = choice.variant->layout;
    return layout && *layout != SwapLayout::by_round && !has_others ? 1 : 2;
}

/// Runs `body`, turning a CUDA failure into an error once all queued work has ended.
SortExpected<SortReport> guarded(SortRun& run, std::function<SortReport()> const& body) {
    try {
        return body();
    } catch (CudaFailure const& failure) {
        run.drain();
        return tl::unexpected(error_of(failure, run.input()));
    } catch (SortRefused const& refused) {
        run.drain();
        return tl::unexpected(
            SortError{SortErrorCode::invalid_option, refused.message, run.input()});
    }
}

bool sorts_on(SortOptions const& options, Residence residence) {
    auto const residences = options.choice.algorithm->residences;
    return std::ranges::find(residences, residence) != residences.end();
}

std::optional<SortError> count_error(SorterState const& state, std::uint64_t key_count) {
    if (key_count <= state.key_count_max) {
        return std::nullopt;
    }
    return SortError{SortErrorCode::invalid_option,
                     "this sorter was made for " + std::to_string(state.key_count_max) +
                         " keys, not " + std::to_string(key_count) + ". Make a larger one.",
                     InputState::intact};
}

} // namespace

SortExpected<WorkspaceSize> workspace_size(SortOptions const& options, std::uint64_t key_count) {
    if (auto error = option_error(options)) {
        return tl::unexpected(*error);
    }
    try {
        if (auto error = device_error(options, 0, ChunkBuffers::caller)) {
            return tl::unexpected(*error);
        }
        return needed_workspace(options, key_count);
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, InputState::intact));
    }
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
        return tl::unexpected(SortError{
            SortErrorCode::invalid_option,
            full_name(options.choice) + " sorts from host memory to host memory only; chunks that "
                                        "lie on the GPUs need rmg or p2p-merge.",
            InputState::intact});
    }
    if (std::uint64_t const most = driver_of(options).key_count_max; key_count_max > most) {
        return tl::unexpected(SortError{SortErrorCode::invalid_option,
                                        full_name(options.choice) + " takes at most " +
                                            std::to_string(most) + " keys, not " +
                                            std::to_string(key_count_max) + ". Use rmg.",
                                        InputState::intact});
    }
    try {
        if (auto error = device_error(options, key_count_max, buffers)) {
            return tl::unexpected(*error);
        }
        auto state = std::make_unique<SorterState>(options, key_count_max, buffers);
        if (driver_of(options).needs_peer_access && !state->peer_access) {
            return tl::unexpected(
                SortError{SortErrorCode::invalid_option,
                          full_name(options.choice) +
                              " needs GPUs that read each other's memory, and these cannot. Use "
                              "rmg or het-merge.",
                          InputState::intact});
        }
        return Sorter{std::move(state)};
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, InputState::intact));
    }
}

RunHeader Sorter::describe(std::uint64_t key_count) const {
    SortOptions const& options = state_->options;
    RunHeader header;
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, options.devices.front()) == cudaSuccess) {
        header.device = properties.name;
    }
    header.driver = driver_version();
    header.algorithm = options.choice.algorithm->name;
    header.variant = options.choice.variant->name;
    header.version = trace_version(options.choice);
    header.key_count = key_count;
    header.gpus = options.devices;
    header.virtual_gpus = std::set<int>{options.devices.begin(), options.devices.end()}.size() <
                          options.devices.size();
    static_cast<SortShape&>(header) = options;
    static_cast<SortParameters&>(header) = options;
    return header;
}

SortExpected<SortReport> Sorter::sort(
    void* keys, void* values, std::uint64_t key_count, PhaseTiming timing, TraceSink* trace) {
    KEYSWAP_EXPECTS(state_->chunk_buffers == ChunkBuffers::sorter);
    KEYSWAP_EXPECTS(keys != nullptr || key_count == 0);
    KEYSWAP_EXPECTS(values != nullptr || key_count == 0 ||
                    state_->options.value_type == ValueType::none);
    if (auto error = count_error(*state_, key_count)) {
        return tl::unexpected(*error);
    }
    SortRun run{*state_, key_count, timing, trace};
    return guarded(run, [&run, keys, values] {
        run.use_own_buffers();
        run.start_clock();
        run.copy_from_host({keys, values});
        return run.sort_chunks(HostArrays{keys, values});
    });
}

SortExpected<SortReport> Sorter::sort_in_place(std::span<DeviceChunk const> chunks,
                                               std::uint64_t key_count,
                                               PhaseTiming timing,
                                               TraceSink* trace) {
    KEYSWAP_EXPECTS(chunks.size() == state_->options.devices.size());
    if (auto error = count_error(*state_, key_count)) {
        return tl::unexpected(*error);
    }
    SortRun run{*state_, key_count, timing, trace};
    return guarded(run, [&run, chunks] {
        run.use_buffers(chunks);
        run.start_clock();
        return run.sort_chunks(std::nullopt);
    });
}

} // namespace keyswap::kernels
