#pragma once

#include "traces/errors/input_error.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
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

} // namespace keyswap
