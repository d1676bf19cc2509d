#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/rmg_sort_plan.hpp"
#include "model/sorts/sample/sample_sort.hpp"
#include "traces/catalog/parameters.hpp"

namespace keyswap::model {

namespace {

constexpr std::string_view name = "sample-sort";

std::uint64_t value_named(SortConfig const& config, std::string_view parameter) {
    return value_of(config, *find_parameter(**find_algorithm_info(name), parameter));
}

std::unique_ptr<Refinement const> refinement(SortConfig const& config) {
    SampleParameters const parameters{
        static_cast<std::uint32_t>(value_named(config, "ways")),
        static_cast<std::uint32_t>(value_named(config, "oversampling")),
        value_named(config, "sample-seed")};
    return std::make_unique<SplitterRefinement>(key_bits(config.key_type), parameters);
}

Expected<SortPlanPointer> plan(SortConfig const& config, KeySource& source) {
    return plan_refined_sort(config, *refinement(config), source).map(rmg_sort_plan);
}

} // namespace

Algorithm const& sample_sort_model() {
    static constexpr Algorithm algorithm{name, Division::buckets, plan, refinement};
    return algorithm;
}

} // namespace keyswap::model
