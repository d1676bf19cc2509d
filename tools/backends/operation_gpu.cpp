#include "tools/backends/operation_gpu.hpp"

#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/gpu_sort.hpp"

namespace keyswap::tools {

Expected<std::optional<RunHeader>> gpu_of_backend(std::string const& backend) {
    if (backend == "cpu") {
        return std::optional<RunHeader>();
    }
    if (backend != "cuda") {
        return tl::unexpected(
            InputError{"--backend " + backend, "is not known", "give --backend cpu or cuda"});
    }
    if (auto const found = cuda::device_count(); !found) {
        return tl::unexpected(found.error());
    }
    return cuda::describe({0}).map(
        [](RunHeader header) { return std::optional<RunHeader>(std::move(header)); });
}

void tell_gpu(RunHeader& header, std::optional<RunHeader> const& gpu) {
    if (gpu) {
        header.device = gpu->device;
        header.driver = gpu->driver;
        header.gpus = gpu->gpus;
        header.virtual_gpus = false;
        header.created = utc_time_text();
    }
}

} // namespace keyswap::tools
