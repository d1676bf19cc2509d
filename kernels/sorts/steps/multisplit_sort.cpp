/// \file Multisplit-sort (Ashkiani et al.: GPU Multisplit, TOPC 2017, section 7): floor(K / r)
/// steps of r bits, then one of the remaining K mod r bits. Variant `published` uses method `block`
/// for each step. Variant `fast` uses `fused` and counts the digits of all steps in one read; with
/// 8-bit digits this is Onesweep (Adinets, Merrill, 2022).

#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "kernels/sorts/steps/step_digits.hpp"
#include "kernels/sorts/steps/step_sort.hpp"

namespace keyswap::kernels {

namespace {

StepSchedule multisplit_schedule(SortOptions const& options) {
    KeyShape const shape = key_shape(options);
    return {options.choice.variant->name == "fast" ? MultisplitMethod::fused
                                                   : MultisplitMethod::block,
            step_digits(shape.key_bits, shape.digit_bits, 0)};
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

} // namespace keyswap::kernels
