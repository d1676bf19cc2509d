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

/// First and last of "3" or "2-5".
struct NumberRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

/// \return nullopt unless the text is a number, or two in ascending order
[[nodiscard]] std::optional<NumberRange> parse_number_range(std::string_view text);

/// "0,2,4-6" as numbers in that order, "all" as all of them.
/// \param option its name, for messages
/// \param available GPUs of the machine, which are numbered from 0
[[nodiscard]] Expected<std::vector<std::uint32_t>>
parse_gpu_list(std::string_view text, std::string_view option, std::uint32_t available);

/// Devices selected by --gpus and --gpu-count: the listed ones, or the first gpu_count, or all. If
/// --gpus lists one device and gpu_count is larger, virtual GPUs share that device.
/// \param found number of devices of this machine
[[nodiscard]] Expected<std::vector<int>> choose_devices(std::optional<std::string> const& gpus,
                                                        std::optional<std::uint32_t> gpu_count,
                                                        std::uint32_t found);

} // namespace keyswap::tools
