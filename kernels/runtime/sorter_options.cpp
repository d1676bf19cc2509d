#include "kernels/runtime/sorter_options.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/runtime/sort_driver.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

/// A border must not move beyond the middle of a neighbour's chunk.
constexpr std::uint32_t tolerance_ppm_max = 500'000;

std::string list_of(std::span<std::string_view const> sorts) {
    std::string names;
    for (std::string_view const name : sorts) {
        names += (names.empty() ? " " : ", ") + std::string{name};
    }
    return names;
}

} // namespace

std::optional<SortError> option_error(SortOptions const& options) {
    if (!runs_on_gpus(*options.choice.algorithm)) {
        return refused(full_name(options.choice) + " does not run on GPUs. Use one of" +
                       list_of(gpu_sorts()) + ".");
    }
    if (!runs_on_gpus(*options.choice.algorithm, options.key_type)) {
        return refused(full_name(options.choice) + " does not sort keys of 128 bits on GPUs. Use" +
                       list_of(wide_gpu_sorts()) + ".");
    }
    if (options.devices.empty() || options.devices.size() > gpu_count_max) {
        return refused("a sort needs 1 to " + std::to_string(gpu_count_max) + " GPUs, not " +
                       std::to_string(options.devices.size()) + ". Name fewer.");
    }
    if (options.digit_bits < 1 || options.digit_bits > digit_bits_max) {
        return refused("a digit has 1 to " + std::to_string(digit_bits_max) +
                       " bits on a GPU (its histogram lies in shared memory), not " +
                       std::to_string(options.digit_bits) + ". The paper uses 8.");
    }
    ParameterInfo const* const digits = find_parameter(*options.choice.algorithm, "digit-bits");
    if (digits != nullptr && static_cast<std::uint64_t>(options.digit_bits) > digits->most) {
        return refused("a digit of " + full_name(options.choice) + " has at most " +
                       std::to_string(digits->most) + " bits, not " +
                       std::to_string(options.digit_bits) + ".");
    }
    if (options.choice.algorithm->gpus == GpuCounts::one && options.devices.size() > 1) {
        return refused(full_name(options.choice) + " does not run on " +
                       std::to_string(options.devices.size()) + " GPUs. Name one.");
    }
    if (options.tolerance_ppm > tolerance_ppm_max) {
        return refused("a tolerance of " + std::to_string(options.tolerance_ppm) +
                       " ppm is more than half a chunk. The paper uses 5000.");
    }
    constexpr std::uint32_t leaf_least = 64;
    if (options.tuning.leaf_max.value_or(leaf_least) < leaf_least) {
        return refused("a block sorts 64 keys or more, not " +
                       std::to_string(*options.tuning.leaf_max) + ". Leave leaf_max out.");
    }
    if (auto const valid = validated_parameters(*options.choice.algorithm, options); !valid) {
        return refused(valid.error().message() + ".");
    }
    if (options.stability == Stability::stable &&
        options.choice.algorithm->stability == Stability::unstable) {
        return refused(full_name(options.choice) +
                       " is not stable: it changes the order of equal keys. Use rmg or het-merge.");
    }
    if (options.zero_order == ZeroOrder::equal && is_floating(options.key_type)) {
        return refused("-0.0 = +0.0 is not supported on GPUs. Use the total order, in which -0.0 "
                       "comes before +0.0: its result is in order under both.");
    }
    return std::nullopt;
}

SortDriver const& driver_of(SortOptions const& options) {
    auto const drivers = sort_drivers();
    auto const found = std::ranges::find(
        drivers, options.choice.algorithm->name, [](SortDriver const* each) { return each->name; });
    KEYSWAP_EXPECTS(found != drivers.end());
    return **found;
}

PlacementRule placement_rule(SortOptions const& options, std::uint64_t key_count) {
    auto const gpus = static_cast<std::uint32_t>(options.devices.size());
    std::uint64_t const chunk = key_count / gpus + (key_count % gpus != 0 ? 1 : 0);
    return {std::max<std::uint64_t>(chunk, 1), share_of_chunk(chunk, options.tolerance_ppm), gpus};
}

ElementShape element_shape(SortOptions const& options) {
    return {static_cast<int>(key_size_bytes(options.key_type)),
            static_cast<int>(value_size_bytes(options.value_type))};
}

KeyShape key_shape(SortOptions const& options) {
    return {key_bits(options.key_type), options.digit_bits};
}

int child_bits(SortOptions const& options) {
    SortDriver const& driver = driver_of(options);
    return driver.child_bits == nullptr ? options.digit_bits : driver.child_bits(options);
}

} // namespace keyswap::kernels
