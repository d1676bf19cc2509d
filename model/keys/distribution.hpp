#pragma once

#include "model/keys/key_recipe.hpp"
#include "traces/errors/input_error.hpp"

#include <span>
#include <string_view>

namespace keyswap::model {

/// The one parameter that a distribution may have.
struct DistributionParameter {
    std::string_view name;    ///< empty: it has none
    double default_value = 0; ///< if none is given
    double min = 0;
    double max = 0;
    bool whole = false; ///< whole numbers only
};

/// What stands below the upper 64 bits of a key of 128 bits, which are made as a u64 (or an i64).
enum class LowWord {
    zero,  ///< keys that are equal, or in order, by their upper half stay so
    random ///< 64 bits of a stream of their own
};

/// A named way to make keys.
struct Distribution {
    std::string_view name;
    DistributionParameter parameter;
    std::string_view definition; ///< one sentence; of 128-bit keys about their upper half
    std::string_view source;     ///< where it comes from
    KeyRecipe (*recipe)(RecipeRequest const&);
    LowWord low_word = LowWord::zero;
};

/// All of them, in the order in which they are listed.
[[nodiscard]] std::span<Distribution const> distributions();

/// The distribution of that name, or an error that lists the names.
[[nodiscard]] Expected<Distribution const*> find_distribution(std::string_view name);

} // namespace keyswap::model
