#pragma once

/// \file Step 1 of an external sort whose input can only be read from front to back: while one
/// reading counts the records, it keeps those whose places have the smallest hashes. So the sample
/// is a function of the seed and the input alone, though its places depend on a number of records
/// that nobody knows before.

#include "model/external/external_plan.hpp"
#include "model/keys/wide_integer.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// A record that is kept.
struct StreamDraw {
    std::uint64_t priority = 0; ///< hash of its place; the smallest are drawn
    std::uint64_t place = 0;    ///< in order of arrival
    uint128 image = 0;
};

/// Draws that are kept for an input of any size.
[[nodiscard]] std::uint64_t stream_draws_max(ExternalMemory const& memory);

/// Draws without repetition.
class StreamSample {
  public:
    /// \param room for the draws that are kept; not empty
    StreamSample(std::span<StreamDraw> room, std::uint64_t seed) : room_(room), seed_(seed) {}

    /// The next record. \param image called if the record is kept for now
    template <class Image>
    void add(Image const& image) {
        std::uint64_t const priority = priority_of(place_);
        if (kept_ < room_.size() || priority < room_.front().priority) {
            keep({priority, place_, image()});
        }
        ++place_;
    }

    [[nodiscard]] std::uint64_t record_count() const { return place_; }
    /// Images of the records with the smallest hashes, by their places.
    /// \param count at most as many as were kept \pre no record is added afterwards
    [[nodiscard]] std::vector<uint128> images(std::uint64_t count);

  private:
    [[nodiscard]] std::uint64_t priority_of(std::uint64_t place) const {
        return mix_bits(seed_ + place * 0x9e3779b97f4a7c15ULL);
    }
    void keep(StreamDraw const& draw);

    std::span<StreamDraw> room_; ///< the first kept_ are a heap: the largest priority is in front
    std::uint64_t seed_;
    std::uint64_t place_ = 0;
    std::size_t kept_ = 0;
};

} // namespace keyswap::model
