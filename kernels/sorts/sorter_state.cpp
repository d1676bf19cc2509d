#include "kernels/sorts/sorter_state.hpp"

#include "kernels/device/peer_access.hpp"
#include "kernels/runtime/rank_words.hpp"
#include "kernels/runtime/sort_driver.hpp"
#include "kernels/runtime/sorter_options.hpp"

#include <algorithm>
#include <map>

namespace keyswap::kernels {

namespace {

/// With ranks, all entries are this rank's device, so the first one suffices.
std::span<int const> devices_here(SortOptions const& options, LocalGpus here) {
    return std::span{options.devices}.first(here == LocalGpus::all ? options.devices.size() : 1);
}

/// Device memory for the words that ranks exchange, in bytes.
std::size_t slices_bytes(std::uint32_t rank_count) {
    return (std::size_t{rank_count} + 1) * rank_slice_bytes;
}

std::uint64_t needed_per_gpu(WorkspaceSize const& size, std::uint64_t buffer_pairs) {
    return size.scratch_bytes + buffer_pairs * size.chunk_buffer_bytes;
}

/// Pairs of buffers that a sorter allocates per GPU.
std::uint64_t pairs_of(ChunkBuffers buffers) {
    return buffers == ChunkBuffers::sorter ? 1 : 0;
}

/// A device and the number of its GPUs.
struct DeviceRoom {
    std::uint64_t gpus = 0; ///< of the sort; more than one are virtual
    std::uint64_t free_bytes = 0;
};

/// The sort's devices by device number. \throws CudaFailure
std::map<int, DeviceRoom> device_rooms(std::span<int const> devices) {
    std::map<int, DeviceRoom> rooms;
    for (int const device : devices) {
        DeviceRoom& room = rooms[device];
        if (room.gpus++ == 0) {
            DeviceScope const scope{device};
            std::size_t available = 0;
            std::size_t total = 0;
            KEYSWAP_CUDA(cudaMemGetInfo(&available, &total));
            room.free_bytes = available;
        }
    }
    return rooms;
}

/// Largest number of keys below `too_many` whose workspace fits on the fullest device.
std::uint64_t key_count_that_fits(SortOptions const& options,
                                  std::uint64_t too_many,
                                  std::uint64_t buffer_pairs,
                                  LocalGpus here,
                                  std::map<int, DeviceRoom> const& rooms,
                                  BytesByCapacity const& further_bytes = {}) {
    std::uint64_t fits = 0;
    while (too_many - fits > 1) {
        std::uint64_t const middle = fits + (too_many - fits) / 2;
        WorkspaceSize const size = needed_workspace(options, middle, here);
        std::uint64_t const bytes = needed_per_gpu(size, buffer_pairs) +
                                    (further_bytes ? further_bytes(size.key_capacity) : 0);
        bool const all_fit = std::all_of(rooms.begin(), rooms.end(), [bytes](auto const& entry) {
            return bytes * entry.second.gpus <= entry.second.free_bytes;
        });
        (all_fit ? fits : too_many) = middle;
    }
    return fits;
}

SortScratch scratch_of(SortOptions const& options, std::uint64_t capacity) {
    SortDriver const& driver = driver_of(options);
    return driver.scratch == nullptr ? SortScratch{} : driver.scratch(options, capacity);
}

/// Temporary memory of CUB's sort, shared with the sort's own kernels; sorts of 16-byte keys do not
/// use CUB.
std::size_t sort_temp_bytes(SortOptions const& options, std::uint64_t capacity) {
    ElementShape const shape = element_shape(options);
    std::size_t const own_bytes = scratch_of(options, capacity).temp_bytes;
    return shape.key_bytes > 8 ? own_bytes
                               : std::max(radix_sort_temp_bytes(shape, capacity), own_bytes);
}

} // namespace

WorkspaceSize
needed_workspace(SortOptions const& options, std::uint64_t key_count, LocalGpus here) {
    PlacementRule const rule = placement_rule(options, key_count);
    ElementShape const shape = element_shape(options);
    DeviceScope const scope{options.devices.front()};
    WorkspaceSize size;
    size.key_capacity =
        std::min(rule.chunk_size + 2 * rule.tolerance, std::max<std::uint64_t>(key_count, 1));
    size.chunk_buffer_bytes = 2 * size.key_capacity * static_cast<std::uint64_t>(shape.bytes());
    std::uint64_t const refined = std::max<std::uint64_t>(1, rule.gpu_count - 1);
    std::uint64_t const counts = (refined << child_bits(options)) * sizeof(std::uint64_t);
    std::uint64_t const exchange =
        table_size(rule.gpu_count, child_bits(options)) * sizeof(std::uint64_t) +
        (refined << child_bits(options)) * sizeof(PlacementDecision);
    size.scratch_bytes = sort_temp_bytes(options, size.key_capacity) + counts + exchange +
                         scratch_of(options, size.key_capacity).own_bytes +
                         (here == LocalGpus::all ? 0 : slices_bytes(rule.gpu_count));
    return size;
}

std::optional<SortError> device_error(SortOptions const& options,
                                      std::uint64_t key_count,
                                      ChunkBuffers buffers,
                                      LocalGpus here) {
    int const count = device_count();
    auto const devices = devices_here(options, here);
    for (int const device : devices) {
        if (device < 0 || device >= count) {
            return SortError{SortErrorCode::no_such_device,
                             count == 0 ? "no CUDA device or driver was found on this machine. "
                                          "Use the reference backend."
                                        : "device " + std::to_string(device) +
                                              " does not exist: this machine has devices 0 to " +
                                              std::to_string(count - 1) + "."};
        }
    }
    std::uint64_t const needed =
        needed_per_gpu(needed_workspace(options, key_count, here), pairs_of(buffers));
    auto const rooms = device_rooms(devices);
    std::optional<SortError> error;
    for (auto const& [device, room] : rooms) {
        if (needed * room.gpus > room.free_bytes && !error) {
            error = SortError{SortErrorCode::out_of_device_memory,
                              "device " + std::to_string(device) + " has " +
                                  std::to_string(room.free_bytes) + " B free, " +
                                  std::to_string(needed * room.gpus) + " B are needed for " +
                                  std::to_string(key_count) + " keys."};
        }
    }
    if (error) {
        error->message += " At most " +
                          std::to_string(key_count_that_fits(
                              options, key_count, pairs_of(buffers), here, rooms)) +
                          " keys fit; use fewer keys or more GPUs.";
    }
    return error;
}

std::uint64_t key_count_that_fits(SortOptions const& options,
                                  std::optional<std::uint64_t> bytes_per_gpu,
                                  std::uint64_t buffer_pairs,
                                  BytesByCapacity const& further_bytes) {
    auto rooms = device_rooms(options.devices);
    std::uint64_t all_bytes = 0;
    for (auto& [device, room] : rooms) {
        // Streams and events of a sort take some memory, too.
        std::uint64_t const usable = room.free_bytes - room.free_bytes / 16;
        room.free_bytes =
            bytes_per_gpu ? std::min(room.free_bytes, *bytes_per_gpu * room.gpus) : usable;
        all_bytes += room.free_bytes;
    }
    ElementShape const shape = element_shape(options);
    auto const buffers = static_cast<std::uint64_t>(2 * shape.bytes());
    return key_count_that_fits(
        options, all_bytes / buffers + 1, buffer_pairs, LocalGpus::all, rooms, further_bytes);
}

SorterState::SorterState(SortOptions const& sort_options,
                         std::uint64_t count_max,
                         ChunkBuffers buffers,
                         RankTransport* other_ranks)
    : options(sort_options), key_count_max(count_max), chunk_buffers(buffers),
      workspace(needed_workspace(
          sort_options, count_max, other_ranks == nullptr ? LocalGpus::all : LocalGpus::one)),
      ranks(other_ranks) {
    ElementShape const shape = element_shape(options);
    peer_access = enable_peer_access({options.devices.begin(), options.devices.end()});
    auto const gpu_count = static_cast<std::uint32_t>(options.devices.size());
    std::size_t const refined = std::max<std::size_t>(1, gpu_count - 1);
    std::size_t const decisions = refined << child_bits(options);
    std::size_t const entries = table_size(gpu_count, child_bits(options));
    if (ranks != nullptr) {
        first_gpu = GpuId{ranks->rank()};
        shared.emplace(*ranks);
    }
    for (int const device :
         devices_here(options, ranks == nullptr ? LocalGpus::all : LocalGpus::one)) {
        DeviceScope const scope{device};
        GpuResources& gpu = resources.emplace_back();
        gpu.device = device;
        gpu.stream = Stream{device};
        gpu.copy_stream = Stream{device};
        gpu.ready = Event{device, EventTiming::off};
        gpu.group_sorted = Event{device, EventTiming::off};
        for (Event& event : gpu.piece_uploaded) {
            event = Event{device, EventTiming::off};
        }
        gpu.uploaded = Event{device, EventTiming::off};
        gpu.sort_temp =
            DeviceBuffer<std::byte>{device, sort_temp_bytes(options, workspace.key_capacity)};
        if (auto const make = driver_of(options).memory; make != nullptr) {
            auto const id = static_cast<std::uint32_t>(resources.size() - 1);
            gpu.own = make(options, GpuId{id}, workspace.key_capacity);
        }
        gpu.counts = DeviceBuffer<std::uint64_t>{device, decisions};
        if (buffers == ChunkBuffers::sorter) {
            auto const capacity = static_cast<std::size_t>(workspace.key_capacity);
            for (int buffer = 0; buffer < 2; ++buffer) {
                gpu.keys[buffer] = DeviceBuffer<std::byte>{
                    device, capacity * static_cast<std::size_t>(shape.key_bytes)};
                gpu.values[buffer] = DeviceBuffer<std::byte>{
                    device, capacity * static_cast<std::size_t>(shape.value_bytes)};
            }
        }
    }
    int const hub = options.devices.front();
    exchange.table = DeviceBuffer<std::uint64_t>{hub, entries};
    exchange.decisions = DeviceBuffer<PlacementDecision>{hub, decisions};
    exchange.host_table = PinnedBuffer<std::uint64_t>{entries};
    exchange.host_decisions = PinnedBuffer<PlacementDecision>{decisions};
    if (ranks != nullptr) {
        exchange.rank_slices = DeviceBuffer<std::byte>{hub, slices_bytes(gpu_count)};
        exchange.host_rank_slices = PinnedBuffer<std::byte>{gpu_count * rank_slice_bytes};
    }
}

void SorterState::share(void* keys, void* values, std::vector<SharedMemory>& all) {
    ElementShape const shape = element_shape(options);
    all.push_back(shared->add(keys, bytes_of(workspace.key_capacity, shape.key_bytes)));
    if (shape.value_bytes > 0) { // not by the pointer: all ranks must make the same calls
        all.push_back(shared->add(values, bytes_of(workspace.key_capacity, shape.value_bytes)));
    }
}

SorterState::~SorterState() {
    drain();
}

void SorterState::drain() const {
    for (GpuResources const& gpu : resources) {
        static_cast<void>(cudaStreamSynchronize(gpu.stream.get()));
        static_cast<void>(cudaStreamSynchronize(gpu.copy_stream.get()));
        if (gpu.own != nullptr) {
            gpu.own->drain();
        }
    }
    static_cast<void>(cudaGetLastError());
}

} // namespace keyswap::kernels
