#pragma once

/// \file Segments in parts for one launch: their destinations and their parts.

#include "kernels/faults/device_faults.hpp"
#include "kernels/local/local_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace keyswap::kernels {

struct ArrivedBatch {
    /// \param parts_tile, places_tile keys per tile of parts and of destinations
    ArrivedBatch(LocalMemory const& memory, std::uint32_t parts_tile, std::uint32_t places_tile)
        : places(memory, LocalSizes::places_begin(), places_tile),
          parts(memory, memory.sizes.arrived_begin(), parts_tile), sizes_(memory.sizes) {}

    /// Moves segments from the front of the list to the batch until it is full.
    /// \param digit_of called with each segment: its dividing digit, or an empty window
    template <class DigitOf>
    void take(std::vector<ArrivedSegment const*>& list, DigitOf digit_of, std::size_t most = ~0U) {
        most = std::min({most, list.size(), sizes_.segments});
        while (count < most) {
            ArrivedSegment const& segment = *list[count];
            if (part_count + segment.parts.size() > sizes_.arrived) {
                break;
            }
            BitWindow const digit = digit_of(segment);
            places.add(segment.begin, segment.count, digit);
            std::size_t const left =
                has_fault(DeviceFault::arrived_part_left) && segment.parts.size() > 1 ? 1 : 0;
            std::size_t const taken = segment.parts.size() - left;
            for (std::size_t i = 0; i < taken; ++i) {
                std::size_t const part = has_fault(DeviceFault::unstable_pairs) ? taken - 1 - i : i;
                parts.add_part(segment.parts[part], segment.begin, count, digit);
            }
            part_count += static_cast<std::uint32_t>(segment.parts.size());
            ++count;
        }
        list.erase(list.begin(), list.begin() + count);
    }

    SegmentParts places;
    SegmentParts parts;
    std::uint32_t count = 0; ///< segments
    std::uint32_t part_count = 0;

  private:
    LocalSizes sizes_;
};

} // namespace keyswap::kernels
