#pragma once

/// \file A segment whose keys arrive in parts from several GPUs. Plain C++.

#include "kernels/primitives/key_buffer.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// A contiguous run of a segment's keys.
struct ArrivedPart {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    KeyBuffer buffer = KeyBuffer::input; ///< buffer that the first level reads
    friend bool operator==(ArrivedPart const&, ArrivedPart const&) = default;
};

/// Segment in parts; its first level gathers them into one contiguous range.
struct ArrivedSegment {
    std::uint64_t begin = 0;        ///< offset of the segment in the result
    std::uint64_t count = 0;        ///< sum over all parts
    int end_bit = 0;                ///< unsorted low bits; 0 = all keys are equal
    std::vector<ArrivedPart> parts; ///< [at most g] never empty ones

    void add(ArrivedPart part) {
        parts.push_back(part);
        count += part.count;
    }
    friend bool operator==(ArrivedSegment const&, ArrivedSegment const&) = default;
};

} // namespace keyswap::kernels
