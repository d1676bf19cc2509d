#pragma once

/// \file Bucket functions as data: which of m buckets a key falls into. The reference model and the
/// kernels share the parameters but not the code that evaluates them, or comparing the two
/// would prove nothing.

#include "traces/records/key_image.hpp"
#include "traces/records/sequence_digest.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace keyswap {

/// Bits [shift, shift + bits) of the image; m = 2^bits.
struct DigitBuckets {
    int shift = 0;
    int bits = 8;
    friend bool operator==(DigitBuckets const&, DigitBuckets const&) = default;
};

/// Ranges of equal width: 0 below origin, else min((image - origin) / width, m - 1).
/// Source: GPU Multisplit (Ashkiani et al., TOPC 2017), "delta-buckets".
struct DeltaBuckets {
    KeyImage origin;
    KeyImage width{0, 1}; ///< at least 1
    friend bool operator==(DeltaBuckets const&, DeltaBuckets const&) = default;
};

/// The bucket of a key that equals a splitter.
enum class Tie {
    left, ///< below: the bucket that ends at the splitter (GPU Sample Sort, Leischner et al.
          ///< 2010)
    right ///< above: the bucket that starts at the splitter (histograms over edges)
};

/// Ranges between d splitters s_1 < ... < s_d. With Tie::right bucket b holds the images with
/// #{i : s_i <= image} = b. With Tie::left, j = #{i : s_i < image} and F(j) = flagged splitters
/// among s_1 .. s_j; an image that equals a flagged s_(j+1) has bucket j + F(j) + 1, of that value
/// alone, every other one j + F(j). m = d + 1 + number of flagged splitters.
struct SplitterBuckets {
    std::vector<KeyImage> splitters; ///< [d], strictly ascending
    std::vector<bool> equality;      ///< [d]: has its own bucket; all false with Tie::right
    Tie tie = Tie::left;
    friend bool operator==(SplitterBuckets const&, SplitterBuckets const&) = default;
};

/// 0 for prime images, 1 for all others (0, 1 and composites); m = 2.
struct PrimeBuckets {
    friend bool operator==(PrimeBuckets const&, PrimeBuckets const&) = default;
};

/// floor(mix * m / 2^64) with mix = mix_bits(low ^ mix_bits(high + seed)).
struct HashBuckets {
    std::uint64_t seed = 0;
    friend bool operator==(HashBuckets const&, HashBuckets const&) = default;
};

/// Labels from the caller, one for each key, as a column in input order.
struct LabelBuckets {
    SequenceDigest labels; ///< of the column; each element is digest_of(label)
    std::string file;      ///< path; empty if the labels came from memory
    friend bool operator==(LabelBuckets const&, LabelBuckets const&) = default;
};

/// A user-defined function. Keyswap cannot evaluate it and checks only the result.
struct ForeignBuckets {
    std::string name;
    friend bool operator==(ForeignBuckets const&, ForeignBuckets const&) = default;
};

using BucketRule = std::variant<DigitBuckets,
                                DeltaBuckets,
                                SplitterBuckets,
                                PrimeBuckets,
                                HashBuckets,
                                LabelBuckets,
                                ForeignBuckets>;

/// A rule with its number of buckets.
struct BucketFunction {
    std::uint32_t buckets = 1; ///< m
    BucketRule rule;
    friend bool operator==(BucketFunction const&, BucketFunction const&) = default;
};

} // namespace keyswap
