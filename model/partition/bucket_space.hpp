#pragma once

#include "model/buckets/digit_layout.hpp"
#include "model/keys/refined_bucket.hpp"
#include "traces/records/bucket_function.hpp"
#include "traces/records/bucket_prefix.hpp"

#include <map>
#include <optional>

namespace keyswap::model {

/// What the prefixes of a sort's buckets mean: the digits of RMG sort, or the indices of children
/// under functions that passes choose for each bucket.
class BucketSpace {
  public:
    /// Prefixes are digits.
    explicit BucketSpace(DigitLayout const& layout);
    /// Prefixes are indices of children, of `child_bits` bits in each pass.
    /// \pre 1 <= child_bits <= 64
    BucketSpace(int key_bits, int child_bits);

    /// Records which children a function makes of a bucket.
    /// \return false where the bucket is not known, or the function gives it no ascending children
    /// that its prefix has room for; nothing is recorded then
    /// \pre digits() == nullptr
    bool divide(BucketPrefix bucket, BucketFunction const& function);
    /// The same where the children are known.
    void divide(RefinedBucket const& refined);

    /// Null where prefixes are not digits.
    [[nodiscard]] DigitLayout const* digits() const { return layout_ ? &*layout_ : nullptr; }
    [[nodiscard]] int key_bits() const { return key_bits_; }
    /// Most passes that there can be.
    [[nodiscard]] int pass_count() const;
    /// Bits of a prefix that a pass adds. \pre 1 <= pass <= pass_count()
    [[nodiscard]] int bits_of(int pass) const;
    /// Bits of a prefix after a pass. \pre 0 <= pass <= pass_count()
    [[nodiscard]] int bits_after(int pass) const;
    /// The images of a bucket; nullopt for one that is not known, or holds none.
    [[nodiscard]] std::optional<ImageInterval> images_of(BucketPrefix bucket) const;

  private:
    int key_bits_;
    int child_bits_ = 0;
    std::optional<DigitLayout> layout_;
    std::map<BucketPrefix, ImageInterval> images_; ///< where prefixes are not digits
};

} // namespace keyswap::model
