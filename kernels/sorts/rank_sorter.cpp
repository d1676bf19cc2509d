#include "kernels/device/cuda_error.hpp"
#include "kernels/rank_sort.hpp"
#include "kernels/ranks/rank_step.hpp"
#include "kernels/runtime/rank_words.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "kernels/sorts/run_header.hpp"
#include "kernels/sorts/sort_run.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"
#include "traces/records/digest.hpp"

#include <string>

namespace keyswap::kernels {

namespace {

/// Error in a rank's own options, before those of all ranks are combined.
std::optional<SortError> rank_error(SortOptions const& options) {
    if (options.devices.size() != 1) {
        return refused("a rank has one GPU, not " + std::to_string(options.devices.size()) +
                       ". Start a rank for each.");
    }
    if (!runs_on_gpus(*options.choice.algorithm) || !driver_of(options).sorts_with_ranks) {
        return refused(
            full_name(options.choice) +
            " needs the memory of all GPUs, which ranks do not share. Use rmg or sample-sort.");
    }
    return std::nullopt;
}

/// Hash of everything that must be the same on all ranks.
std::uint64_t hash_of(SortOptions const& options, std::uint64_t key_count, ChunkBuffers buffers) {
    std::uint64_t hash = key_count;
    auto const add = [&hash](std::uint64_t word) { hash = mix_bits(hash ^ mix_bits(word + 1)); };
    for (char const letter : full_name(options.choice)) {
        add(static_cast<unsigned char>(letter));
    }
    add(static_cast<std::uint64_t>(options.key_type));
    add(static_cast<std::uint64_t>(options.value_type));
    add(static_cast<std::uint64_t>(options.direction));
    add(static_cast<std::uint64_t>(options.stability));
    visit_parameter_fields(options, [&add](std::string_view, auto const& value) {
        add(static_cast<std::uint64_t>(value));
    });
    add(static_cast<std::uint64_t>(buffers));
    return hash;
}

/// Compares the options of all ranks and collects their devices. \throws CudaFailure, RankLost
void meet_ranks(SorterState& state, std::uint64_t own) {
    SortRun const run{state, 0, PhaseTiming::off, nullptr};
    GpuState const& gpu = run.gpus().front();
    auto const all = gather_values(run.context(), gpu, "comparing options", own);
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank] != own) {
            throw lost_rank("comparing options",
                            rank,
                            "has other options or another number of keys than rank " +
                                std::to_string(state.ranks->rank()));
        }
    }
    state.rank_devices = gather_values(run.context(), gpu, "comparing devices", gpu.device);
}

/// Shares the sorter's own buffers, once all ranks are known to have them. \throws CudaFailure,
/// RankLost
void share_buffers(SorterState& state) {
    GpuResources& gpu = state.resources.front();
    for (int buffer = 0; buffer < 2; ++buffer) {
        state.share(gpu.keys[buffer].data(), gpu.values[buffer].data(), gpu.shared);
    }
}

/// Returns the result of `call`; after an error, this rank makes no further collective calls.
template <class Call>
auto or_abandoned(RankTransport& ranks, Call const& call) -> decltype(call()) {
    auto const given_up = [&ranks](SortError error) {
        ranks.abandon();
        return tl::unexpected(std::move(error));
    };
    try {
        auto result = call();
        if (!result) {
            ranks.abandon();
        }
        return result;
    } catch (CudaFailure const& failure) {
        return given_up(error_of(failure, InputState::intact));
    } catch (RankLost const& lost) {
        return given_up(error_of(lost, InputState::intact));
    }
}

} // namespace

RankSorter::RankSorter(std::unique_ptr<RankTransport> ranks, std::unique_ptr<SorterState> state)
    : ranks_(std::move(ranks)), state_(std::move(state)) {}
RankSorter::RankSorter(RankSorter&&) noexcept = default;
RankSorter& RankSorter::operator=(RankSorter&& other) noexcept {
    std::swap(ranks_, other.ranks_);
    std::swap(state_, other.state_);
    return *this;
}
RankSorter::~RankSorter() = default;

SortExpected<RankSorter> RankSorter::create(std::unique_ptr<RankTransport> ranks,
                                            SortOptions options,
                                            std::uint64_t key_count_max,
                                            ChunkBuffers buffers) {
    KEYSWAP_EXPECTS(ranks != nullptr);
    std::unique_ptr<SorterState> state; // destroyed after the transport has given up
    auto const made = or_abandoned(*ranks, [&]() -> SortExpected<void> {
        if (auto error = rank_error(options)) {
            return tl::unexpected(std::move(*error));
        }
        options.devices.resize(ranks->size(), options.devices.front());
        if (auto error = option_error(options)) {
            return tl::unexpected(std::move(*error));
        }
        if (auto error = device_error(options, key_count_max, buffers, LocalGpus::one)) {
            return tl::unexpected(std::move(*error));
        }
        state = std::make_unique<SorterState>(options, key_count_max, buffers, ranks.get());
        meet_ranks(*state, hash_of(options, key_count_max, buffers));
        if (buffers == ChunkBuffers::sorter) {
            share_buffers(*state);
        }
        return {};
    });
    KEYSWAP_RETURN_IF_ERROR(made);
    return RankSorter{std::move(ranks), std::move(state)};
}

std::uint64_t RankSorter::chunk_size(std::uint64_t key_count) const {
    return placement_rule(state_->options, key_count).chunk_size;
}

RunHeader RankSorter::describe(std::uint64_t key_count) const {
    return run_header(*state_, key_count);
}

WorkspaceSize RankSorter::workspace() const {
    return state_->workspace;
}

SortExpected<std::vector<SharedMemory>> RankSorter::share_chunk(DeviceChunk const& chunk) {
    KEYSWAP_EXPECTS(state_->chunk_buffers == ChunkBuffers::caller);
    return or_abandoned(*ranks_, [&]() -> SortExpected<std::vector<SharedMemory>> {
        std::vector<SharedMemory> shared;
        state_->share(chunk.keys, chunk.values, shared);
        state_->share(chunk.alternate_keys, chunk.alternate_values, shared);
        return shared;
    });
}

bool RankSorter::copies_to_peers() const {
    return state_->shared->are_accessible();
}

SortExpected<SortReport> RankSorter::sort(
    void* keys, void* values, std::uint64_t key_count, PhaseTiming timing, TraceSink* trace) {
    KEYSWAP_EXPECTS(state_->chunk_buffers == ChunkBuffers::sorter);
    return run_sort(*state_, key_count, timing, trace, [keys, values](SortRun& run) {
        run.use_own_buffers();
        run.start_clock();
        run.copy_from_host({keys, values});
        SortReport report = run.sort_chunks(std::nullopt);
        run.copy_share_to_host(report, {keys, values});
        return report;
    });
}

SortExpected<SortReport> RankSorter::sort_in_place(DeviceChunk const& chunk,
                                                   std::uint64_t key_count,
                                                   PhaseTiming timing,
                                                   TraceSink* trace) {
    KEYSWAP_EXPECTS(state_->chunk_buffers == ChunkBuffers::caller);
    return run_sort(*state_, key_count, timing, trace, [&chunk](SortRun& run) {
        run.use_buffers({&chunk, 1});
        run.start_clock();
        return run.sort_chunks(std::nullopt);
    });
}

} // namespace keyswap::kernels
