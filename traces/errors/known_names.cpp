#include "traces/errors/known_names.hpp"

#include "traces/errors/joined_text.hpp"
#include "traces/errors/lower_case.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace keyswap {

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

namespace {

constexpr std::size_t beginning_size_min = 2; ///< letters; one is a prefix of too many words
constexpr std::size_t part_size_min = 3;

} // namespace

std::optional<std::string> nearest_word(std::string_view word, std::span<std::string const> known) {
    std::string const meant = lower_case(word);
    int best = std::max(1, static_cast<int>(meant.size()) / 3) + 1;
    std::optional<std::string> nearest;
    for (auto const& candidate : known) {
        int const distance = edit_distance(meant, lower_case(candidate));
        if (distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    auto const first_where = [&](auto&& is_meant) -> std::optional<std::string> {
        auto const found = std::ranges::find_if(
            known, [&](std::string const& candidate) { return is_meant(lower_case(candidate)); });
        return found != known.end() ? std::optional(*found) : std::nullopt;
    };
    if (!nearest && meant.size() >= beginning_size_min) {
        nearest = first_where([&](std::string_view lower) { return lower.starts_with(meant); });
    }
    if (!nearest && meant.size() >= part_size_min) {
        nearest = first_where([&](std::string_view lower) {
            return lower.find(meant) != std::string_view::npos ||
                   (lower.size() >= part_size_min && meant.find(lower) != std::string::npos);
        });
    }
    return nearest;
}

std::string KnownNames::list() const {
    return joined_text(names_, ", ");
}

std::string
KnownNames::remedy(std::string_view name, std::string_view beginning, std::string_view end) const {
    std::string text = std::string(beginning) + list() + std::string(end);
    if (auto const meant = nearest_word(name, names_)) {
        text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
        text = "did you mean '" + *meant + "'? " + text;
    }
    return text;
}

tl::unexpected<InputError> KnownNames::not_known(std::string subject, std::string_view name) const {
    return tl::unexpected(
        InputError{std::move(subject), "'" + std::string(name) + "' is not known", remedy(name)});
}

} // namespace keyswap
