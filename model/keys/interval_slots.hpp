#pragma once

#include "model/keys/refined_bucket.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Finds, for a key's image, the counter of the interval that holds it: a table by the image's
/// upper bits, then binary search. What BucketSlots is for digits.
/// \tparam Word SearchWord of the images
template <class Word>
class IntervalSlots {
  public:
    /// \param intervals ascending and disjoint
    /// \param key_bits of the images that are counted, at most those of Word
    IntervalSlots(std::span<CountedInterval const> intervals, int key_bits);

    /// Adds each image to its counter; images that no interval holds are passed over.
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

    /// The counter of an image, or no_slot.
    [[nodiscard]] std::size_t slot_of(Word image) const {
        auto const entry = static_cast<std::size_t>(image >> guide_shift_);
        // std::upper_bound() without branches: which half it is cannot be foreseen.
        std::size_t after = guide_[entry];
        for (std::size_t rest = guide_[entry + 1] - after; rest > 0;) {
            std::size_t const half = rest / 2;
            bool const is_behind = cuts_[after + half] <= image;
            after += is_behind ? half + 1 : 0;
            rest = is_behind ? rest - half - 1 : half;
        }
        return slots_[after];
    }

  private:
    static constexpr int guide_bits = 12; ///< 4,097 entries of 4 B stay in a first-level cache

    int guide_shift_;
    std::vector<Word> cuts_;         ///< ascending images at which the counter changes
    std::vector<std::size_t> slots_; ///< [cuts + 1] counter after as many cuts
    std::vector<std::uint32_t>
        guide_; ///< [2^guide_bits + 1] cuts below the first image of an entry
};

} // namespace keyswap::model
