#pragma once

#include "model/keys/key_recipe.hpp"
#include "traces/errors/input_error.hpp"

#include <span>
#include <string_view>

namespace keyswap::model {

/// The one parameter that a distribution may have.
struct DistributionParameter {
    std::string_view name; ///< empty: it has none
    double standard = 0;   ///< taken where none is given
    double min = 0;
    double max = 0;
    bool whole = false; ///< whole numbers only
};

/// A named way to make keys.
struct Distribution {
    std::string_view name;
    DistributionParameter parameter;
    std::string_view definition; ///< one sentence
    std::string_view source;     ///< where it comes from
    KeyRecipe (*recipe)(RecipeRequest const&);
};

/// All of them, in the order in which they are listed.
[[nodiscard]] std::span<Distribution const> distributions();

/// The distribution of that name, or an error that lists the names.
[[nodiscard]] Expected<Distribution const*> find_distribution(std::string_view name);

} // namespace keyswap::model
