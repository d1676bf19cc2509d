#include "tools/backends/operation_gpu.hpp"

#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/gpu_sort.hpp"
#include "tools/options/gpu_list.hpp"
#include "traces/errors/try.hpp"

namespace keyswap::tools {

Expected<std::optional<RunHeader>> gpu_of_backend(std::string const& backend) {
    return gpus_of_backend(backend, "0", std::nullopt);
}

Expected<std::optional<RunHeader>> gpus_of_backend(std::string const& backend,
                                                   std::optional<std::string> const& gpus,
                                                   std::optional<std::uint32_t> gpu_count) {
    if (backend == "cpu") {
        return std::optional<RunHeader>();
    }
    KEYSWAP_TRY(auto const found, cuda::device_count());
    KEYSWAP_TRY(auto const devices,
                choose_devices(gpus, gpu_count, static_cast<std::uint32_t>(found)));
    return cuda::describe(devices).map(
        [](RunHeader header) { return std::optional<RunHeader>(std::move(header)); });
}

void set_gpu(RunHeader& header, std::optional<RunHeader> const& gpu) {
    if (gpu) {
        header.device = gpu->device;
        header.driver = gpu->driver;
        header.gpus = gpu->gpus;
        header.virtual_gpus = gpu->virtual_gpus;
        header.created = utc_time_text();
    }
}

} // namespace keyswap::tools
