#include "model/sorts/merge/het_merge.hpp"
#include "model/sorts/merge/merge_model.hpp"

namespace keyswap::model {

Algorithm const& het_merge_model() {
    static constexpr Algorithm algorithm{
        "het-merge", Division::runs, plan_merge<plan_het_merge_sort>, nullptr, false};
    return algorithm;
}

} // namespace keyswap::model
