#pragma once

/// \file Evaluation of bucket functions in the reference model: binary search over the buckets'
/// intervals if the function is monotone.

#include "model/keys/wide_integer.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/bucket_function.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {

/// Maximum number of buckets of a function: 8 MiB of counters.
inline constexpr std::uint32_t bucket_count_max = 1U << 20;

/// Returns the function unchanged, or an error if it is invalid for keys of `key_bits` bits.
[[nodiscard]] Expected<BucketFunction> validated(BucketFunction const& function, int key_bits);

/// Ranges of equal width ceil(2^key_bits / buckets), starting at image 0. \pre buckets >= 1
[[nodiscard]] BucketFunction delta_function(int key_bits, std::uint32_t buckets);
/// Computes the number of buckets from the splitters and their equality flags.
[[nodiscard]] BucketFunction splitter_function(SplitterBuckets splitters);
/// Bits [shift, shift + bits). \pre 1 <= bits <= 20
[[nodiscard]] BucketFunction digit_function(int shift, int bits);

/// "delta", "digit:8:4", "splitters" ...: the rule's name in messages and tables.
[[nodiscard]] std::string rule_name(BucketRule const& rule);

/// The lowest image of buckets 1, 2, ... of a monotone function, ascending: a key's bucket is the
/// number of edges at or below its image. Two equal edges enclose an empty bucket. Edges above the
/// largest image are omitted, since no key falls into their buckets.
/// nullopt for functions that are not monotone.
/// \pre validated(function, key_bits)
[[nodiscard]] std::optional<std::vector<uint128>> lower_edges(BucketFunction const& function,
                                                              int key_bits);

/// Evaluates a bucket function. Immutable, hence thread-safe.
class BucketEvaluator {
  public:
    /// \param labels [n] for a LabelBuckets rule, else empty; must outlive the evaluator
    /// \pre validated(function, key_bits); the rule is not foreign
    BucketEvaluator(BucketFunction const& function,
                    int key_bits,
                    std::span<std::uint32_t const> labels = {});

    [[nodiscard]] std::uint32_t bucket_count() const { return bucket_count_; }

    /// \param index input position of the key; used only by a label rule
    [[nodiscard]] std::uint32_t bucket_of(uint128 image, std::uint64_t index) const;

    /// Evaluates the keys from input position `first` on.
    /// \param buckets output, same size as `images`
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

/// Exact primality test for 64-bit numbers (Miller-Rabin with the first twelve primes as bases;
/// Sorenson and Webster, Math. Comp. 2017).
[[nodiscard]] bool is_prime(std::uint64_t number);

} // namespace keyswap::model
