#pragma once

/// \file What a bucket function means: the reference's evaluation, by binary search over the
/// intervals of its buckets wherever they are intervals.

#include "model/keys/wide_integer.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/bucket_function.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {

/// Most buckets of one function: 8 MiB of counters.
inline constexpr std::uint32_t bucket_count_max = 1U << 20;

/// Says what in a function makes no sense for keys of `key_bits` bits, or returns it unchanged.
[[nodiscard]] Expected<BucketFunction> validated(BucketFunction const& function, int key_bits);

/// Ranges of equal width ceil(2^key_bits / buckets) from image 0 on. \pre buckets >= 1
[[nodiscard]] BucketFunction delta_function(int key_bits, std::uint32_t buckets);
/// Splitters with or without equality buckets; the number of buckets follows from them.
[[nodiscard]] BucketFunction splitter_function(SplitterBuckets splitters);
/// A digit. \pre 1 <= bits <= 20
[[nodiscard]] BucketFunction digit_function(int shift, int bits);

/// "delta", "digit:8:4", "splitters" ... as messages and tables name a rule.
[[nodiscard]] std::string rule_name(BucketRule const& rule);

/// The lowest image of bucket 1, 2, .. of a function whose buckets ascend with the key, ascending,
/// so that a key's bucket is the number of edges at or below its image. Two equal edges enclose an
/// empty bucket; edges beyond the largest image are left out, and no key falls into their buckets.
/// None for functions that are not monotone.
/// \pre validated(function, key_bits)
[[nodiscard]] std::optional<std::vector<uint128>> lower_edges(BucketFunction const& function,
                                                              int key_bits);

/// Finds buckets of keys. Immutable: any number of threads may use one.
class BucketEvaluator {
  public:
    /// \param labels [n] the column of a LabelBuckets rule, else empty; must outlive the evaluator
    /// \pre validated(function, key_bits); the rule is not foreign
    BucketEvaluator(BucketFunction const& function,
                    int key_bits,
                    std::span<std::uint32_t const> labels = {});

    [[nodiscard]] std::uint32_t bucket_count() const { return bucket_count_; }

    /// \param index input position of the key, which a label rule needs
    [[nodiscard]] std::uint32_t bucket_of(uint128 image, std::uint64_t index) const;

    /// Buckets of the keys that stand from input position `first` on.
    /// \param buckets as long as `images`
    template <class Image>
    void buckets_of(std::span<Image const> images,
                    std::uint64_t first,
                    std::span<std::uint32_t> buckets) const {
        for (std::size_t i = 0; i < images.size(); ++i) {
            buckets[i] = bucket_of(images[i], first + i);
        }
    }

  private:
    std::uint32_t bucket_count_;
    BucketRule rule_;
    std::optional<std::vector<uint128>> edges_;
    std::span<std::uint32_t const> labels_;
};

/// Whether a 64-bit number is prime, exactly (Miller-Rabin with the first twelve primes as bases;
/// Sorenson and Webster, Math. Comp. 2017).
[[nodiscard]] bool is_prime(std::uint64_t number);

} // namespace keyswap::model
