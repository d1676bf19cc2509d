#include "model/counter_generator.hpp"

namespace keyswap::model {

void CounterGenerator::fill(std::uint64_t first, std::span<std::uint32_t> words) const {
    std::size_t i = 0;
    while (i < words.size() && (first + i) % 4 != 0) {
        words[i] = word32(first + i);
        ++i;
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
