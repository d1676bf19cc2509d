#include "kernels/bench/benchmark_kernels.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/key_words.hpp"

namespace keyswap::kernels {

namespace {

constexpr int threads = 256;
constexpr unsigned blocks = 132 * 8;
constexpr double euler_gamma = 0.57721566490153286;

template <class Word>
__device__ Word
bench_key(std::uint64_t i, std::uint64_t key_count, BenchKeys pattern, std::uint64_t seed) {
    constexpr int bits = sizeof(Word) * 8;
    std::uint64_t const word = mix_bits(mix_bits(seed) + i * 0x9e3779b97f4a7c15ULL);
    switch (pattern) {
    case BenchKeys::zero:
        return 0;
    case BenchKeys::two_values:
        return static_cast<Word>(word & 1);
    case BenchKeys::sorted:
        return static_cast<Word>(static_cast<double>(i) / static_cast<double>(key_count) *
                                 exp2(static_cast<double>(bits)));
    case BenchKeys::zipf: {
        // The harmonic number of N is about ln N + gamma; that of r is about ln r + gamma.
        double const harmonic = bits * 0.69314718055994531 + euler_gamma;
        double const u = static_cast<double>(word >> 11) * 0x1p-53;
        double const gpu = exp(fmax(u * harmonic - euler_gamma, 0.0));
        return static_cast<Word>(gpu);
    }
    default:
        return static_cast<Word>(word >> (64 - bits));
    }
}

/// 16-byte keys: an 8-byte key as upper half; the lower half is random if the upper one is.
template <>
__device__ WideImage bench_key<WideImage>(std::uint64_t i,
                                          std::uint64_t key_count,
                                          BenchKeys pattern,
                                          std::uint64_t seed) {
    auto const high = bench_key<std::uint64_t>(i, key_count, pattern, seed);
    std::uint64_t const low = pattern == BenchKeys::uniform ? mix_bits(high) : 0;
    return wide_image({high, low});
}

template <class Word>
__global__ void __launch_bounds__(threads) bench_keys_kernel(Word* keys,
                                                             std::uint64_t first,
                                                             std::uint64_t count,
                                                             std::uint64_t key_count,
                                                             BenchKeys pattern,
                                                             std::uint64_t seed) {
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < count;
         i += stride) {
        keys[i] = bench_key<Word>(first + i, key_count, pattern, seed);
    }
}

} // namespace

void launch_bench_keys(cudaStream_t stream,
                       int key_bytes,
                       void* keys,
                       std::uint64_t first,
                       std::uint64_t count,
                       std::uint64_t key_count,
                       BenchKeys pattern,
                       std::uint64_t seed) {
    with_key_word(key_bytes, [&]<class Word>() {
        bench_keys_kernel<<<blocks, threads, 0, stream>>>(
            static_cast<Word*>(keys), first, count, key_count, pattern, seed);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
