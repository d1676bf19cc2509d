#include "model/distributions/distribution_families.hpp"
#include "model/distributions/value_domain.hpp"

namespace keyswap::model {

namespace {

KeyRecipe uniform_in_order(KeyRequest const& request, Draw draw) {
    Segment segment;
    segment.draw = draw;
    return {uniform_table(request.key_type), {segment}, 0};
}

} // namespace

KeyRecipe sorted_recipe(KeyRequest const& request) {
    return uniform_in_order(request, Draw::ascending);
}

KeyRecipe reverse_sorted_recipe(KeyRequest const& request) {
    return uniform_in_order(request, Draw::descending);
}

KeyRecipe nearly_sorted_recipe(KeyRequest const& request) {
    KeyRecipe recipe = uniform_in_order(request, Draw::mostly_ascending);
    uint128 const share = to_fixed_point(*request.parameter);
    recipe.random_share =
        share == two_to_64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(share);
    return recipe;
}

} // namespace keyswap::model
