/// \file Sorts that divide buckets by a refinement in place of digits: in the model they differ in
/// their refinements alone.

#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/rmg_sort_plan.hpp"
#include "model/sorts/sample/refined_planner.hpp"
#include "traces/catalog/parameters.hpp"

namespace keyswap::model {

namespace {

/// A parameter's value in a configuration. \pre the algorithm has it
std::uint64_t
parameter_of(SortConfig const& config, std::string_view algorithm, std::string_view parameter) {
    return value_of(config, *find_parameter(**find_algorithm_info(algorithm), parameter));
}

std::uint32_t ways_of(SortConfig const& config, std::string_view algorithm) {
    return static_cast<std::uint32_t>(parameter_of(config, algorithm, "ways"));
}

std::unique_ptr<Refinement const> sample_refinement(SortConfig const& config) {
    constexpr std::string_view name = "sample-sort";
    SampleParameters const parameters{
        ways_of(config, name),
        static_cast<std::uint32_t>(parameter_of(config, name, "oversampling")),
        parameter_of(config, name, "sample-seed")};
    return std::make_unique<SplitterRefinement>(key_bits(config.key_type), parameters);
}

/// Two ways; the pivot is the lower of two keys in the first pass, a median of those drawn later.
std::unique_ptr<Refinement const> quicksort_refinement(SortConfig const& config) {
    return std::make_unique<SplitterRefinement>(
        key_bits(config.key_type),
        SampleParameters{2, 1, parameter_of(config, "quicksort", "sample-seed")});
}

std::unique_ptr<Refinement const> uniform_refinement(SortConfig const& config) {
    return std::make_unique<UniformRefinement>(key_bits(config.key_type),
                                               ways_of(config, "uniform-buckets"));
}

template <std::unique_ptr<Refinement const> (*refinement)(SortConfig const&)>
Expected<SortPlanPointer> plan_refined(SortConfig const& config, KeySource& source) {
    return plan_refined_sort(config, *refinement(config), source).map(rmg_sort_plan);
}

} // namespace

Algorithm const& sample_sort_model() {
    static constexpr Algorithm algorithm{
        "sample-sort", Division::buckets, plan_refined<sample_refinement>, sample_refinement};
    return algorithm;
}

Algorithm const& quicksort_model() {
    static constexpr Algorithm algorithm{
        "quicksort", Division::buckets, plan_refined<quicksort_refinement>, quicksort_refinement};
    return algorithm;
}

Algorithm const& uniform_buckets_model() {
    static constexpr Algorithm algorithm{
        "uniform-buckets", Division::buckets, plan_refined<uniform_refinement>, uniform_refinement};
    return algorithm;
}

} // namespace keyswap::model
