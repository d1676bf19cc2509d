#pragma once

#include "traces/errors/input_error.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap {

/// The least number of letters to insert, drop, replace or swap with a neighbour that turns one
/// word into the other (optimal string alignment).
[[nodiscard]] int edit_distance(std::string_view left, std::string_view right);

/// The known word that `word` was most likely meant to be: the nearest, where at most a third of
/// its letters (at least one) differ; of equally near ones the first.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::span<std::string const> known);

/// The names that a thing may have, gathered while one is looked for among them, and what is said
/// where it is not there.
class KnownNames {
  public:
    void add(std::string_view name) { names_.emplace_back(name); }

    /// "a, b, c"
    [[nodiscard]] std::string list() const;

    /// "known: a, b, c", with "did you mean 'b'?" before it where a name is near the one that was
    /// looked for. \param beginning, end what stands around the list
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
