#pragma once

/// \file --gpus selects GPUs of the machine, with the same meaning in every command; --gpu-count
/// gives only their number.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// Parses "0,2,4-6" into a list in that order; "all" gives all available GPUs.
/// \param option name of the option, for errors
/// \param available number of GPUs of the machine
[[nodiscard]] Expected<std::vector<std::uint32_t>>
parse_gpu_list(std::string_view text, std::string_view option, std::uint32_t available);

/// Devices selected by --gpus and --gpu-count: the listed ones, or the first gpu_count, or all. If
/// --gpus lists one device and gpu_count is larger, virtual GPUs share that device.
/// \param found number of devices of this machine
[[nodiscard]] Expected<std::vector<int>> choose_devices(std::optional<std::string> const& gpus,
                                                        std::optional<std::uint32_t> gpu_count,
                                                        std::uint32_t found);

} // namespace keyswap::tools
