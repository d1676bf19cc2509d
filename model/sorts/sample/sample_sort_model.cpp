#include "model/sorts/sample/sample_model.hpp"

namespace keyswap::model {

namespace {

constexpr std::string_view name = "sample-sort";

std::unique_ptr<Refinement const> sample_refinement(SortConfig const& config) {
    SampleParameters const parameters{
        static_cast<std::uint32_t>(parameter_of(config, name, "ways")),
        static_cast<std::uint32_t>(parameter_of(config, name, "oversampling")),
        parameter_of(config, name, "sample-seed")};
    return std::make_unique<SplitterRefinement>(key_bits(config.key_type), parameters);
}

} // namespace

Algorithm const& sample_sort_model() {
    static constexpr Algorithm algorithm{
        name, Division::buckets, plan_refined<sample_refinement>, sample_refinement};
    return algorithm;
}

} // namespace keyswap::model
