#include "kernels/local/single_gpu_levels.hpp"

#include "kernels/device/stream.hpp"
#include "kernels/local/crowding.hpp"

namespace keyswap::kernels {

namespace {

/// Keys in the fullest of the stretches of 2^shift images, estimated from 4,096 of them.
std::uint64_t fullest_stretch(RunContext const& context, GpuState const& gpu, int shift) {
    DeviceScope const scope{gpu.device};
    std::uint32_t* const most = local_memory(gpu).crowding.data();
    launch_crowding_sample(gpu.stream,
                           context.shape.key_bytes,
                           gpu.buffers.keys[static_cast<std::size_t>(gpu.buffers.current)],
                           gpu.count,
                           {},
                           shift,
                           most);
    wait_for(gpu.stream);
    return keys_of_samples(*most, gpu.count);
}

} // namespace

std::optional<LocalLevels>
single_gpu_levels(RunContext const& context, GpuState const& gpu, DigitRow const& row) {
    constexpr std::uint64_t key_count_end = std::uint64_t{1} << 32; // places in a segment
    if (gpu.count < row.least_keys || gpu.count >= key_count_end) {
        return std::nullopt;
    }
    if (can_be_counted(row) && gpu.count >> dense_levels_bits >= context.tuning.counting_min &&
        fullest_stretch(context, gpu, counting_bits) <= counted_keys_max) {
        return LocalLevels{LevelMethod::digits, true};
    }
    std::uint32_t const leaf = leaf_of(context);
    bool const counts_crowded =
        row.crowded == CrowdedSort::counting && gpu.count >= row.least_counted_alone;
    if (!counts_crowded && gpu.count > leaf) {
        int const shift = context.shape.key_bytes * 8 - bits_to_leaves(gpu.count, leaf);
        if (fullest_stretch(context, gpu, shift) > crowded_leaves * leaf) {
            return row.crowded == CrowdedSort::splitters
                       ? std::optional(LocalLevels{LevelMethod::splitters, false})
                       : std::nullopt;
        }
    }
    return LocalLevels{LevelMethod::digits, false};
}

} // namespace keyswap::kernels
