#pragma once

#include "traces/records/bucket_prefix.hpp"

#include <cstdint>

namespace keyswap::model {

/// Divides k key bits into p = ceil(k/c) digits of c bits, most significant first; the last digit
/// may be narrower. Source: RMG paper, section 3.1.
class DigitLayout {
  public:
    /// \pre 1 <= digit_bits <= 16, digit_bits <= key_bits, key_bits is 32, 64 or 128 (8 to 64 in
    ///      tests). For 128 bits only the layout is available: prefixes and images here have 64
    DigitLayout(int key_bits, int digit_bits);

    [[nodiscard]] int key_bits() const { return key_bits_; }
    [[nodiscard]] int digit_bits() const { return digit_bits_; }
    /// p = ceil(k/c).
    [[nodiscard]] int pass_count() const { return pass_count_; }
    /// Bits below the digit of pass q: k - qc, or 0 for the last pass. \pre 0 <= pass <= p
    [[nodiscard]] int bits_below(int pass) const;
    /// Width of the digit of `pass` in bits. \pre 1 <= pass <= p
    [[nodiscard]] int bits_of(int pass) const;
    /// 2^bits_of(pass).
    [[nodiscard]] std::uint32_t digit_count(int pass) const;
    /// The digit that `pass` reads from a key's order-preserving image.
    [[nodiscard]] std::uint32_t digit(std::uint64_t image, int pass) const;
    /// Digits 1..pass of an image, right-aligned; 0 for pass 0.
    [[nodiscard]] std::uint64_t prefix(std::uint64_t image, int pass) const;
    /// The sub-bucket of `bucket` for `digit` in the next pass.
    [[nodiscard]] BucketPrefix child(BucketPrefix bucket, std::uint32_t digit) const;
    /// The lowest image in the bucket: its prefix followed by zeros.
    [[nodiscard]] std::uint64_t lowest_image(BucketPrefix bucket) const;
    /// The highest image in the bucket: its prefix followed by ones.
    [[nodiscard]] std::uint64_t highest_image(BucketPrefix bucket) const;

  private:
    int key_bits_;
    int digit_bits_;
    int pass_count_;
};

} // namespace keyswap::model
