#include "model/sorts/sample/sample_model.hpp"

namespace keyswap::model {

namespace {

std::unique_ptr<Refinement const> uniform_refinement(SortConfig const& config) {
    return std::make_unique<UniformRefinement>(
        key_bits(config.key_type),
        static_cast<std::uint32_t>(parameter_of(config, "uniform-buckets", "ways")));
}

} // namespace

Algorithm const& uniform_buckets_model() {
    static constexpr Algorithm algorithm{
        "uniform-buckets", Division::buckets, plan_refined<uniform_refinement>, uniform_refinement};
    return algorithm;
}

} // namespace keyswap::model
