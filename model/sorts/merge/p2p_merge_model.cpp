#include "model/sorts/merge/merge_model.hpp"
#include "model/sorts/merge/p2p_merge.hpp"

namespace keyswap::model {

Algorithm const& p2p_merge_model() {
    static constexpr Algorithm algorithm{
        "p2p-merge", Division::runs, plan_merge<plan_p2p_merge_sort>};
    return algorithm;
}

} // namespace keyswap::model
