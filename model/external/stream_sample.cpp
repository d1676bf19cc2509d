#include "model/external/stream_sample.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <iterator>

namespace keyswap::model {

std::uint64_t stream_draws_max(ExternalMemory const& memory) {
    // If ranges_max makes ranges larger than memory, a range is planned for a whole number of
    // records, at least some hundreds; rounding increases the quotient by less than 1/512.
    std::uint64_t const quotient = memory.ranges_max + memory.ranges_max / 512 + 2;
    return draws_per_range * (quotient + 4);
}

void StreamSample::keep(StreamDraw const& draw) {
    if (kept_ == room_.size()) {
        std::ranges::pop_heap(room_, {}, &StreamDraw::priority);
        --kept_;
    }
    room_[kept_++] = draw;
    std::ranges::push_heap(room_.first(kept_), {}, &StreamDraw::priority);
}

std::vector<uint128> StreamSample::images(std::uint64_t count) {
    KEYSWAP_EXPECTS(count <= kept_);
    std::ranges::sort(room_.first(kept_), {}, &StreamDraw::priority);
    auto const drawn = room_.first(count);
    std::ranges::sort(drawn, {}, &StreamDraw::place);
    std::vector<uint128> images;
    images.reserve(count);
    std::ranges::transform(drawn, std::back_inserter(images), &StreamDraw::image);
    return images;
}

} // namespace keyswap::model
