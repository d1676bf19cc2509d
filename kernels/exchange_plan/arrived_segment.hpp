#pragma once

/// \file A segment whose keys came in parts from several GPUs. Plain C++.

#include "kernels/primitives/key_buffer.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// Keys of a segment that lie together.
struct ArrivedPart {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    KeyBuffer buffer = KeyBuffer::input; ///< of the first level
    friend bool operator==(ArrivedPart const&, ArrivedPart const&) = default;
};

/// Its first level brings its keys together.
struct ArrivedSegment {
    std::uint64_t begin = 0;        ///< of its place in the result
    std::uint64_t count = 0;        ///< keys of all its parts
    int end_bit = 0;                ///< bits that are left to sort; 0 = it holds one value
    std::vector<ArrivedPart> parts; ///< [at most g] none is empty

    void add(ArrivedPart part) {
        parts.push_back(part);
        count += part.count;
    }
    friend bool operator==(ArrivedSegment const&, ArrivedSegment const&) = default;
};

} // namespace keyswap::kernels
