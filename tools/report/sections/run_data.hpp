#pragma once

#include "tools/report/run_view.hpp"
#include "tools/text/json.hpp"

#include <span>

namespace keyswap::tools {

/// A planned or recorded sort as input of the page's script (DATA.md).
[[nodiscard]] Json run_data(RunView const& view);

/// Data sent between GPUs, summed over groups of GPUs if there are many.
/// \param cells [gpus * gpus] keys or bytes; rows send
[[nodiscard]] Json matrix_data(std::span<std::uint64_t const> cells, std::size_t gpus);

/// Percentage of a whole: "12.5 %"; "0 %" if the whole is 0.
[[nodiscard]] std::string percent_label(std::uint64_t part, std::uint64_t whole);

/// Names and values of all settings of a run, for display.
[[nodiscard]] Json configuration_rows(RunHeader const& header);

/// As configuration_rows(), for operations other than sorts. \param rule of the buckets, or empty
[[nodiscard]] Json operation_configuration_rows(RunHeader const& header, std::string const& rule);

/// As configuration_rows(), for a third-party sort, whose digits and GPUs are unknown.
[[nodiscard]] Json third_party_configuration_rows(RunHeader const& header);

} // namespace keyswap::tools
