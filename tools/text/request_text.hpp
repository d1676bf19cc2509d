#pragma once

/// \file What was asked of a sort, in words: its keys' distribution and its GPUs.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// The distribution's parameter: the given one, else its default; nullopt if it has none.
[[nodiscard]] std::optional<double> resolved_parameter(std::string_view distribution,
                                                       std::optional<double> given);

/// "uniform", "zipf(1)".
[[nodiscard]] std::string distribution_text(std::string_view distribution,
                                            std::optional<double> given);

/// "0,2,4-6": runs of three and more are joined.
[[nodiscard]] std::string gpu_set_text(std::vector<std::uint32_t> const& gpus);

/// "GPU 0", "GPUs 0,2,4-6".
[[nodiscard]] std::string gpu_set_name(std::vector<std::uint32_t> const& gpus);

} // namespace keyswap::tools
