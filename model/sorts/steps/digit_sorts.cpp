/// \file LSD radix sorts, which in the model differ only in their names and digit widths.

#include "model/partition/step_plan.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/steps/step_sort_plan.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/contracts.hpp"

namespace keyswap::model {

namespace {

Expected<SortPlanPointer> plan(SortConfig const& config, KeySource& /*source*/) {
    return step_sort_plan(config,
                          digit_steps(even_digits(key_bits(config.key_type), config.digit_bits)));
}

Expected<SortPlanPointer> plan_with_last_digit(SortConfig const& config, KeySource& /*source*/) {
    auto const info = find_algorithm_info("split-radix");
    KEYSWAP_EXPECTS(info.has_value());
    std::uint64_t const last_bits = value_of(config, *find_parameter(**info, "last-digit-bits"));
    return step_sort_plan(config,
                          digit_steps(even_digits(key_bits(config.key_type),
                                                  config.digit_bits,
                                                  static_cast<int>(last_bits))));
}

} // namespace

Algorithm const& multisplit_sort_model() {
    static constexpr Algorithm algorithm{"multisplit-sort", Division::steps, plan, nullptr, false};
    return algorithm;
}

Algorithm const& split_radix_model() {
    static constexpr Algorithm algorithm{
        "split-radix", Division::steps, plan_with_last_digit, nullptr, false};
    return algorithm;
}

Algorithm const& buffered_radix_model() {
    static constexpr Algorithm algorithm{"buffered-radix", Division::steps, plan, nullptr, false};
    return algorithm;
}

} // namespace keyswap::model
