#pragma once

/// \file The digits that steps of a sort read, on GPUs or CPUs. Plain C++.

#include "traces/errors/contracts.hpp"
#include "traces/records/bucket_function.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::kernels {

/// Digits of `digit_bits` bits from the lowest on; then one for the remaining bits below the last
/// digit, if any; then the last digit.
/// \param last_bits width of a digit at the key's upper end; 0: no such digit
/// \pre 1 <= digit_bits, 0 <= last_bits <= key_bits
[[nodiscard]] inline std::vector<DigitBuckets>
step_digits(int key_bits, int digit_bits, int last_bits) {
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
