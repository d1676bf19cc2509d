#include "model/buckets/digit_layout.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::model {

namespace {

std::uint64_t low_bits(int count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Right shift, also defined for bits >= 64.
std::uint64_t shifted_right(std::uint64_t word, int bits) {
    return bits >= 64 ? 0 : word >> bits;
}

} // namespace

DigitLayout::DigitLayout(int key_bits, int digit_bits)
    : key_bits_(key_bits), digit_bits_(digit_bits),
      pass_count_((key_bits + digit_bits - 1) / digit_bits) {
    KEYSWAP_EXPECTS(key_bits >= 1 && key_bits <= 128);
    KEYSWAP_EXPECTS(digit_bits >= 1 && digit_bits <= 16 && digit_bits <= key_bits);
}

int DigitLayout::bits_below(int pass) const {
    KEYSWAP_EXPECTS(pass >= 0 && pass <= pass_count_);
    return std::max(0, key_bits_ - pass * digit_bits_);
}

int DigitLayout::bits_of(int pass) const {
    KEYSWAP_EXPECTS(pass >= 1 && pass <= pass_count_);
    return bits_below(pass - 1) - bits_below(pass);
}

std::uint32_t DigitLayout::digit_count(int pass) const {
    return std::uint32_t{1} << bits_of(pass);
}

std::uint32_t DigitLayout::digit(std::uint64_t image, int pass) const {
    return static_cast<std::uint32_t>((image >> bits_below(pass)) & low_bits(bits_of(pass)));
}

std::uint64_t DigitLayout::prefix(std::uint64_t image, int pass) const {
    return shifted_right(image & low_bits(key_bits_), bits_below(pass));
}

BucketPrefix DigitLayout::child(BucketPrefix bucket, std::uint32_t digit) const {
    int const pass = bucket.pass + 1;
    KEYSWAP_EXPECTS(digit < digit_count(pass));
    return {pass, (bucket.prefix << bits_of(pass)) | digit};
}

std::uint64_t DigitLayout::lowest_image(BucketPrefix bucket) const {
    int const below = bits_below(bucket.pass);
    return below >= 64 ? 0 : bucket.prefix << below;
}

std::uint64_t DigitLayout::highest_image(BucketPrefix bucket) const {
    return lowest_image(bucket) | low_bits(bits_below(bucket.pass));
}

} // namespace keyswap::model
