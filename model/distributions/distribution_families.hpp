#pragma once

/// \file The recipes of all distributions, one source file per family.

#include "model/distributions/key_recipe.hpp"

namespace keyswap::model {

// From the RMG paper (distribution_{continuous,zipf,ordered}.cpp).
[[nodiscard]] KeyRecipe uniform_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe normal_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe zero_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe skewed_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe published_skewed_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe zipf_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe published_zipf_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe sorted_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe reverse_sorted_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe nearly_sorted_recipe(KeyRequest const&);

// From the sample-sort benchmark (distribution_continuous.cpp, distribution_blocks.cpp).
[[nodiscard]] KeyRecipe gaussian_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe bucket_sorted_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe staggered_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe g_group_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe deterministic_duplicates_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe randomized_duplicates_recipe(KeyRequest const&);

// From the multisplit paper (distribution_multisplit.cpp).
[[nodiscard]] KeyRecipe binomial_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe alpha_uniform_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe identity_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe below_recipe(KeyRequest const&);

// Imitations of real columns with few distinct values (distribution_low_cardinality.cpp).
[[nodiscard]] KeyRecipe whole_numbers_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe shifted_codes_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe prices_recipe(KeyRequest const&);
[[nodiscard]] KeyRecipe dates_recipe(KeyRequest const&);

} // namespace keyswap::model
