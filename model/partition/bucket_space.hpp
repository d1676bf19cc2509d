#pragma once

#include "model/buckets/digit_layout.hpp"
#include "model/keys/refined_bucket.hpp"
#include "traces/records/bucket_function.hpp"
#include "traces/records/bucket_prefix.hpp"

#include <map>
#include <optional>

namespace keyswap::model {

/// Maps the prefixes of a sort's buckets to intervals of images. A prefix consists of digits (RMG
/// sort) or of indices of children, which functions define for each bucket and pass.
class BucketSpace {
  public:
    /// For prefixes that are digits.
    explicit BucketSpace(DigitLayout const& layout);
    /// For prefixes that are indices of children, `child_bits` bits per pass.
    /// \pre 1 <= child_bits <= 64
    BucketSpace(int key_bits, int child_bits);

    /// Adds the children of a bucket under a function.
    /// \return false, without effect, if the bucket is unknown, the function is not monotone, or it
    /// has more children than fit `child_bits`
    /// \pre digits() == nullptr
    bool divide(BucketPrefix bucket, BucketFunction const& function);
    /// As above, for children that are already computed.
    void divide(RefinedBucket const& refined);

    /// Null if prefixes are not digits.
    [[nodiscard]] DigitLayout const* digits() const { return layout_ ? &*layout_ : nullptr; }
    [[nodiscard]] int key_bits() const { return key_bits_; }
    /// Maximum number of passes.
    [[nodiscard]] int pass_count() const;
    /// Bits that a pass appends to a prefix. \pre 1 <= pass <= pass_count()
    [[nodiscard]] int bits_of(int pass) const;
    /// Bits of a prefix after `pass`. \pre 0 <= pass <= pass_count()
    [[nodiscard]] int bits_after(int pass) const;
    /// The images of a bucket; nullopt if the bucket is unknown or empty.
    [[nodiscard]] std::optional<ImageInterval> images_of(BucketPrefix bucket) const;

  private:
    int key_bits_;
    int child_bits_ = 0;
    std::optional<DigitLayout> layout_;
    std::map<BucketPrefix, ImageInterval> images_; ///< of known buckets; unused for digits
};

} // namespace keyswap::model
