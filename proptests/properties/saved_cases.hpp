#pragma once

/// \file Counterexamples outlive the run that found them: they are saved, and run first next time.

#include "proptests/properties/sort_case.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Says what is wrong with a sort of the case; nothing where all is right.
using CaseCheck = std::function<std::optional<std::string>(SortCase const&)>;

/// A case with the file that it comes from.
struct SavedCase {
    std::filesystem::path path;
    SortCase sort_case;
};

/// All cases of a folder in the order of their names; none where there is no such folder.
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

/// Runs the saved cases of `folders`, then random ones; a counterexample is shrunk and saved in the
/// last folder.
/// \param generator makes random cases; RapidCheck shrinks them
template <class Generator>
[[nodiscard]] PropertyOutcome check_cases(std::string const& property,
                                          std::vector<std::filesystem::path> const& folders,
                                          Generator const& generator,
                                          CaseCheck const& check);

} // namespace keyswap::proptests

#include "proptests/properties/saved_cases_impl.hpp"
