#pragma once

/// \file The recipes of all distributions, one source file per family.

#include "model/distributions/key_recipe.hpp"

namespace keyswap::model {

// From the RMG paper (distribution_{continuous,zipf,ordered}.cpp).
[[nodiscard]] KeyRecipe uniform_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe normal_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe zero_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe skewed_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe published_skewed_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe zipf_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe published_zipf_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe sorted_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe reverse_sorted_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe nearly_sorted_recipe(RecipeRequest const&);

// From the sample-sort benchmark (distribution_continuous.cpp, distribution_blocks.cpp).
[[nodiscard]] KeyRecipe gaussian_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe bucket_sorted_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe staggered_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe g_group_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe deterministic_duplicates_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe randomized_duplicates_recipe(RecipeRequest const&);

// From the multisplit paper (distribution_multisplit.cpp).
[[nodiscard]] KeyRecipe binomial_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe alpha_uniform_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe identity_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe below_recipe(RecipeRequest const&);

// Imitations of real columns with few distinct values (distribution_low_cardinality.cpp).
[[nodiscard]] KeyRecipe whole_numbers_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe shifted_codes_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe prices_recipe(RecipeRequest const&);
[[nodiscard]] KeyRecipe dates_recipe(RecipeRequest const&);

} // namespace keyswap::model
