#pragma once

/// \file --backend of operations other than sorts: the reference or this machine's GPUs.

#include "traces/errors/input_error.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::tools {

/// nullopt for "cpu"; for "cuda", device and driver of the first GPU, as in a trace header.
[[nodiscard]] Expected<std::optional<RunHeader>> gpu_of_backend(std::string const& backend);

/// As gpu_of_backend(), for the GPUs selected by --gpus and --gpu-count.
[[nodiscard]] Expected<std::optional<RunHeader>>
gpus_of_backend(std::string const& backend,
                std::optional<std::string> const& gpus,
                std::optional<std::uint32_t> gpu_count);

/// Sets device, driver, GPUs and date in the header if `gpu` is not nullopt.
void set_gpu(RunHeader& header, std::optional<RunHeader> const& gpu);

} // namespace keyswap::tools
