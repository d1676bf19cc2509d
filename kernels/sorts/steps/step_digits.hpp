#pragma once

/// \file The digits that steps of a sort read.

#include "traces/records/bucket_function.hpp"

#include <vector>

namespace keyswap::kernels {

/// Digits of `digit_bits` bits from the lowest on; then one for the remaining bits below the last
/// digit, if any; then the last digit.
/// \param last_bits width of a digit at the key's upper end; 0: no such digit
/// \pre 1 <= digit_bits, 0 <= last_bits <= key_bits
[[nodiscard]] std::vector<DigitBuckets> step_digits(int key_bits, int digit_bits, int last_bits);

} // namespace keyswap::kernels
