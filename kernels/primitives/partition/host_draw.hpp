#pragma once

/// \file A GPU's sample of its chunk (label_step.hpp), drawn on the host: from the host memory that
/// the chunk is uploaded from, and as a stand-in for the kernel without a GPU.

#include "kernels/primitives/steps/label_step.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace keyswap::kernels {

/// \param keys the chunk's first key \param sample [draws]; only draws in this chunk are written
inline void
draw_on_host(int key_bytes, void const* keys, SampleDraw const& draw, std::byte* sample) {
    auto const size = static_cast<std::size_t>(key_bytes);
    auto const* const from = static_cast<std::byte const*>(keys);
    for (std::uint64_t r = 0; r < draw.draws; ++r) {
        std::uint64_t const position = drawn_position(draw, random_of_draw(draw, r));
        if (position - draw.chunk_begin < draw.chunk_count) { // wraps, so false below the chunk
            std::memcpy(sample + r * size, from + (position - draw.chunk_begin) * size, size);
        }
    }
}

} // namespace keyswap::kernels
