#pragma once

#include "proptests/properties/saved_cases.hpp"

#include <rapidcheck.h>

namespace keyswap::proptests {

/// The first saved case that fails, if one does.
[[nodiscard]] PropertyOutcome check_saved(std::vector<std::filesystem::path> const& folders,
                                          CaseCheck const& check);

/// RapidCheck shrinks each part of a case by itself, and so stops where only two changes together
/// lead on: fewer keys need a larger fusing threshold. From there on shrink_case does it.
void shrink_further(PropertyOutcome& outcome, CaseCheck const& check);

template <class Generator>
PropertyOutcome check_cases(std::string const& property,
                            std::vector<std::filesystem::path> const& folders,
                            Generator const& generator,
                            CaseCheck const& check) {
    PropertyOutcome outcome = check_saved(folders, check);
    if (!outcome.holds) {
        return outcome;
    }
    // While RapidCheck shrinks, each smaller case that still fails replaces the one before. Cases
    // that take long are left to shrink_case, which first makes them cheap.
    constexpr std::size_t shrink_tries_max = 100;
    std::size_t shrink_tries = 0;
    outcome.holds = rc::check(property, [&] {
        SortCase const sort_case = *generator;
        if (outcome.counterexample && ++shrink_tries > shrink_tries_max) {
            return;
        }
        if (auto const problem = check(sort_case)) {
            outcome.counterexample = sort_case;
            outcome.problem = *problem;
            RC_FAIL(*problem);
        }
    });
    if (outcome.counterexample) {
        shrink_further(outcome, check);
    }
    if (outcome.counterexample && !folders.empty()) {
        if (auto const saved = save_case(folders.back(), property, *outcome.counterexample)) {
            outcome.saved = *saved;
        }
    }
    return outcome;
}

} // namespace keyswap::proptests
