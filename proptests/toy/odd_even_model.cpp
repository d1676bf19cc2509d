#include "model/sorts/merge/merge_model.hpp"
#include "proptests/toy/odd_even_plan.hpp"

namespace keyswap::model {

Algorithm const& odd_even_model() {
    static constexpr Algorithm algorithm{
        "odd-even", Division::runs, plan_merge<plan_odd_even_sort>};
    return algorithm;
}

} // namespace keyswap::model
