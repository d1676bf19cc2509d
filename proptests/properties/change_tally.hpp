#pragma once

/// \file Counts the changes of each field and how the checker found them, for a table.

#include "model/verify/verify_report.hpp"
#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

namespace keyswap::proptests {

/// Outcomes of the changes of one field.
struct ChangeTally {
    std::size_t changes = 0;
    std::size_t harmless = 0;
    std::map<std::string, std::size_t> found_as; ///< number by verdict
};

/// By field: "copy.count".
using ChangeTallies = std::map<std::string, ChangeTally>;

/// How the checker found the change; nullopt if it did not.
[[nodiscard]] std::optional<std::string> found_as(Expected<model::verify::Report> const& changed,
                                                  model::verify::Report const& unchanged);

/// Expects that each field was changed and that the checker found at least one of its changes.
void expect_found(ChangeTallies& tallies, std::initializer_list<char const*> fields);

/// Prints the table summarized in proptests/FIGURES.md.
/// \return number of changes outside headers
std::size_t print_tallies(ChangeTallies const& tallies);

} // namespace keyswap::proptests
