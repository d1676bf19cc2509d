#pragma once

#include "model/plan/sort_config.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// One input of a sort: the configuration, and the keys as order-preserving images. Small and
/// readable, so that counterexamples can be committed to the repository.
struct SortCase {
    model::SortConfig config; ///< key_count is images.size()
    std::vector<std::uint64_t> images;
    friend bool operator==(SortCase const&, SortCase const&) = default;
};

/// Formats a case as a JSON object on one line.
[[nodiscard]] std::string to_text(SortCase const& sort_case);

/// Prints a counterexample; called by RapidCheck.
void showValue(SortCase const& sort_case, std::ostream& out);

/// The inverse of to_text(). \param name subject of errors
[[nodiscard]] Expected<SortCase> parse_sort_case(std::string const& text, std::string const& name);

} // namespace keyswap::proptests
