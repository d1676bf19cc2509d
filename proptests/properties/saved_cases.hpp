#pragma once

/// \file Counterexamples outlive the run that found them: they are saved, and run first next time.

#include "proptests/properties/sort_case.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <rapidcheck.h>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// What is wrong with a sort of the case; nullopt if all is right.
using CaseCheck = std::function<std::optional<std::string>(SortCase const&)>;

/// A case with the file that it comes from.
struct SavedCase {
    std::filesystem::path path;
    SortCase sort_case;
};

/// All cases of a folder in the order of their names; none if there is no such folder.
[[nodiscard]] Expected<std::vector<SavedCase>> load_cases(std::filesystem::path const& folder);

/// Saves a case under a name made of the property's and the case's own hash, and returns its path.
[[nodiscard]] Expected<std::filesystem::path> save_case(std::filesystem::path const& folder,
                                                        std::string const& property,
                                                        SortCase const& sort_case);

/// What a property run found.
struct PropertyOutcome {
    bool holds = true;
    std::optional<SortCase> counterexample; ///< the smallest that was found
    std::string problem;                    ///< what is wrong with it
    std::filesystem::path saved;            ///< where it was saved
};

/// The first saved case that fails, if one does.
[[nodiscard]] PropertyOutcome check_saved(std::vector<std::filesystem::path> const& folders,
                                          CaseCheck const& check);

/// RapidCheck shrinks each part of a case by itself, and so stops where only two changes together
/// lead on: fewer keys need a larger fusing threshold. From there on shrink_case does it.
void shrink_further(PropertyOutcome& outcome, CaseCheck const& check);

/// Runs the saved cases of `folders`, then random ones; a counterexample is shrunk and saved in the
/// last folder.
/// \param generator makes random cases; RapidCheck shrinks them
template <class Generator>
[[nodiscard]] PropertyOutcome check_cases(std::string const& property,
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
