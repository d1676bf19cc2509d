#pragma once

#include "model/buckets/digit_layout.hpp"
#include "traces/records/bucket_prefix.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Maps a key's image to the counter of its bucket and next digit, among some buckets of one
/// pass: a hash table of their prefixes with linear probing.
class BucketSlots {
  public:
    /// \pre buckets is not empty; its elements are distinct and of one pass
    BucketSlots(DigitLayout const& layout, std::span<BucketPrefix const> buckets);

    /// Number of counters: buckets x digits of the next pass.
    [[nodiscard]] std::size_t size() const { return bucket_count_ * digit_count_; }
    [[nodiscard]] std::uint32_t digit_count() const { return digit_count_; }

    /// Increments the counter of each image; skips images of other buckets.
    /// \param counters [size()] bucket-major
    template <class Image>
    void count(std::span<Image const> images, std::span<std::uint64_t> counters) const {
        std::uint64_t const mask = digit_count_ - 1;
        if (whole_input_) {
            for (Image const image : images) {
                ++counters[(image >> digit_shift_) & mask];
            }
            return;
        }
        for (Image const image : images) {
            std::uint64_t const prefix = std::uint64_t{image} >> prefix_shift_;
            std::size_t place = place_of(prefix);
            while (entries_[place].prefix != prefix && entries_[place].first_slot != no_slot) {
                place = (place + 1) & place_mask_;
            }
            if (entries_[place].first_slot != no_slot) {
                ++counters[entries_[place].first_slot + ((image >> digit_shift_) & mask)];
            }
        }
    }

  private:
    static constexpr std::uint64_t no_slot = ~std::uint64_t{0};

    struct Entry {
        std::uint64_t prefix = 0;
        std::uint64_t first_slot = no_slot;
    };

    /// Multiplicative hashing (Knuth, TAOCP volume 3, section 6.4) by 2^64 / golden ratio.
    [[nodiscard]] std::size_t place_of(std::uint64_t prefix) const {
        return static_cast<std::size_t>((prefix * 0x9e3779b97f4a7c15ULL) >> hash_shift_);
    }

    bool whole_input_;
    int prefix_shift_; ///< width of the image below the buckets' prefixes, in bits
    int digit_shift_;  ///< width of the image below the next digit, in bits
    std::uint32_t digit_count_;
    std::size_t bucket_count_;
    int hash_shift_ = 0;
    std::size_t place_mask_ = 0;
    std::vector<Entry> entries_; ///< at most a quarter full
};

} // namespace keyswap::model
