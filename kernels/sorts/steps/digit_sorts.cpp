/// \file LSD radix sorts of one GPU: they differ in the method of a step and in its digits.

#include "kernels/cpu/step_digits.hpp"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "kernels/sorts/steps/step_sort.hpp"
#include "traces/catalog/parameters.hpp"

namespace keyswap::kernels {

namespace {

/// Multisplit-sort (Ashkiani et al.: GPU Multisplit, TOPC 2017, section 7): floor(K / r)
/// steps of r bits, then one of the K mod r bits that are left. Variant `published` takes method
/// `block` for a step. Variant `fast` takes `fused` and counts the digits of all steps in one
/// reading, which at 8 bits is Onesweep (Adinets, Merrill, 2022).
StepSchedule multisplit_schedule(SortOptions const& options) {
    KeyShape const shape = key_shape(options);
    return {options.choice.variant->name == "fast" ? MultisplitMethod::fused
                                                   : MultisplitMethod::block,
            step_digits(shape.key_bits, shape.digit_bits, 0)};
}

/// Radix sort by splits (Satish et al.: Fast sort on CPUs, GPUs and Intel MIC architectures,
/// Intel report 2010, section 3.1): K / D steps from the lowest digit on; a step sorts its tiles
/// by D stable 1-bit splits. A last digit of another width gives the report's schedule for Knights
/// Ferry: four digits of 6 bits and one of 8.
StepSchedule split_schedule(SortOptions const& options) {
    KeyShape const shape = key_shape(options);
    std::uint64_t const last_bits =
        value_of(options, *find_parameter(*options.choice.algorithm, "last-digit-bits"));
    return {MultisplitMethod::bit_split,
            step_digits(shape.key_bits, shape.digit_bits, static_cast<int>(last_bits))};
}

} // namespace

SortDriver const& multisplit_sort_driver() {
    using Driver = StepDriver<multisplit_schedule>;
    static constexpr SortDriver driver{.name = "multisplit-sort",
                                       .scratch = Driver::scratch,
                                       .memory = Driver::memory,
                                       .sort = Driver::sort,
                                       .key_count_max = split_count_max};
    return driver;
}

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
