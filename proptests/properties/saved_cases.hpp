#pragma once

/// \file Persistent counterexamples: they are saved, and tried first in the next run.

#include "proptests/properties/sort_case.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <rapidcheck.h>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Sorts a case and checks it. \returns the problem; nullopt if there is none
using CaseCheck = std::function<std::optional<std::string>(SortCase const&)>;

/// A case and the file from which it was loaded.
struct SavedCase {
    std::filesystem::path path;
    SortCase sort_case;
};

/// All cases of a folder, ordered by file name; empty if the folder does not exist.
[[nodiscard]] Expected<std::vector<SavedCase>> load_cases(std::filesystem::path const& folder);

/// Saves a case under a name derived from the property and the case's hash. \returns its path
[[nodiscard]] Expected<std::filesystem::path> save_case(std::filesystem::path const& folder,
                                                        std::string const& property,
                                                        SortCase const& sort_case);

/// Result of checking a property.
struct PropertyOutcome {
    bool holds = true;
    std::optional<SortCase> counterexample; ///< smallest one found
    std::string problem;                    ///< why the counterexample fails
    std::filesystem::path saved;            ///< file of the saved counterexample
};

/// The first saved case that fails, if any.
[[nodiscard]] PropertyOutcome check_saved(std::vector<std::filesystem::path> const& folders,
                                          CaseCheck const& check);

/// RapidCheck shrinks each part of a case independently, so it stops where only a combined change
/// helps (fewer keys need a larger fusing threshold). shrink_case() continues from there.
void shrink_further(PropertyOutcome& outcome, CaseCheck const& check);

/// Checks the saved cases of `folders`, then random ones; a counterexample is shrunk and saved in
/// the last folder.
/// \param generator random cases, which RapidCheck can shrink
template <class Generator>
[[nodiscard]] PropertyOutcome check_cases(std::string const& property,
                                          std::vector<std::filesystem::path> const& folders,
                                          Generator const& generator,
                                          CaseCheck const& check) {
    PropertyOutcome outcome = check_saved(folders, check);
    if (!outcome.holds) {
        return outcome;
    }
    // While RapidCheck shrinks, each smaller failing case replaces the previous one. Slow cases are
    // left to shrink_case(), which first makes them cheap.
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
