#pragma once

#include "traces/errors/input_error.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace keyswap {

/// The minimum number of insertions, deletions, substitutions and transpositions of adjacent
/// letters that turns one word into the other (optimal string alignment).
[[nodiscard]] int edit_distance(std::string_view left, std::string_view right);

/// The most likely intended name, ignoring case: the first with the smallest edit distance, at most
/// a third of the word's letters (or 1); else one with a common prefix or substring; else nullopt.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::span<std::string const> known);

/// Collects the candidate names during a look-up and, if the look-up fails, formats the error
/// message that lists them.
class KnownNames {
  public:
    KnownNames() = default;
    /// \param name_of maps an element of a table to its name
    template <std::ranges::input_range Table, class NameOf = std::identity>
    explicit KnownNames(Table const& table, NameOf name_of = {}) {
        for (auto const& row : table) {
            add(std::invoke(name_of, row));
        }
    }

    void add(std::string_view name) { names_.emplace_back(name); }

    /// "a, b, c"
    [[nodiscard]] std::string list() const;

    /// "known: a, b, c", preceded by "did you mean 'b'?" if a candidate is close to `name`.
    /// \param beginning, end text before and after the list
    [[nodiscard]] std::string remedy(std::string_view name,
                                     std::string_view beginning = "known: ",
                                     std::string_view end = {}) const;

    /// "subject: 'name' is not known (known: a, b, c)"
    [[nodiscard]] tl::unexpected<InputError> not_known(std::string subject,
                                                       std::string_view name) const;

  private:
    std::vector<std::string> names_;
};

/// The row of a table with this name, as a pointer; the row itself if rows are pointers.
/// \param what subject of the error for an unknown name: "algorithm"
template <std::ranges::forward_range Table, class NameOf>
[[nodiscard]] auto
find_named(Table const& table, NameOf name_of, std::string_view name, std::string what) {
    using Row = std::ranges::range_value_t<Table>;
    using Found = std::conditional_t<std::is_pointer_v<Row>, Row, Row const*>;
    auto const found = std::ranges::find(table, name, name_of);
    if (found == std::ranges::end(table)) {
        return Expected<Found>(KnownNames(table, name_of).not_known(std::move(what), name));
    }
    if constexpr (std::is_pointer_v<Row>) {
        return Expected<Found>(*found);
    } else {
        return Expected<Found>(&*found);
    }
}

} // namespace keyswap
