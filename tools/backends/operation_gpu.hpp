#pragma once

/// \file --backend of operations that are not sorts: the reference, or this machine's GPUs.

#include "traces/errors/input_error.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::tools {

/// Nothing for "cpu"; for "cuda" the device and the driver of the first GPU, as a header has them.
[[nodiscard]] Expected<std::optional<RunHeader>> gpu_of_backend(std::string const& backend);

/// The same of the GPUs that --gpus and --gpu-count name.
[[nodiscard]] Expected<std::optional<RunHeader>>
gpus_of_backend(std::string const& backend,
                std::optional<std::string> const& gpus,
                std::optional<std::uint32_t> gpu_count);

/// Says in the header of a run of the reference that the GPUs ran it, if any.
void set_gpu(RunHeader& header, std::optional<RunHeader> const& gpu);

} // namespace keyswap::tools
