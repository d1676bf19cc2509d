/// \file Radix sort by splits (Satish et al.: Fast sort on CPUs, GPUs and Intel MIC architectures,
/// Intel report 2010, section 3.1): K / D LSD steps; a step sorts its tiles by D stable 1-bit
/// splits. A last digit of its own width gives the report's schedule for Knights Ferry: four digits
/// of 6 bits and one of 8.

#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "kernels/sorts/steps/step_digits.hpp"
#include "kernels/sorts/steps/step_sort.hpp"
#include "traces/catalog/parameters.hpp"

namespace keyswap::kernels {

namespace {

StepSchedule split_schedule(SortOptions const& options) {
    KeyShape const shape = key_shape(options);
    std::uint64_t const last_bits =
        value_of(options, *find_parameter(*options.choice.algorithm, "last-digit-bits"));
    return {MultisplitMethod::bit_split,
            step_digits(shape.key_bits, shape.digit_bits, static_cast<int>(last_bits))};
}

} // namespace

SortDriver const& split_radix_driver() {
    using Driver = StepDriver<split_schedule>;
    static constexpr SortDriver driver{.name = "split-radix",
                                       .scratch = Driver::scratch,
                                       .memory = Driver::memory,
                                       .sort = Driver::sort,
                                       .key_count_max = split_count_max};
    return driver;
}

} // namespace keyswap::kernels
