#include "tools/options/suggestion.hpp"

#include <algorithm>
#include <cstddef>

namespace keyswap::tools {

int edit_distance(std::string_view left, std::string_view right) {
    std::size_t const width = right.size() + 1;
    std::vector<int> two_above(width);
    std::vector<int> above(width);
    std::vector<int> row(width);
    for (std::size_t column = 0; column < width; ++column) {
        row[column] = static_cast<int>(column);
    }
    for (std::size_t i = 1; i <= left.size(); ++i) {
        two_above.swap(above);
        above.swap(row);
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j < width; ++j) {
            int const replaced = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            bool const crossed =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (crossed) {
                row[j] = std::min(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return row.back();
}

std::optional<std::string> nearest_word(std::string_view word,
                                        std::vector<std::string> const& known) {
    int best = std::max(1, static_cast<int>(word.size()) / 3) + 1;
    std::optional<std::string> nearest;
    for (auto const& candidate : known) {
        int const distance = edit_distance(word, candidate);
        if (distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

} // namespace keyswap::tools
