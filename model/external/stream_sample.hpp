#pragma once

/// \file Step 1 of an external sort of an input that can be read only once, front to back: while
/// counting the records, keep those whose positions have the smallest hashes. The sample is thus a
/// function of seed and input only, although its positions depend on the number of records, which
/// is unknown in advance.

#include "model/external/external_plan.hpp"
#include "model/keys/wide_integer.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// A record in the sample.
struct StreamDraw {
    std::uint64_t priority = 0; ///< hash of its position; the smallest are kept
    std::uint64_t place = 0;    ///< position in order of arrival
    uint128 image = 0;
};

/// Number of draws to keep so that they suffice for an input of any size.
[[nodiscard]] std::uint64_t stream_draws_max(ExternalMemory const& memory);

/// Reservoir of draws without repetition.
class StreamSample {
  public:
    /// \param room storage for the draws to keep; not empty
    StreamSample(std::span<StreamDraw> room, std::uint64_t seed) : room_(room), seed_(seed) {}

    /// Offers the next record. \param image returns its image; called only if the record is kept
    template <class Image>
    void add(Image const& image) {
        std::uint64_t const priority = priority_of(place_);
        if (kept_ < room_.size() || priority < room_.front().priority) {
            keep({priority, place_, image()});
        }
        ++place_;
    }

    [[nodiscard]] std::uint64_t record_count() const { return place_; }
    /// Images of the `count` records with the smallest hashes, in order of position.
    /// \param count at most the number kept \pre no record is added afterwards
    [[nodiscard]] std::vector<uint128> images(std::uint64_t count);

  private:
    [[nodiscard]] std::uint64_t priority_of(std::uint64_t place) const {
        return mix_bits(seed_ + place * 0x9e3779b97f4a7c15ULL);
    }
    void keep(StreamDraw const& draw);

    std::span<StreamDraw> room_; ///< the first kept_ form a max-heap by priority
    std::uint64_t seed_;
    std::uint64_t place_ = 0;
    std::size_t kept_ = 0;
};

} // namespace keyswap::model
