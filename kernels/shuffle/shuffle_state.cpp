#include "kernels/shuffle/shuffle_state.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/device/key_image.hpp"
#include "kernels/device/peer_access.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/multisplit/split_records.hpp"
#include "kernels/runtime/gpu_state.hpp"
#include "kernels/runtime/range_digests.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace keyswap::kernels {

namespace {

/// From this size on, copy engines are as fast as a kernel. On four H200, pieces of 7.8 MB took 333
/// GB/s by engines, a single one of all bytes 389, and all by one kernel 352 (2026-11-21): a copy
/// takes 3.4 us in addition to its transfer, which equals 352 versus 389 GB/s at 12.6 MB.
constexpr std::size_t kernel_copy_bytes_max = 12'600'000;

/// The copy to make, altered by an active fault.
CopyRecord made_copy(CopyRecord copy, std::size_t gpu_count) {
    if (has_fault(DeviceFault::bucket_to_next_gpu)) {
        copy.destination =
            GpuId{(copy.destination.value + 1) % static_cast<std::uint32_t>(gpu_count)};
    }
    if (has_fault(DeviceFault::piece_tail_lost)) {
        --copy.count;
    }
    return copy;
}

/// Allocates an array on a device for the duration of the call.
void* take(std::vector<DeviceBuffer<std::byte>>& arrays, int device, std::size_t bytes) {
    return arrays.emplace_back(device, bytes).data();
}

} // namespace

ShuffleState::ShuffleState(ShuffleOptions const& options,
                           std::vector<std::uint32_t> owners,
                           std::uint64_t chunk_max,
                           std::vector<Multisplitter> splitters)
    : options_(options), owners_(std::move(owners)), chunk_max_(chunk_max),
      peer_access_(enable_peer_access({options.devices.begin(), options.devices.end()})),
      counts_(owners_.size() * options.devices.size()) {
    for (std::size_t i = 0; i < splitters.size(); ++i) {
        int const device = options.devices[i];
        gpus_.push_back({device,
                         std::move(splitters[i]),
                         Stream{device},
                         Stream{device},
                         Event{device, EventTiming::off},
                         {device, bytes_of(chunk_max, key_bytes())},
                         {device, bytes_of(chunk_max, value_bytes())},
                         {device, owners_.size()},
                         PinnedBuffer<Piece>(owners_.size()),
                         {device, owners_.size()}});
    }
}

ShuffleState::~ShuffleState() {
    for (ShuffleGpu const& gpu : gpus_) {
        static_cast<void>(cudaStreamSynchronize(gpu.own_stream.get()));
        static_cast<void>(cudaStreamSynchronize(gpu.stream.get()));
    }
}

std::uint64_t ShuffleState::workspace_bytes() const {
    ShuffleGpu const& gpu = gpus_.front();
    return gpu.splitter.workspace_bytes() + gpu.keys.size() + gpu.values.size() +
           gpu.starts.size() * sizeof(std::uint64_t) + gpu.device_pieces.size() * sizeof(Piece);
}

std::optional<std::string> ShuffleState::problem_of(std::span<ShuffleChunk const> chunks) const {
    if (chunks.size() != gpus_.size()) {
        return std::to_string(chunks.size()) + " chunks are given for " +
               std::to_string(gpus_.size()) + " GPUs (give one for each, of 0 keys at least)";
    }
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        if (chunks[i].count > chunk_max_) {
            return "the chunk of GPU " + std::to_string(i) + " has " +
                   std::to_string(chunks[i].count) + " keys, more than the " +
                   std::to_string(chunk_max_) + " that memory was allocated for";
        }
    }
    return std::nullopt;
}

SortExpected<ShuffleReport> ShuffleState::shuffle(std::span<ShuffleChunk const> chunks,
                                                  PhaseTiming timing) {
    if (auto const problem = problem_of(chunks)) {
        return tl::unexpected(refused(*problem));
    }
    clock_.restart(timing);
    KEYSWAP_TRY(auto plan, split_chunks(chunks));
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        ShuffleChunk const& chunk = chunks[i];
        std::uint64_t const owned = plan.ownership[i].count;
        if (owned > chunk.capacity) {
            return tl::unexpected(
                refused("GPU " + std::to_string(i) + " would take " + std::to_string(owned) +
                        " keys and has room for " + std::to_string(chunk.capacity) +
                        " (no key was moved; give it more room, or other GPUs its buckets)"));
        }
        if (owned != 0 &&
            (chunk.keys_out == nullptr || (value_bytes() != 0 && chunk.values_out == nullptr))) {
            return tl::unexpected(
                refused("an output of GPU " + std::to_string(i) + " is a null pointer"));
        }
    }
    return exchange(std::move(plan), chunks);
}

SortExpected<ShuffleReport> ShuffleState::shuffle_host(
    MultisplitArrays const& arrays,
    std::uint64_t count,
    PhaseTiming timing,
    std::function<SortExpected<void>(std::span<ShuffleChunk const>, ShuffleReport const&)> const&
        look) {
    Arrays memory;
    std::vector<ShuffleChunk> chunks = chunks_from_host(arrays, count, memory);
    if (auto const problem = problem_of(chunks)) {
        return tl::unexpected(refused(*problem));
    }
    clock_.restart(timing);
    KEYSWAP_TRY(auto plan, split_chunks(chunks));
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        chunks[i].capacity = plan.ownership[i].count;
        chunks[i].keys_out =
            take(memory, gpus_[i].device, bytes_of(chunks[i].capacity, key_bytes()));
        chunks[i].values_out =
            take(memory, gpus_[i].device, bytes_of(chunks[i].capacity, value_bytes()));
    }
    ShuffleReport report = exchange(std::move(plan), chunks);
    KEYSWAP_RETURN_IF_ERROR(look(chunks, report));
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        OwnershipRecord const& owned = report.ownership[i];
        DeviceScope const scope{gpus_[i].device};
        auto const to_host = [&](void* array, void const* out, int element_bytes) {
            copy_bytes(gpus_[i].stream.get(),
                       element(array, element_bytes, owned.base),
                       out,
                       bytes_of(owned.count, element_bytes));
        };
        to_host(arrays.keys_out, chunks[i].keys_out, key_bytes());
        to_host(arrays.values_out, chunks[i].values_out, value_bytes());
    }
    synchronize();
    std::copy(report.starts.begin(), report.starts.end(), arrays.starts);
    return report;
}

SortExpected<std::vector<SplitRecords>>
ShuffleState::splits(std::span<ShuffleChunk const> chunks) const {
    std::vector<SplitRecords> records;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        KEYSWAP_TRY(auto one,
                    gpus_[i].splitter.records(split_arrays(chunks[i], gpus_[i]), chunks[i].count));
        records.push_back(std::move(one));
    }
    return records;
}

std::vector<MultisetDigest> ShuffleState::arrivals(std::span<ShuffleChunk const> chunks,
                                                   ShuffleReport const& report) const {
    std::vector<MultisetDigest> digests(report.placements.size());
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        std::vector<std::size_t> places;
        std::vector<KeyRange> ranges;
        for (std::size_t place = 0; place < report.placements.size(); ++place) {
            PlacementRecord const& placed = report.placements[place];
            if (placed.first == id_of(i)) {
                places.push_back(place);
                ranges.push_back(
                    {placed.begin - report.ownership[i].base, placed.end - placed.begin});
            }
        }
        DeviceScope const scope{gpus_[i].device};
        auto const found = digests_of_ranges(gpus_[i].stream.get(),
                                             {key_bytes(),
                                              chunks[i].keys_out,
                                              value_bytes(),
                                              chunks[i].values_out,
                                              image_code(options_.key_type, options_.direction)},
                                             ranges);
        for (std::size_t j = 0; j < places.size(); ++j) {
            digests[places[j]] = found[j];
        }
    }
    return digests;
}

MultisplitArrays ShuffleState::split_arrays(ShuffleChunk const& chunk, ShuffleGpu const& gpu) {
    return {chunk.keys_in,
            gpu.keys.data(),
            chunk.values_in,
            gpu.values.data(),
            chunk.labels,
            chunk.label_bytes,
            gpu.starts.data(),
            gpu.stream.get()};
}

SortExpected<ShuffleReport> ShuffleState::split_chunks(std::span<ShuffleChunk const> chunks) {
    std::size_t const buckets = owners_.size();
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        ShuffleGpu& gpu = gpus_[i];
        DeviceScope const scope{gpu.device};
        cudaStream_t const stream = gpu.stream.get();
        gpu.ready.record(static_cast<cudaStream_t>(chunks[i].stream));
        gpu.ready.make_wait(stream);
        clock_.start(id_of(i), gpu.device, stream);
        auto const phase = clock_.begin(id_of(i), gpu.device, stream, Phase::scatter, 0);
        if (auto const split = gpu.splitter.split(split_arrays(chunks[i], gpu), chunks[i].count);
            !split) {
            synchronize();
            KEYSWAP_RETURN_IF_ERROR(split);
        }
        copy_bytes(stream,
                   counts_.data() + i * buckets,
                   gpu.starts.data(),
                   buckets * sizeof(std::uint64_t));
        clock_.end(phase);
    }
    synchronize();
    // Converts the multisplits' starts to counts.
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        std::uint64_t* const starts = counts_.data() + i * buckets;
        for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
            std::uint64_t const end = bucket + 1 < buckets ? starts[bucket + 1] : chunks[i].count;
            starts[bucket] = end - starts[bucket];
        }
    }
    return plan_shuffle(
        counts_.span(), owners_, static_cast<std::uint32_t>(options_.devices.size()));
}

ShuffleReport ShuffleState::exchange(ShuffleReport plan, std::span<ShuffleChunk const> chunks) {
    std::vector<OpenPhase> phases;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        phases.push_back(
            clock_.begin(id_of(i), gpus_[i].device, gpus_[i].stream.get(), Phase::key_swap, 0));
    }
    std::vector<std::vector<CopyRecord>> by_kernel(gpus_.size());
    for (CopyRecord const& planned : plan.copies) {
        CopyRecord const copy = made_copy(planned, gpus_.size());
        if (is_by_kernel(copy)) {
            by_kernel[copy.source.value].push_back(copy);
        } else {
            queue_copy(copy, chunks);
        }
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        queue_pieces(i, by_kernel[i], chunks);
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        ShuffleGpu const& gpu = gpus_[i];
        DeviceScope const scope{gpu.device};
        gpu.ready.record(gpu.own_stream.get());
        gpu.ready.make_wait(gpu.stream.get());
        clock_.end(phases[i]);
    }
    synchronize();
    plan.times = clock_.times();
    plan.peer_access = peer_access_;
    return plan;
}

bool ShuffleState::is_by_kernel(CopyRecord const& copy) const {
    bool const stays_on_device =
        gpus_[copy.source.value].device == gpus_[copy.destination.value].device;
    return stays_on_device ||
           (peer_access_ && bytes_of(copy.count, key_bytes()) < kernel_copy_bytes_max);
}

Piece ShuffleState::piece_of(CopyRecord const& copy, std::span<ShuffleChunk const> chunks) const {
    ShuffleGpu const& source = gpus_[copy.source.value];
    ShuffleChunk const& destination = chunks[copy.destination.value];
    return {0,
            copy.count,
            element(source.keys.data(), key_bytes(), copy.source_offset),
            element(destination.keys_out, key_bytes(), copy.destination_offset),
            element(source.values.data(), value_bytes(), copy.source_offset),
            element(destination.values_out, value_bytes(), copy.destination_offset)};
}

void ShuffleState::queue_copy(CopyRecord const& copy, std::span<ShuffleChunk const> chunks) const {
    ShuffleGpu const& source = gpus_[copy.source.value];
    Piece const piece = piece_of(copy, chunks);
    auto const copy_array = [&](void* to, void const* from, int element_bytes) {
        copy_async(source.stream.get(),
                   gpus_[copy.destination.value].device,
                   to,
                   source.device,
                   from,
                   bytes_of(copy.count, element_bytes));
    };
    copy_array(piece.keys_to, piece.keys, key_bytes());
    copy_array(piece.values_to, piece.values, value_bytes());
}

void ShuffleState::queue_pieces(std::size_t source,
                                std::span<CopyRecord const> copies,
                                std::span<ShuffleChunk const> chunks) {
    ShuffleGpu& gpu = gpus_[source];
    DeviceScope const scope{gpu.device};
    std::uint32_t filled = 0;
    for (bool const is_local : {false, true}) {
        cudaStream_t const stream = (is_local ? gpu.own_stream : gpu.stream).get();
        std::uint32_t const first = filled;
        std::uint64_t places = 0;
        for (CopyRecord const& copy : copies) {
            if ((copy.source == copy.destination) == is_local) {
                Piece& piece = gpu.pieces.span()[filled++] = piece_of(copy, chunks);
                places = place_piece(piece, places, static_cast<std::size_t>(key_bytes()));
            }
        }
        std::uint32_t const count = filled - first;
        Piece* const pieces = gpu.device_pieces.data() + first;
        copy_bytes(stream, pieces, gpu.pieces.data() + first, count * sizeof(Piece));
        launch_piece_copies(stream, pieces, count, places, key_bytes(), value_bytes());
    }
}

std::vector<ShuffleChunk> ShuffleState::chunks_from_host(MultisplitArrays const& arrays,
                                                         std::uint64_t count,
                                                         Arrays& memory) const {
    std::uint64_t const size = (count + gpus_.size() - 1) / gpus_.size();
    bool const has_labels = std::holds_alternative<LabelBuckets>(options_.function.rule);
    std::vector<ShuffleChunk> chunks;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        std::uint64_t const begin = std::min(count, i * size);
        ShuffleChunk chunk;
        chunk.count = std::min(count, begin + size) - begin;
        chunk.label_bytes = arrays.label_bytes;
        int const device = gpus_[i].device;
        DeviceScope const scope{device};
        auto const to_device = [&](void const* array, int element_bytes) -> void* {
            std::size_t const bytes = bytes_of(chunk.count, element_bytes);
            void* const copy = take(memory, device, bytes);
            copy_bytes(gpus_[i].stream.get(), copy, element(array, element_bytes, begin), bytes);
            return copy;
        };
        chunk.keys_in = to_device(arrays.keys_in, key_bytes());
        chunk.values_in = to_device(arrays.values_in, value_bytes());
        chunk.labels = has_labels ? to_device(arrays.labels, arrays.label_bytes) : nullptr;
        chunk.stream = gpus_[i].stream.get();
        chunks.push_back(chunk);
    }
    return chunks;
}

void ShuffleState::synchronize() const {
    for (ShuffleGpu const& gpu : gpus_) {
        wait_for(gpu.own_stream.get());
        wait_for(gpu.stream.get());
    }
}

} // namespace keyswap::kernels
