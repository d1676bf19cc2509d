#include "model/sorts/sample/sample_model.hpp"

namespace keyswap::model {

namespace {

/// Two ways; the pivot is the lower of two keys in the first pass, a sample median in later ones.
std::unique_ptr<Refinement const> quicksort_refinement(SortConfig const& config) {
    return std::make_unique<SplitterRefinement>(
        key_bits(config.key_type),
        SampleParameters{2, 1, parameter_of(config, "quicksort", "sample-seed")});
}

} // namespace

Algorithm const& quicksort_model() {
    static constexpr Algorithm algorithm{
        "quicksort", Division::buckets, plan_refined<quicksort_refinement>, quicksort_refinement};
    return algorithm;
}

} // namespace keyswap::model
