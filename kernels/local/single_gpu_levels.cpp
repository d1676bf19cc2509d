#include "kernels/local/single_gpu_levels.hpp"

#include "kernels/device/stream.hpp"
#include "kernels/local/crowding.hpp"

namespace keyswap::kernels {

namespace {

/// Keys in the fullest of the stretches of 2^shift images, estimated from 4,096 samples.
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
    return single_gpu_levels(
        row, gpu.count, leaf_of(context), context.tuning.counting_min, [&](int shift) {
            return fullest_stretch(context, gpu, shift);
        });
}

} // namespace keyswap::kernels
