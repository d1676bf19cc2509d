#include "model/sorts/rmg/lsd_radix_sort.hpp"

#include <algorithm>
#include <cstdint>

namespace keyswap::model {

namespace {

constexpr int digit_bits_widest = 12;          ///< 4,096 counters of 8 B fill an L1 cache of 32 KiB
constexpr std::size_t insertion_size_max = 32; ///< else two passes over 16 counters cost less

template <class Image>
Image low_bits(Image key, int bits) {
    constexpr int width = 8 * static_cast<int>(sizeof(Image));
    return bits >= width ? key : key & ((Image{1} << bits) - 1);
}

template <class Image, class Value>
void insertion_sort(KeyArrays<Image, Value> const& arrays, int end_bit) {
    for (std::size_t i = 1; i < arrays.size(); ++i) {
        for (std::size_t j = i;
             j > 0 && low_bits(arrays.keys[j], end_bit) < low_bits(arrays.keys[j - 1], end_bit);
             --j) {
            std::swap(arrays.keys[j], arrays.keys[j - 1]);
            if constexpr (!std::is_same_v<Value, NoValue>) {
                std::swap(arrays.values[j], arrays.values[j - 1]);
            }
        }
    }
}

} // namespace

LsdPasses choose_lsd_passes(std::size_t size, int bits) {
    KEYSWAP_EXPECTS(bits >= 1 && bits <= 128);
    LsdPasses best;
    double best_cost = 0;
    for (int count = 2; count <= bits + 1; count += 2) {
        int const digit_bits = (bits + count - 1) / count;
        double const cost = count * (static_cast<double>(size) +
                                     static_cast<double>(1U << std::min(digit_bits, 30)));
        if (digit_bits <= digit_bits_widest && (best.count == 0 || cost < best_cost)) {
            best = {count, digit_bits};
            best_cost = cost;
        }
    }
    KEYSWAP_ENSURES(best.count > 0);
    return best;
}

template <class Image, class Value>
void sort_low_bits(KeyArrays<Image, Value> const& arrays,
                   KeyArrays<Image, Value> const& scratch,
                   int end_bit) {
    KEYSWAP_EXPECTS(scratch.size() == arrays.size());
    if (end_bit == 0 || arrays.size() < 2) {
        return;
    }
    if (arrays.size() <= insertion_size_max) {
        insertion_sort(arrays, end_bit);
        return;
    }
    LsdPasses const passes = choose_lsd_passes(arrays.size(), end_bit);
    KeyArrays<Image, Value> from = arrays;
    KeyArrays<Image, Value> to = scratch;
    for (int pass = 0; pass < passes.count; ++pass) {
        int const shift = std::min(pass * passes.digit_bits, end_bit - 1);
        int const bits = std::clamp(end_bit - pass * passes.digit_bits, 1, passes.digit_bits);
        BitField const field{shift, bits};
        scatter(from, to, count_digits(std::span<Image const>(from.keys), field));
        std::swap(from, to);
    }
}

#define KEYSWAP_INSTANTIATE(Image, Value)                                                          \
    template void sort_low_bits(                                                                   \
        KeyArrays<Image, Value> const&, KeyArrays<Image, Value> const&, int);
KEYSWAP_FOR_EACH_KEY_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE

} // namespace keyswap::model
