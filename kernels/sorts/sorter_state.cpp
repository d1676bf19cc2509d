#include "kernels/sorts/sorter_state.hpp"

#include "kernels/primitives/merge_kernels.hpp"
#include "kernels/sorts/rmg/fast_sort.hpp"
#include "kernels/sorts/sorter_options.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace keyswap::kernels {

namespace {

std::uint64_t needed_per_gpu(WorkspaceSize const& size, ChunkBuffers buffers) {
    return buffers == ChunkBuffers::sorter ? size.bytes_per_gpu() : size.scratch_bytes;
}

/// Largest number of keys whose workspace, on the fullest device, fits into `free_bytes`.
std::uint64_t key_count_that_fits(SortOptions const& options,
                                  std::uint64_t key_count,
                                  ChunkBuffers buffers,
                                  std::map<int, std::uint64_t> const& ranks_on,
                                  std::map<int, std::uint64_t> const& free_bytes) {
    std::uint64_t fits = 0;
    std::uint64_t too_many = key_count;
    while (too_many - fits > 1) {
        std::uint64_t const middle = fits + (too_many - fits) / 2;
        std::uint64_t const bytes = needed_per_gpu(needed_workspace(options, middle), buffers);
        bool const all_fit =
            std::all_of(ranks_on.begin(), ranks_on.end(), [&free_bytes, bytes](auto const& entry) {
                return bytes * entry.second <= free_bytes.at(entry.first);
            });
        (all_fit ? fits : too_many) = middle;
    }
    return fits;
}

bool uses_fast(SortOptions const& options, std::uint64_t capacity) {
    return options.algorithm == Algorithm::rmg && options.variant == Variant::fast &&
           options.devices.size() > 1 && fast_is_possible(key_shape(options), capacity);
}

/// Temporary memory of CUB's sort, which its merge or the look-back words of variant `fast` share.
std::size_t sort_temp_bytes(SortOptions const& options, std::uint64_t capacity) {
    ElementShape const shape = element_shape(options);
    std::size_t bytes = radix_sort_temp_bytes(shape, capacity);
    if (uses_fast(options, capacity)) {
        auto const gpus = static_cast<std::uint32_t>(options.devices.size());
        bytes =
            std::max(bytes, fast_sizes(shape, key_shape(options), capacity, gpus).lookback_bytes);
    }
    if (options.algorithm == Algorithm::p2p_merge) {
        bytes = std::max(bytes, merge_temp_bytes(shape, capacity));
    }
    return bytes;
}

FastResources make_fast_resources(SortOptions const& options, int device, std::uint64_t capacity) {
    FastResources fast;
    if (!uses_fast(options, capacity)) {
        return fast;
    }
    auto const gpus = static_cast<std::uint32_t>(options.devices.size());
    FastSizes const sizes = fast_sizes(element_shape(options), key_shape(options), capacity, gpus);
    fast.send_stream = Stream{device};
    for (std::size_t round = 0; round < rounds_max; ++round) {
        fast.sent.emplace_back(device, EventTiming::off);
    }
    fast.round_sorted = Event{device, EventTiming::off};
    fast.parts = DeviceBuffer<SegmentPart>{device, sizes.parts};
    fast.host_parts = PinnedBuffer<SegmentPart>{sizes.parts};
    fast.arrival_tiles = DeviceBuffer<SortTile>{device, sizes.tiles};
    fast.tiles = DeviceBuffer<SortTile>{device, sizes.tiles};
    fast.bins = DeviceBuffer<std::uint32_t>{device, sizes.bins};
    // A row of digits for each bucket that a pass refines; kernels read 256 from its beginning.
    std::size_t const scatter_bins =
        (static_cast<std::size_t>(gpus - 1) << options.digit_bits) + step_bins;
    fast.scatter_bins = DeviceBuffer<std::uint32_t>{device, scatter_bins};
    fast.host_scatter_bins = PinnedBuffer<std::uint32_t>{scatter_bins};
    fast.crowding = PinnedBuffer<std::uint32_t>{1};
    return fast;
}

} // namespace

bool enable_peer_access(std::set<int> const& devices) {
    bool all = true;
    for (int const device : devices) {
        DeviceScope const scope{device};
        for (int const peer : devices) {
            if (peer == device) {
                continue;
            }
            int possible = 0;
            KEYSWAP_CUDA(cudaDeviceCanAccessPeer(&possible, device, peer));
            if (possible == 0) {
                all = false; // the driver copies through the host
                continue;
            }
            cudaError_t const code = cudaDeviceEnablePeerAccess(peer, 0);
            if (code == cudaErrorPeerAccessAlreadyEnabled) {
                static_cast<void>(cudaGetLastError());
            } else {
                KEYSWAP_CUDA(code);
            }
        }
    }
    return all;
}

WorkspaceSize needed_workspace(SortOptions const& options, std::uint64_t key_count) {
    PlacementRule const rule = placement_rule(options, key_count);
    ElementShape const shape = element_shape(options);
    DeviceScope const scope{options.devices.front()};
    WorkspaceSize size;
    size.key_capacity =
        std::min(rule.chunk_size + 2 * rule.tolerance, std::max<std::uint64_t>(key_count, 1));
    size.chunk_buffer_bytes =
        2 * size.key_capacity * static_cast<std::uint64_t>(shape.key_bytes + shape.value_bytes);
    std::uint64_t const refined = std::max<std::uint64_t>(1, rule.gpu_count - 1);
    std::uint64_t const counts = (refined << options.digit_bits) * sizeof(std::uint64_t);
    std::uint64_t const exchange =
        table_size(rule.gpu_count, options.digit_bits) * sizeof(std::uint64_t) +
        (refined << options.digit_bits) * sizeof(PlacementDecision);
    size.scratch_bytes = sort_temp_bytes(options, size.key_capacity) + counts + exchange;
    if (uses_fast(options, size.key_capacity)) {
        FastSizes const fast =
            fast_sizes(shape, key_shape(options), size.key_capacity, rule.gpu_count);
        size.scratch_bytes += fast.parts * sizeof(SegmentPart) + 2 * fast.tiles * sizeof(SortTile) +
                              (fast.bins + step_bins) * sizeof(std::uint32_t);
    }
    return size;
}

std::optional<SortError>
device_error(SortOptions const& options, std::uint64_t key_count, ChunkBuffers buffers) {
    int const count = device_count();
    for (int const device : options.devices) {
        if (device < 0 || device >= count) {
            return SortError{SortErrorCode::no_such_device,
                             count == 0 ? "no CUDA device or driver was found on this machine. "
                                          "Use the reference backend."
                                        : "device " + std::to_string(device) +
                                              " does not exist: this machine shows devices 0 to " +
                                              std::to_string(count - 1) + ".",
                             InputState::intact};
        }
    }
    std::map<int, std::uint64_t> ranks_on;
    std::map<int, std::uint64_t> free_bytes;
    for (int const device : options.devices) {
        ranks_on[device] += 1;
    }
    std::uint64_t const needed = needed_per_gpu(needed_workspace(options, key_count), buffers);
    std::optional<SortError> error;
    for (auto const& [device, ranks] : ranks_on) {
        DeviceScope const scope{device};
        std::size_t available = 0;
        std::size_t total = 0;
        KEYSWAP_CUDA(cudaMemGetInfo(&available, &total));
        free_bytes[device] = available;
        if (needed * ranks > available && !error) {
            error =
                SortError{SortErrorCode::out_of_device_memory,
                          "device " + std::to_string(device) + " has " + std::to_string(available) +
                              " B free, " + std::to_string(needed * ranks) + " B are needed for " +
                              std::to_string(key_count) + " keys.",
                          InputState::intact};
        }
    }
    if (error) {
        error->message +=
            " At most " +
            std::to_string(key_count_that_fits(options, key_count, buffers, ranks_on, free_bytes)) +
            " keys fit; use fewer keys or more GPUs.";
    }
    return error;
}

SorterState::SorterState(SortOptions const& sort_options,
                         std::uint64_t count_max,
                         ChunkBuffers buffers)
    : options(sort_options), key_count_max(count_max), chunk_buffers(buffers),
      workspace(needed_workspace(sort_options, count_max)) {
    ElementShape const shape = element_shape(options);
    peer_access = enable_peer_access({options.devices.begin(), options.devices.end()});
    auto const gpu_count = static_cast<std::uint32_t>(options.devices.size());
    std::size_t const refined = std::max<std::size_t>(1, gpu_count - 1);
    std::size_t const decisions = refined << options.digit_bits;
    std::size_t const entries = table_size(gpu_count, options.digit_bits);
    for (int const device : options.devices) {
        DeviceScope const scope{device};
        RankResources& rank = resources.emplace_back();
        rank.device = device;
        rank.stream = Stream{device};
        rank.copy_stream = Stream{device};
        rank.ready = Event{device, EventTiming::off};
        rank.group_sorted = Event{device, EventTiming::off};
        rank.sort_temp =
            DeviceBuffer<std::byte>{device, sort_temp_bytes(options, workspace.key_capacity)};
        rank.fast = make_fast_resources(options, device, workspace.key_capacity);
        rank.counts = DeviceBuffer<std::uint64_t>{device, decisions};
        if (buffers == ChunkBuffers::sorter) {
            auto const capacity = static_cast<std::size_t>(workspace.key_capacity);
            for (int place = 0; place < 2; ++place) {
                rank.keys[place] = DeviceBuffer<std::byte>{
                    device, capacity * static_cast<std::size_t>(shape.key_bytes)};
                rank.values[place] = DeviceBuffer<std::byte>{
                    device, capacity * static_cast<std::size_t>(shape.value_bytes)};
            }
        }
    }
    int const hub = options.devices.front();
    exchange.table = DeviceBuffer<std::uint64_t>{hub, entries};
    exchange.decisions = DeviceBuffer<PlacementDecision>{hub, decisions};
    exchange.host_table = PinnedBuffer<std::uint64_t>{entries};
    exchange.host_decisions = PinnedBuffer<PlacementDecision>{decisions};
    if (options.algorithm == Algorithm::het_merge) {
        auto const count = static_cast<std::size_t>(count_max);
        staging_keys = PinnedBuffer<std::byte>{count * static_cast<std::size_t>(shape.key_bytes)};
        staging_values =
            PinnedBuffer<std::byte>{count * static_cast<std::size_t>(shape.value_bytes)};
    }
}

SorterState::~SorterState() {
    drain();
}

void SorterState::drain() const {
    for (RankResources const& rank : resources) {
        static_cast<void>(cudaStreamSynchronize(rank.stream.get()));
        static_cast<void>(cudaStreamSynchronize(rank.copy_stream.get()));
        if (rank.fast.send_stream.get() != nullptr) {
            static_cast<void>(cudaStreamSynchronize(rank.fast.send_stream.get()));
        }
    }
    static_cast<void>(cudaGetLastError());
}

} // namespace keyswap::kernels
