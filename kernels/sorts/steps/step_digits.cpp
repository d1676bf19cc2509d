#include "kernels/sorts/steps/step_digits.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::kernels {

std::vector<DigitBuckets> step_digits(int key_bits, int digit_bits, int last_bits) {
    KEYSWAP_EXPECTS(digit_bits >= 1 && last_bits >= 0 && last_bits <= key_bits);
    int const last_shift = key_bits - last_bits;
    std::vector<DigitBuckets> digits;
    for (int shift = 0; shift < last_shift; shift += digit_bits) {
        digits.push_back({shift, std::min(digit_bits, last_shift - shift)});
    }
    if (last_bits != 0) {
        digits.push_back({last_shift, last_bits});
    }
    return digits;
}

} // namespace keyswap::kernels
