#pragma once

/// \file Widths of a sort's keys and digits.

namespace keyswap::kernels {

struct KeyShape {
    int key_bits = 32;
    int digit_bits = 8;

    [[nodiscard]] int pass_count() const { return (key_bits + digit_bits - 1) / digit_bits; }
    /// Bits below the digit of `pass`, from 1; 0 for the last pass.
    [[nodiscard]] int bits_below(int pass) const {
        int const below = key_bits - pass * digit_bits;
        return below > 0 ? below : 0;
    }
    /// Bits of the digit of `pass`, from 1; the last digit may be narrower.
    [[nodiscard]] int bits_of(int pass) const { return bits_below(pass - 1) - bits_below(pass); }
};

} // namespace keyswap::kernels
