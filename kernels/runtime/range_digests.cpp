#include "kernels/runtime/range_digests.hpp"

#include "kernels/device/vector_copies.hpp"

namespace keyswap::kernels {

std::vector<MultisetDigest> digests_of_ranges(cudaStream_t stream,
                                              DigestedElements const& elements,
                                              std::vector<KeyRange> const& ranges) {
    if (ranges.empty()) {
        return {};
    }
    int const device = current_device();
    auto const device_ranges = copy_to_device(device, stream, ranges);
    DeviceBuffer<MultisetDigest> const digests{device, ranges.size()};
    launch_digests(stream,
                   elements,
                   device_ranges.data(),
                   static_cast<std::uint32_t>(ranges.size()),
                   digests.data());
    return copy_to_vector(stream, digests.data(), ranges.size());
}

} // namespace keyswap::kernels
