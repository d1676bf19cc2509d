#pragma once

/// \file Text for the distribution and GPUs of a sort request.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// The given parameter, else the distribution's default; nullopt if it has no parameter.
[[nodiscard]] std::optional<double> resolved_parameter(std::string_view distribution,
                                                       std::optional<double> given);

/// Distribution with parameter: "uniform", "zipf(1)".
[[nodiscard]] std::string distribution_text(std::string_view distribution,
                                            std::optional<double> given);

/// Compact list "0,2,4-6": runs of three or more become ranges.
[[nodiscard]] std::string gpu_set_text(std::vector<std::uint32_t> const& gpus);

/// List with noun: "GPU 0", "GPUs 0,2,4-6".
[[nodiscard]] std::string gpu_set_name(std::vector<std::uint32_t> const& gpus);

} // namespace keyswap::tools
