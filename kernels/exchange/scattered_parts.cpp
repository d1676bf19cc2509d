#include "kernels/exchange/scattered_parts.hpp"

#include "kernels/faults/device_faults.hpp"

#include <vector>

namespace keyswap::kernels {

namespace {

/// The ranges of a chunk that no part covers.
std::vector<KeyRange> gaps_between(std::span<KeyRange const> parts, std::uint64_t count) {
    std::vector<KeyRange> gaps;
    std::uint64_t at = 0;
    for (KeyRange const& part : parts) {
        gaps.push_back({at, part.offset - at});
        at = part.offset + part.count;
    }
    gaps.push_back({at, count - at});
    return gaps;
}

} // namespace

void join_scattered(RunContext const& context, GpuState& gpu, std::span<KeyRange const> parts) {
    int const from = gpu.buffers.current;
    int const to = 1 - from;
    std::uint64_t scattered = 0;
    for (KeyRange const& part : parts) {
        scattered += part.count;
    }
    if (scattered >= gpu.count / 2) {
        for (KeyRange const& gap : gaps_between(parts, gpu.count)) {
            copy_to_other_buffer(gpu, context.shape, gap, from);
        }
        gpu.buffers.current = to;
        return;
    }
    if (has_fault(DeviceFault::part_not_brought_back)) {
        return;
    }
    for (KeyRange const& part : parts) {
        copy_to_other_buffer(gpu, context.shape, part, to);
    }
}

} // namespace keyswap::kernels
