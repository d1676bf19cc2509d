#include "kernels/fast_sort.hpp"
#include "kernels/key_swap.hpp"
#include "kernels/sort.hpp"
#include "kernels/sorter_options.hpp"
#include "kernels/sorter_state.hpp"

#include "traces/contracts.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace keyswap::kernels {

namespace {

SortError error_of(CudaFailure const& failure, InputState input) {
    bool const no_memory = failure.code() == cudaErrorMemoryAllocation;
    return {no_memory ? SortErrorCode::out_of_device_memory : SortErrorCode::device_failure,
            std::string{failure.what()} + (input == InputState::intact
                                               ? ". The input is as it was."
                                               : ". The input has been overwritten."),
            input};
}

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

/// One call: the ranks with their places, and what the phases share.
class Run {
  public:
    Run(SorterState& state, std::uint64_t key_count, PhaseTiming timing, TraceSink* trace)
        : state_(state), clock_(timing) {
        context_.shape = element_shape(state.options);
        context_.key_shape = key_shape(state.options);
        context_.rule = placement_rule(state.options, key_count);
        context_.key_count = key_count;
        context_.fuse_below = share_of_chunk(context_.rule.chunk_size, state.options.fuse_ppm);
        context_.code = image_code(state.options.key_type, state.options.direction);
        context_.trace = trace;
        context_.clock = &clock_;
        context_.exchange = &state.exchange;
        context_.input = &input_;
        for (std::uint32_t gpu = 0; gpu < context_.rule.gpu_count; ++gpu) {
            RankResources& resources = state.resources[gpu];
            Rank& rank = ranks_.emplace_back();
            rank.resources = &resources;
            rank.gpu = GpuId{gpu};
            rank.device = resources.device;
            rank.stream = resources.stream.get();
            std::uint64_t const begin =
                std::min(key_count, std::uint64_t{gpu} * context_.rule.chunk_size);
            rank.count = std::min(key_count - begin, context_.rule.chunk_size);
        }
    }

    void use_own_places() {
        for (Rank& rank : ranks_) {
            for (std::size_t place = 0; place < 2; ++place) {
                rank.place.keys[place] = rank.resources->keys[place].data();
                rank.place.values[place] = rank.resources->values[place].data();
            }
        }
    }

    void use_places(std::span<DeviceChunk const> chunks) {
        for (Rank& rank : ranks_) {
            DeviceChunk const& chunk = chunks[rank.gpu.value];
            rank.place.keys = {chunk.keys, chunk.alternate_keys};
            rank.place.values = {chunk.values, chunk.alternate_values};
            if (chunk.stream != nullptr) {
                rank.stream = static_cast<cudaStream_t>(chunk.stream);
            }
        }
    }

    void start_clock() {
        for (Rank const& rank : ranks_) {
            clock_.start(rank.gpu, rank.device, rank.stream);
        }
    }

    void copy_from_host(HostArrays const& host) {
        NvtxRange const range{"host to device"};
        for (Rank const& rank : ranks_) {
            DeviceScope const scope{rank.device};
            auto const phase =
                clock_.begin(rank.gpu, rank.device, rank.stream, "host to device", 0);
            std::uint64_t const begin =
                std::min(context_.key_count, rank.gpu.value * context_.rule.chunk_size);
            copy_array(rank, rank.place.keys[0], host.keys, context_.shape.key_bytes, begin);
            copy_array(rank, rank.place.values[0], host.values, context_.shape.value_bytes, begin);
            clock_.end(phase, rank.stream);
        }
    }

    /// Sorts the chunks in place 0 of every rank, by the variant's way where the keys allow it.
    SortReport sort_chunks(std::optional<HostArrays> const& host) {
        context_.chunk_input = host.has_value() ? nullptr : &input_;
        bool const fast = state_.options.variant == Variant::fast && context_.key_count > 0 &&
                          fast_is_possible(context_.key_shape, state_.workspace.key_capacity);
        if (fast && ranks_.size() == 1 && context_.trace == nullptr) {
            return sort_alone(host);
        }
        if (fast) {
            auto const outcome = fast_sort(context_, ranks_, state_.workspace.key_capacity, host);
            if (outcome.has_value()) {
                synchronize();
                return report_of(outcome->passes, outcome->ownership);
            }
        }
        encode();
        Partition const parts = partition(context_, ranks_);
        SwapPlan const plan = make_swap_plan(context_, parts, state_.options.variant);
        record_swap_plan(context_, plan);
        record_digests_before_swap(context_, ranks_, parts);
        swap_keys(context_, ranks_, plan);
        record_digests(context_, ranks_, plan.owned, DigestStage::after_swap);
        sort_buckets(context_, ranks_, plan, host);
        synchronize();
        return report_of(parts.passes, plan.ownership);
    }

    [[nodiscard]] InputState input() const { return input_; }

    void drain() const {
        for (Rank const& rank : ranks_) {
            static_cast<void>(cudaStreamSynchronize(rank.stream));
        }
        state_.drain();
    }

  private:
    void synchronize() const {
        for (Rank const& rank : ranks_) {
            KEYSWAP_CUDA(cudaStreamSynchronize(rank.stream));
        }
    }

    void encode() {
        if (!context_.code.is_identity()) {
            context_.mark_chunks_overwritten();
        }
        for (Rank const& rank : ranks_) {
            DeviceScope const scope{rank.device};
            launch_image_change(rank.stream,
                                context_.shape.key_bytes,
                                rank.place.keys[0],
                                rank.count,
                                context_.code,
                                ImageChange::encode);
        }
    }

    /// One GPU has nothing to swap: one sort on all bits.
    SortReport sort_alone(std::optional<HostArrays> const& host) {
        encode();
        context_.mark_chunks_overwritten();
        SwapPlan plan;
        plan.ownership = {{GpuId{0}, 0, context_.key_count}};
        plan.ranges = {{GpuId{0}, 0, context_.key_count, 0, context_.key_shape.key_bits}};
        sort_buckets(context_, ranks_, plan, host);
        synchronize();
        return report_of(0, plan.ownership);
    }

    void copy_array(Rank const& rank,
                    void* destination,
                    void* source,
                    int element_bytes,
                    std::uint64_t begin) const {
        if (element_bytes == 0 || rank.count == 0) {
            return;
        }
        KEYSWAP_CUDA(cudaMemcpyAsync(destination,
                                     element(source, element_bytes, begin),
                                     rank.count * static_cast<std::uint64_t>(element_bytes),
                                     cudaMemcpyHostToDevice,
                                     rank.stream));
    }

    [[nodiscard]] SortReport report_of(int passes,
                                       std::vector<OwnershipRecord> const& ownership) const {
        SortReport report;
        report.passes = passes;
        report.peer_access = state_.peer_access;
        report.times = clock_.times();
        for (Rank const& rank : ranks_) {
            OwnershipRecord const& owned = ownership[rank.gpu.value];
            report.chunks.push_back({owned.base, owned.count, rank.place.current == 1});
        }
        if (context_.trace != nullptr) {
            for (PhaseTimeRecord const& record : report.times) {
                context_.trace->write(record);
            }
        }
        return report;
    }

    SorterState& state_;
    PhaseClock clock_;
    InputState input_ = InputState::intact;
    RunContext context_;
    std::vector<Rank> ranks_;
};

/// Runs `body`, turning a CUDA failure into an error once all queued work has ended.
SortExpected<SortReport> guarded(Run& run, std::function<SortReport()> const& body) {
    try {
        return body();
    } catch (CudaFailure const& failure) {
        run.drain();
        return tl::unexpected(error_of(failure, run.input()));
    }
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

int device_count() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return 0;
    }
    return count;
}

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

SortExpected<HostMemory> HostMemory::allocate(std::size_t bytes) {
    try {
        void* data = nullptr;
        KEYSWAP_CUDA(cudaHostAlloc(&data, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable));
        return HostMemory{data, bytes};
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, InputState::intact));
    }
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}
HostMemory::~HostMemory() {
    if (data_ != nullptr) {
        static_cast<void>(cudaFreeHost(data_));
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
    try {
        if (auto error = device_error(options, key_count_max, buffers)) {
            return tl::unexpected(*error);
        }
        return Sorter{std::make_unique<SorterState>(options, key_count_max, buffers)};
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
    header.algorithm = "rmg";
    header.variant = to_string(options.variant);
    header.key_count = key_count;
    header.gpus = options.devices;
    header.virtual_gpus = std::set<int>{options.devices.begin(), options.devices.end()}.size() <
                          options.devices.size();
    header.key_type = options.key_type;
    header.direction = options.direction;
    header.value_type = options.value_type;
    header.stability = options.stability;
    header.zero_order = options.zero_order;
    header.digit_bits = options.digit_bits;
    header.tolerance_ppm = options.tolerance_ppm;
    header.fuse_ppm = options.fuse_ppm;
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
    Run run{*state_, key_count, timing, trace};
    return guarded(run, [&run, keys, values] {
        run.use_own_places();
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
    Run run{*state_, key_count, timing, trace};
    return guarded(run, [&run, chunks] {
        run.use_places(chunks);
        run.start_clock();
        return run.sort_chunks(std::nullopt);
    });
}

} // namespace keyswap::kernels
