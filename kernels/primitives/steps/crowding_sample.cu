#include "kernels/primitives/steps/crowding_sample.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/key_words.hpp"
#include "traces/records/digest.hpp"

namespace keyswap::kernels {

namespace {

constexpr std::uint32_t sample_threads = 1024;
constexpr std::uint32_t samples_per_thread = crowding_samples / sample_threads;
static_assert(samples_per_thread * sample_threads == crowding_samples);
constexpr std::uint32_t sample_counters = 8192;

template <class Key>
__global__ void __launch_bounds__(sample_threads) crowding_kernel(
    Key const* keys, std::uint64_t count, ImageCode code, int shift, std::uint32_t* most) {
    __shared__ std::uint32_t counters[sample_counters];
    __shared__ std::uint32_t block_most;
    std::uint64_t const distance = count / crowding_samples; // one sample per `distance` keys
    Key sample[samples_per_thread]; // all loads are issued before the first is used
#pragma unroll
    for (std::uint32_t round = 0; round < samples_per_thread; ++round) {
        std::uint32_t const i = round * sample_threads + threadIdx.x;
        std::uint64_t const at = distance == 0 ? i : i * distance + mix_bits(i) % distance;
        sample[round] = i < count ? keys[at] : Key{0};
    }
    for (std::uint32_t i = threadIdx.x; i < sample_counters; i += sample_threads) {
        counters[i] = 0;
    }
    if (threadIdx.x == 0) {
        block_most = 0;
    }
    __syncthreads();
    std::uint32_t own_most = 0;
#pragma unroll
    for (std::uint32_t round = 0; round < samples_per_thread; ++round) {
        if (round * sample_threads + threadIdx.x < count) {
            Key const image = encode_image(sample[round], code);
            std::uint64_t const counter = mix_bits(image >> shift) % sample_counters;
            own_most = max(own_most, atomicAdd(&counters[counter], 1U) + 1);
        }
    }
    atomicMax(&block_most, __reduce_max_sync(0xffffffffU, own_most));
    __syncthreads();
    if (threadIdx.x == 0) {
        *most = block_most;
    }
}

} // namespace

void launch_crowding_sample(cudaStream_t stream,
                            RawKeys const& keys,
                            int shift,
                            std::uint32_t* most) {
    with_key_type(keys.key_bytes, [&]<class Key>() {
        crowding_kernel<<<1, sample_threads, 0, stream>>>(
            static_cast<Key const*>(keys.keys), keys.count, keys.code, shift, most);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
