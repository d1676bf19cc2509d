#include "model/distributions/counter_generator.hpp"

#include "model/distributions/counter_generator_avx2.hpp"

#include <bit>
#include <cstring>

namespace keyswap::model {

void CounterGenerator::fill(std::uint64_t first, std::span<std::uint32_t> words) const {
    std::size_t i = 0;
    while (i < words.size() && (first + i) % 4 != 0) {
        words[i] = word32(first + i);
        ++i;
    }
    if (has_avx2()) {
        constexpr std::size_t step = 4 * avx2_blocks;
        for (; i + step <= words.size(); i += step) {
            philox_blocks_avx2((first + i) / 4, stream_, key_, words.data() + i);
        }
    }
    for (; i + 4 <= words.size(); i += 4) {
        PhiloxCounter const four = block((first + i) / 4);
        words[i] = four[0];
        words[i + 1] = four[1];
        words[i + 2] = four[2];
        words[i + 3] = four[3];
    }
    for (; i < words.size(); ++i) {
        words[i] = word32(first + i);
    }
}

void CounterGenerator::fill(std::uint64_t first, std::span<std::uint64_t> words) const {
    std::size_t i = 0;
    if (i < words.size() && first % 2 != 0) {
        words[i] = word64(first);
        ++i;
    }
    if (has_avx2() && std::endian::native == std::endian::little) {
        constexpr std::size_t step = 2 * avx2_blocks;
        for (; i + step <= words.size(); i += step) {
            std::uint32_t halves[2 * step];
            philox_blocks_avx2((first + i) / 2, stream_, key_, halves);
            std::memcpy(words.data() + i, halves, sizeof halves);
        }
    }
    for (; i + 2 <= words.size(); i += 2) {
        PhiloxCounter const four = block((first + i) / 2);
        words[i] = four[0] | std::uint64_t{four[1]} << 32;
        words[i + 1] = four[2] | std::uint64_t{four[3]} << 32;
    }
    if (i < words.size()) {
        words[i] = word64(first + i);
    }
}

} // namespace keyswap::model
