#include "model/keys/interval_slots.hpp"

#include "traces/errors/contracts.hpp"

#include <bit>

namespace keyswap::model {

template <class Word>
IntervalSlots<Word>::IntervalSlots(std::span<CountedInterval const> intervals, int key_bits)
    : guide_shift_(std::max(0, key_bits - guide_bits)), slots_{no_slot} {
    KEYSWAP_EXPECTS(key_bits >= 1 && key_bits <= 8 * static_cast<int>(sizeof(Word)));
    uint128 const largest = largest_image_of_bits(key_bits);
    for (CountedInterval const& interval : intervals) {
        KEYSWAP_EXPECTS(!interval.images.empty() && interval.images.highest <= largest);
        auto const lowest = static_cast<Word>(interval.images.lowest);
        if (!cuts_.empty() && cuts_.back() == lowest) {
            slots_.back() = interval.slot; // no gap before it
        } else {
            cuts_.push_back(lowest);
            slots_.push_back(interval.slot);
        }
        if (interval.images.highest < largest) {
            cuts_.push_back(static_cast<Word>(interval.images.highest) + 1);
            slots_.push_back(no_slot);
        }
    }
    KEYSWAP_EXPECTS(std::ranges::is_sorted(cuts_));
    std::size_t const entries = std::size_t{1} << std::min(guide_bits, key_bits);
    for (std::size_t entry = 0; entry < entries; ++entry) {
        Word const first = Word{entry} << guide_shift_;
        guide_.push_back(
            static_cast<std::uint32_t>(std::ranges::lower_bound(cuts_, first) - cuts_.begin()));
    }
    std::size_t most = 0;
    for (std::size_t entry = 0; entry < entries; ++entry) {
        std::size_t const end = entry + 1 < entries ? guide_[entry + 1] : cuts_.size();
        most = std::max(most, end - guide_[entry]);
    }
    first_step_ = std::bit_floor(most);
    // A search step from the last entry reads less than 2 * first_step_ past the last cut.
    std::size_t const last_slot = slots_.back();
    cuts_.resize(cuts_.size() + 2 * first_step_, static_cast<Word>(largest));
    slots_.resize(cuts_.size() + 1, last_slot);
}

template class IntervalSlots<std::uint64_t>;
template class IntervalSlots<uint128>;

} // namespace keyswap::model
