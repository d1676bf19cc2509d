#pragma once

/// \file Which digits the steps of a sort read.

#include "traces/records/bucket_function.hpp"

#include <vector>

namespace keyswap::kernels {

/// Digits of `digit_bits` bits from the lowest on, then one of what is left below the last digit,
/// then the last.
/// \param last_bits of the digit at the key's upper end; 0 = none is set apart
/// \pre 1 <= digit_bits, 0 <= last_bits <= key_bits
[[nodiscard]] std::vector<DigitBuckets> step_digits(int key_bits, int digit_bits, int last_bits);

} // namespace keyswap::kernels
