#pragma once

#include "tools/report/run_view.hpp"
#include "tools/text/json.hpp"

#include <span>

namespace keyswap::tools {

/// A planned or recorded sort as the page's script reads it (DATA.md).
[[nodiscard]] Json run_data(RunView const& view);

/// What each GPU sends to each, summed over blocks of GPUs where they are many.
/// \param cells [gpus * gpus] keys or bytes; rows send
[[nodiscard]] Json matrix_data(std::span<std::uint64_t const> cells, std::size_t gpus);

/// A count as a share of a whole: "12.5 %"; "0 %" of nothing.
[[nodiscard]] std::string percent_label(std::uint64_t part, std::uint64_t whole);

/// Name and value of everything that decided the run, for people.
[[nodiscard]] Json configuration_rows(RunHeader const& header);

/// The same for what is not a sort. \param rule of its buckets; empty if none is recorded
[[nodiscard]] Json operation_configuration_rows(RunHeader const& header, std::string const& rule);

/// The same for a sort of others, which has neither digits nor GPUs that anything is known of.
[[nodiscard]] Json foreign_configuration_rows(RunHeader const& header);

} // namespace keyswap::tools
