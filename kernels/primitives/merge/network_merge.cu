#include "kernels/primitives/merge/network_merge.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/merge/merge_path.hpp"
#include "kernels/primitives/merge/network_tile.cuh"
#include "kernels/primitives/merge/sorting_network.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <bit>

namespace keyswap::kernels {

namespace {

constexpr int sort_threads = 512;
constexpr std::uint32_t sort_slots = network_run_max;
constexpr int merge_threads = 256;
constexpr int merge_items = 8;
constexpr std::uint32_t merge_tile = merge_threads * merge_items;

using Place = TilePlace;
static_assert(merge_tile <= 1U << 16);

/// A block sorts several runs, each in `slots` positions of its tile; excess positions are padded.
/// \param slots a power of two
template <class Key, class Value>
__global__ void __launch_bounds__(sort_threads) network_sort_kernel(TypedArrays<Key, Value> arrays,
                                                                    std::uint32_t run_keys,
                                                                    std::uint32_t slots,
                                                                    ImageCode encode,
                                                                    ImageCode decode) {
    constexpr bool with_places = is_value<Value>;
    __shared__ NetworkTile<Key, sort_slots, with_places> tile;
    std::uint64_t const first_run = blockIdx.x * static_cast<std::uint64_t>(sort_slots / slots);
    // Input index of the element in a slot; the end of the input for padding.
    auto const index_of = [&](std::uint32_t slot) {
        std::uint32_t const within = slot % slots;
        std::uint64_t const at = (first_run + slot / slots) * run_keys + within;
        return within < run_keys && at < arrays.count ? at : arrays.count;
    };
    for (std::uint32_t slot = threadIdx.x; slot < sort_slots; slot += sort_threads) {
        std::uint64_t const at = index_of(slot);
        tile.images[slot] = at < arrays.count ? encode_image(arrays.keys_in[at], encode)
                                              : static_cast<Key>(~Key{0});
        if constexpr (with_places) {
            tile.places[slot] = static_cast<Place>(slot);
        }
    }
    __syncthreads();
    std::uint32_t const last = kernel_has_fault(DeviceFault::comparators_left_out) ? 2 : 1;
    for (std::uint32_t block = 2; block <= slots; block *= 2) {
        for (std::uint32_t distance = block / 2; distance >= (block == slots ? last : 1);
             distance /= 2) {
            for (std::uint32_t i = threadIdx.x; i < sort_slots / 2; i += sort_threads) {
                tile.compare(comparator_of(i, block, distance));
            }
            __syncthreads();
        }
    }
    for (std::uint32_t slot = threadIdx.x; slot < sort_slots; slot += sort_threads) {
        std::uint64_t const at = index_of(slot);
        if (at < arrays.count) {
            arrays.keys_out[at] = decode_image(tile.images[slot], decode);
            if constexpr (with_places) {
                arrays.values_out[at] = arrays.values_in[index_of(tile.places[slot])];
            }
        }
    }
}

/// One block merges one tile of a pair's output.
/// \param tiles per pair
template <class Key, class Value>
__global__ void __launch_bounds__(merge_threads) pair_merge_kernel(TypedArrays<Key, Value> arrays,
                                                                   std::uint64_t run_keys,
                                                                   std::uint32_t tiles,
                                                                   ImageCode decode) {
    __shared__ Key images[merge_tile]; // first run, then second run
    __shared__ Place sources[merge_tile];
    __shared__ std::uint64_t cuts[2]; // first-run keys before the tile and up to its end
    RunPair const pair = run_pair(blockIdx.x / tiles, run_keys, arrays.count);
    std::uint64_t const pair_count = pair.first_count + pair.second_count;
    std::uint64_t const begin = blockIdx.x % tiles * static_cast<std::uint64_t>(merge_tile);
    if (begin >= pair_count ||
        (pair.second_count == 0 && kernel_has_fault(DeviceFault::odd_run_dropped))) {
        return;
    }
    std::uint64_t const end = pair_count - begin < merge_tile ? pair_count : begin + merge_tile;
    Key const* const first = arrays.keys_in + pair.begin;
    Key const* const second = first + pair.first_count;
    if (threadIdx.x < 2) {
        cuts[threadIdx.x] = count_from_first(
            threadIdx.x == 0 ? begin : end,
            pair.first_count,
            pair.second_count,
            [first](std::uint64_t i) { return first[i]; },
            [second](std::uint64_t i) { return second[i]; });
    }
    __syncthreads();
    auto const tile_count = static_cast<std::uint32_t>(end - begin);
    auto const first_count = static_cast<std::uint32_t>(cuts[1] - cuts[0]);
    std::uint32_t const second_count = tile_count - first_count;
    // Input index of an element of the tile.
    std::uint64_t const first_at = pair.begin + cuts[0];
    std::uint64_t const second_at = pair.begin + pair.first_count + (begin - cuts[0]);
    auto const index_of = [&](std::uint32_t place) {
        return place < first_count ? first_at + place : second_at + (place - first_count);
    };
    for (std::uint32_t place = threadIdx.x; place < tile_count; place += merge_threads) {
        images[place] = arrays.keys_in[index_of(place)];
    }
    __syncthreads();
    std::uint32_t const own = threadIdx.x * merge_items;
    if (own < tile_count) {
        Key const* const second_images = images + first_count;
        auto a = static_cast<std::uint32_t>(count_from_first(
            own,
            first_count,
            second_count,
            [&](std::uint64_t i) { return images[i]; },
            [&](std::uint64_t i) { return second_images[i]; }));
        std::uint32_t b = own - a;
        for (std::uint32_t rank = own; rank < own + merge_items && rank < tile_count; ++rank) {
            bool const from_first =
                a < first_count && (b == second_count || !(second_images[b] < images[a]));
            sources[rank] = static_cast<Place>(from_first ? a++ : first_count + b++);
        }
    }
    __syncthreads();
    std::uint64_t const out = pair.begin + begin;
    for (std::uint32_t rank = threadIdx.x; rank < tile_count; rank += merge_threads) {
        arrays.keys_out[out + rank] = decode_image(images[sources[rank]], decode);
        if constexpr (is_value<Value>) {
            arrays.values_out[out + rank] = arrays.values_in[index_of(sources[rank])];
        }
    }
}

std::uint64_t parts_of(std::uint64_t count, std::uint64_t part) {
    return count / part + (count % part == 0 ? 0 : 1);
}

} // namespace

void launch_network_sort(cudaStream_t stream,
                         OutOfPlaceArrays const& arrays,
                         std::uint32_t run_keys,
                         ImageCode encode,
                         ImageCode decode) {
    KEYSWAP_EXPECTS(run_keys >= 2 && run_keys <= network_run_max);
    if (arrays.count == 0) {
        return;
    }
    upload_active_fault();
    std::uint32_t const slots = std::bit_ceil(run_keys);
    std::uint64_t const blocks = parts_of(parts_of(arrays.count, run_keys), sort_slots / slots);
    with_element_types(arrays.shape, [&]<class Key, class Value>() {
        network_sort_kernel<<<static_cast<unsigned>(blocks), sort_threads, 0, stream>>>(
            TypedArrays<Key, Value>{arrays}, run_keys, slots, encode, decode);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_pair_merges(cudaStream_t stream,
                        OutOfPlaceArrays const& arrays,
                        std::uint64_t run_keys,
                        ImageCode decode) {
    KEYSWAP_EXPECTS(run_keys >= 2);
    if (arrays.count == 0) {
        return;
    }
    upload_active_fault();
    std::uint64_t const pairs = parts_of(arrays.count, 2 * run_keys);
    std::uint64_t const tiles = parts_of(std::min(2 * run_keys, arrays.count), merge_tile);
    with_element_types(arrays.shape, [&]<class Key, class Value>() {
        pair_merge_kernel<<<static_cast<unsigned>(pairs * tiles), merge_threads, 0, stream>>>(
            TypedArrays<Key, Value>{arrays}, run_keys, static_cast<std::uint32_t>(tiles), decode);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
