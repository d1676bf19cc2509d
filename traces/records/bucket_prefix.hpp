#pragma once

#include <compare>
#include <cstdint>

namespace keyswap {

/// A GPU's index in the sort's order (0 .. g-1), not its device number.
struct GpuId {
    std::uint32_t value = 0;
    friend auto operator<=>(GpuId const&, GpuId const&) = default;
};

/// The identity of a bucket: the number of digits read and their values. Two buckets of one pass
/// with the same last digit but different parents are different buckets.
struct BucketPrefix {
    int pass = 0;             ///< passes read so far; 0 = the whole input, 1 = the first digit only
    std::uint64_t prefix = 0; ///< digits 1..pass, right-aligned
    friend auto operator<=>(BucketPrefix const&, BucketPrefix const&) = default;
};

} // namespace keyswap
