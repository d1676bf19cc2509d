#pragma once

/// \file Segments that came in parts, as one launch takes them: where they go and how they lie.

#include "kernels/faults/device_faults.hpp"
#include "kernels/sorts/local/local_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

struct ArrivedBatch {
    /// \param parts_tile, places_tile keys of a tile of parts and of places
    ArrivedBatch(LocalMemory const& memory, std::uint32_t parts_tile, std::uint32_t places_tile)
        : places(memory, LocalSizes::places_begin(), places_tile),
          parts(memory, memory.sizes.arrived_begin(), parts_tile), sizes_(memory.sizes) {}

    /// Takes segments from the front of a list while there is room for them.
    /// \param wanted called with the next one before it is taken; the first that is not ends it
    template <class Wanted>
    void take(std::vector<ArrivedSegment const*>& list, Wanted wanted, std::size_t most = ~0U) {
        most = std::min({most, list.size(), sizes_.segments});
        while (count < most) {
            ArrivedSegment const& segment = *list[count];
            if (part_count + segment.parts.size() > sizes_.arrived || !wanted(segment)) {
                break;
            }
            places.add(segment.begin, segment.count);
            std::size_t const left =
                has_fault(DeviceFault::arrived_part_left) && segment.parts.size() > 1 ? 1 : 0;
            for (ArrivedPart const& part :
                 std::span{segment.parts}.first(segment.parts.size() - left)) {
                parts.add_part(part, segment.begin, count);
            }
            part_count += static_cast<std::uint32_t>(segment.parts.size());
            largest = std::max(largest, segment.count);
            ++count;
        }
        list.erase(list.begin(), list.begin() + count);
    }

    SegmentParts places;
    SegmentParts parts;
    std::uint32_t count = 0; ///< segments
    std::uint32_t part_count = 0;
    std::uint64_t largest = 0; ///< keys of a segment

  private:
    LocalSizes sizes_;
};

} // namespace keyswap::kernels
