#include "model/buckets/bucket_slots.hpp"

#include "traces/errors/contracts.hpp"

namespace keyswap::model {

BucketSlots::BucketSlots(DigitLayout const& layout, std::span<BucketPrefix const> buckets)
    : bucket_count_(buckets.size()) {
    KEYSWAP_EXPECTS(!buckets.empty());
    int const pass = buckets.front().pass;
    whole_input_ = pass == 0;
    prefix_shift_ = layout.bits_below(pass);
    digit_shift_ = layout.bits_below(pass + 1);
    digit_count_ = layout.digit_count(pass + 1);
    KEYSWAP_EXPECTS(!whole_input_ || buckets.size() == 1);
    if (whole_input_) {
        return;
    }
    std::size_t const places = std::bit_ceil(4 * buckets.size());
    hash_shift_ = 64 - std::countr_zero(places);
    place_mask_ = places - 1;
    entries_.resize(places);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        KEYSWAP_EXPECTS(buckets[i].pass == pass);
        std::size_t place = place_of(buckets[i].prefix);
        while (entries_[place].first_slot != no_slot) {
            KEYSWAP_EXPECTS(entries_[place].prefix != buckets[i].prefix);
            place = (place + 1) & place_mask_;
        }
        entries_[place] = {buckets[i].prefix, std::uint64_t{i} * digit_count_};
    }
}

} // namespace keyswap::model
