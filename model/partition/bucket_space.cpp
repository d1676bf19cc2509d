#include "model/partition/bucket_space.hpp"

#include "model/partition/bucket_rule.hpp"
#include "model/partition/refinement.hpp"
#include "traces/errors/contracts.hpp"

namespace keyswap::model {

BucketSpace::BucketSpace(DigitLayout const& layout)
    : key_bits_(layout.key_bits()), layout_(layout) {}

BucketSpace::BucketSpace(int key_bits, int child_bits)
    : key_bits_(key_bits), child_bits_(child_bits) {
    KEYSWAP_EXPECTS(child_bits >= 1 && child_bits <= 64);
    images_[{}] = {0, largest_image_of_bits(key_bits)};
}

bool BucketSpace::divide(BucketPrefix bucket, BucketFunction const& function) {
    KEYSWAP_EXPECTS(!layout_);
    auto const images = images_of(bucket);
    bool const has_room =
        bucket.pass < pass_count() && (function.buckets - uint128{1}) >> child_bits_ == 0;
    if (!images || !has_room || !validated(function, key_bits_) ||
        !lower_edges(function, key_bits_)) {
        return false;
    }
    divide(model::children_of({bucket, *images}, function, key_bits_));
    return true;
}

void BucketSpace::divide(RefinedBucket const& refined) {
    BucketPrefix child{refined.bucket.pass + 1, refined.bucket.prefix << child_bits_};
    for (ImageInterval const& images : refined.children) {
        if (!images.empty()) {
            images_[child] = images;
        }
        ++child.prefix;
    }
}

int BucketSpace::pass_count() const {
    return layout_ ? layout_->pass_count() : 64 / child_bits_;
}

int BucketSpace::bits_of(int pass) const {
    return layout_ ? layout_->bits_of(pass) : child_bits_;
}

int BucketSpace::bits_after(int pass) const {
    return layout_ ? key_bits_ - layout_->bits_below(pass) : pass * child_bits_;
}

std::optional<ImageInterval> BucketSpace::images_of(BucketPrefix bucket) const {
    if (bucket.pass < 0 || bucket.pass > pass_count()) {
        return std::nullopt;
    }
    int const bits = bits_after(bucket.pass);
    if (bits < 64 && bucket.prefix >> bits != 0) {
        return std::nullopt;
    }
    if (layout_) {
        return ImageInterval{layout_->lowest_image(bucket), layout_->highest_image(bucket)};
    }
    auto const found = images_.find(bucket);
    return found == images_.end() ? std::nullopt : std::optional(found->second);
}

} // namespace keyswap::model
