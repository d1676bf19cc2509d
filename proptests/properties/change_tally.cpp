#include "proptests/properties/change_tally.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace keyswap::proptests {

std::optional<std::string> found_as(Expected<model::verify::Report> const& changed,
                                    model::verify::Report const& unchanged) {
    if (!changed) {
        return "refused";
    }
    if (!changed->holds()) {
        return std::string(to_string(changed->differences.front().verdict));
    }
    // A renamed verdict takes the place of a missing one in the list.
    bool const lacks_other_verdict =
        std::ranges::any_of(changed->unchecked, [&](model::verify::Unchecked const& item) {
            return item.check == model::verify::Check::run_verdicts &&
                   std::ranges::find(unchanged.unchecked, item) == unchanged.unchecked.end();
        });
    bool const is_listed =
        lacks_other_verdict || changed->unchecked.size() > unchanged.unchecked.size();
    return is_listed ? std::optional<std::string>("listed as not checked") : std::nullopt;
}

void expect_found(ChangeTallies& tallies, std::initializer_list<char const*> fields) {
    for (char const* const field : fields) {
        EXPECT_GT(tallies[field].changes, tallies[field].harmless) << field;
    }
}

std::size_t print_tallies(ChangeTallies const& tallies) {
    std::size_t of_records = 0;
    std::cout << "| field | changes | found | harmless | found as |\n|---|---|---|---|---|\n";
    for (auto const& [field, tally] : tallies) {
        std::cout << "| `" << field << "` | " << tally.changes << " | "
                  << tally.changes - tally.harmless << " | " << tally.harmless << " |";
        char const* separator = " ";
        for (auto const& [verdict, count] : tally.found_as) {
            std::cout << separator << verdict << " " << count;
            separator = ", ";
        }
        std::cout << " |\n";
        of_records += field.starts_with("header.") ? 0 : tally.changes;
    }
    std::cout << of_records << " changes of records\n";
    return of_records;
}

} // namespace keyswap::proptests
