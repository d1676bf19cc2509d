#include "model/distributions/counter_generator_avx2.hpp"

#include "traces/errors/contracts.hpp"

#if defined(__x86_64__)

#include <bit>
#include <immintrin.h>

namespace keyswap::model {

namespace {

/// One word of each of four blocks, in the lower halves of 64-bit lanes. The upper halves contain
/// the rest of the products, which the multiplier ignores.
struct FourBlocks {
    __m256i word[4];
};

[[gnu::target("avx2")]] inline FourBlocks start(std::uint64_t first, std::uint32_t stream) {
    auto const lane = [&](std::uint64_t i) { return std::bit_cast<long long>(first + i); };
    __m256i const index = _mm256_set_epi64x(lane(3), lane(2), lane(1), lane(0));
    return {{index,
             _mm256_srli_epi64(index, 32),
             _mm256_set1_epi64x(static_cast<long long>(stream)),
             _mm256_setzero_si256()}};
}

[[gnu::target("avx2")]] inline void apply_round(FourBlocks& blocks, __m256i key_0, __m256i key_1) {
    __m256i const product_0 = _mm256_mul_epu32(blocks.word[0], _mm256_set1_epi64x(0xD2511F53LL));
    __m256i const product_1 = _mm256_mul_epu32(blocks.word[2], _mm256_set1_epi64x(0xCD9E8D57LL));
    blocks.word[0] =
        _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product_1, 32), blocks.word[1]), key_0);
    blocks.word[2] =
        _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(product_0, 32), blocks.word[3]), key_1);
    blocks.word[1] = product_1;
    blocks.word[3] = product_0;
}

/// Stores sixteen words, block by block.
[[gnu::target("avx2")]] inline void store(FourBlocks const& blocks, std::uint32_t* words) {
    // Pack words 0 and 1 of each block into a lane; likewise words 2 and 3.
    __m256i const low =
        _mm256_blend_epi32(blocks.word[0], _mm256_slli_epi64(blocks.word[1], 32), 0b10101010);
    __m256i const high =
        _mm256_blend_epi32(blocks.word[2], _mm256_slli_epi64(blocks.word[3], 32), 0b10101010);
    __m256i const blocks_0_2 = _mm256_unpacklo_epi64(low, high);
    __m256i const blocks_1_3 = _mm256_unpackhi_epi64(low, high);
    auto* const out = reinterpret_cast<__m256i*>(words);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(blocks_0_2, blocks_1_3, 0x20));
    _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(blocks_0_2, blocks_1_3, 0x31));
}

} // namespace

bool has_avx2() {
    static bool const has = __builtin_cpu_supports("avx2") != 0;
    return has;
}

[[gnu::target("avx2")]] void
philox_blocks_avx2(std::uint64_t first, std::uint32_t stream, PhiloxKey key, std::uint32_t* words) {
    FourBlocks a = start(first, stream);
    FourBlocks b = start(first + 4, stream);
    for (int round = 0; round < 10; ++round) {
        __m256i const key_0 = _mm256_set1_epi64x(static_cast<long long>(key[0]));
        __m256i const key_1 = _mm256_set1_epi64x(static_cast<long long>(key[1]));
        apply_round(a, key_0, key_1);
        apply_round(b, key_0, key_1);
        key[0] += 0x9E3779B9U;
        key[1] += 0xBB67AE85U;
    }
    store(a, words);
    store(b, words + 16);
}

} // namespace keyswap::model

#else

namespace keyswap::model {

bool has_avx2() {
    return false;
}

void philox_blocks_avx2(std::uint64_t, std::uint32_t, PhiloxKey, std::uint32_t*) {
    KEYSWAP_EXPECTS(has_avx2());
}

} // namespace keyswap::model

#endif
