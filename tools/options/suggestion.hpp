#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// The least number of letters to insert, drop, replace or swap with a neighbour that turns one
/// word into the other (optimal string alignment).
[[nodiscard]] int edit_distance(std::string_view left, std::string_view right);

/// The known word that `word` was most likely meant to be: the nearest, where at most a third of
/// its letters (at least one) differ; of equally near ones the first.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::vector<std::string> const& known);

} // namespace keyswap::tools
