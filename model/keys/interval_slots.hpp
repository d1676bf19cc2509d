#pragma once

#include "model/keys/refined_bucket.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Maps a key's image to the counter of its interval: a table lookup by the image's upper bits,
/// then a binary search. Counterpart of BucketSlots, which maps digits.
/// \tparam Word SearchWord of the images
template <class Word>
class IntervalSlots {
  public:
    /// \param intervals ascending and disjoint
    /// \param key_bits width of the counted images, at most that of Word
    IntervalSlots(std::span<CountedInterval const> intervals, int key_bits);

    /// Increments the counter of each image; ignores images outside all intervals.
    template <class Image>
    void count(std::span<Image const> images, std::span<std::uint64_t> counters) const {
        for (Image const image : images) {
            std::size_t const slot = slot_of(image);
            if (slot != no_slot) {
                ++counters[slot];
            }
        }
    }

    static constexpr std::size_t no_slot = ~std::size_t{0};

    /// The counter of an image; no_slot if no interval contains it.
    [[nodiscard]] std::size_t slot_of(Word image) const { return slots_of<1>({image}).front(); }

    /// Counters of several images, searched in lockstep. All searches take the same number of steps
    /// without branches: the side of a cut is unpredictable, and one misprediction would cost more
    /// than all steps together.
    template <std::size_t count>
    [[nodiscard]] std::array<std::size_t, count>
    slots_of(std::array<Word, count> const& images) const {
        std::array<std::size_t, count> after;
        for (std::size_t i = 0; i < count; ++i) {
            after[i] = guide_[static_cast<std::size_t>(images[i] >> guide_shift_)];
        }
        Word const* const cuts = cuts_.data();
        for (std::size_t step = first_step_; step > 0; step /= 2) {
            for (std::size_t i = 0; i < count; ++i) {
                std::size_t const behind = after[i] + step;
                after[i] = cuts[behind - 1] <= images[i] ? behind : after[i];
            }
        }
        for (std::size_t& slot : after) {
            slot = slots_[slot];
        }
        return after;
    }

  private:
    static constexpr int guide_bits = 12; ///< 4,097 entries of 4 B fit in the L1 cache

    int guide_shift_;
    std::size_t first_step_ = 0; ///< largest power of two at most the maximum cuts per guide entry
    /// Ascending images at which the counter changes, padded with the largest image, because search
    /// steps may read past the last cut.
    std::vector<Word> cuts_;
    std::vector<std::size_t> slots_;   ///< [cuts + 1] counter after that many cuts
    std::vector<std::uint32_t> guide_; ///< [2^guide_bits] cuts below the first image of an entry
};

} // namespace keyswap::model
