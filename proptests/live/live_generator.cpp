/// \file Random cases for real sorts. RapidCheck draws a few parameters from which the keys are
/// computed, so that a million keys do not need a million draws.

#include "proptests/live/live_case.hpp"

#include "model/buckets/chunks.hpp"
#include "model/partition/multisplit_method.hpp"
#include "model/ranks/rank_sort.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/placement.hpp"
#include "proptests/live/split_mix.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace keyswap::proptests {

namespace {

enum class LiveShape {
    any,
    one_value,
    few_distinct,
    zipf,            ///< Zipf-like, exponent about 1
    long_prefix,     ///< shared prefix that forces the last pass
    hot_bucket,      ///< most keys in one bucket
    runs_at_borders, ///< runs of one key that end within one key of the chunks' borders
    tolerance_edge,  ///< buckets whose ends lie E, E - 1 or E + 1 keys from a border
    special_floats,  ///< NaN and zero of either sign, infinities, denormals
    sorted,
    reversed
};
constexpr int shape_count = 11;

/// Width of an image, at most 64 bits.
int bits_of(model::SortConfig const& config) {
    return std::min(64, key_bits(config.key_type));
}

std::uint64_t mask_of(model::SortConfig const& config) {
    return bits_of(config) == 64 ? ~std::uint64_t{0} : 0xffffffffU;
}

std::uint64_t image_of_bits(model::SortConfig const& config, std::uint64_t bits) {
    std::uint64_t const sign = std::uint64_t{1} << (bits_of(config) - 1);
    return (bits & sign) != 0 ? ~bits & mask_of(config) : (bits | sign);
}

std::uint64_t special_float(model::SortConfig const& config, SplitMix64& random) {
    std::uint64_t const which = random.below(12);
    bool const wide = bits_of(config) == 64;
    std::uint64_t const exponent = wide ? 0x7ff0000000000000ULL : 0x7f800000ULL;
    std::uint64_t const sign = std::uint64_t{which % 2} << (bits_of(config) - 1);
    switch (which / 2) {
    case 0:
        return image_of_bits(config, sign); // -0.0 or +0.0
    case 1:
        return image_of_bits(config, sign | exponent); // infinities
    case 2:
        return image_of_bits(config, sign | exponent | (1 + random.below(7))); // NaN
    case 3:
        return image_of_bits(config, sign | mask_of(config) >> 1); // NaN of all ones
    case 4:
        return image_of_bits(config, sign | random.below(3)); // denormals and zeros
    default:
        return random.next() & mask_of(config);
    }
}

/// Random permutation of keys whose sorted values change only at indices near borders.
std::vector<std::uint64_t> stepped(model::SortConfig const& config,
                                   std::uint64_t distance_max,
                                   bool both_edges,
                                   SplitMix64& random) {
    model::Chunks const chunks(config.key_count, config.gpu_count);
    std::vector<std::uint64_t> steps;
    for (std::uint32_t gpu = 0; gpu + 1 < config.gpu_count; ++gpu) {
        std::uint64_t const border = std::min(config.key_count, chunks.border(GpuId{gpu}));
        std::uint64_t const jitter = random.below(3); // one less, exact, one more
        std::uint64_t const distance = both_edges ? distance_max + jitter : jitter;
        bool const below = random.below(2) == 0;
        std::uint64_t const less = distance > 0 ? distance - 1 : 0;
        steps.push_back(below ? border - std::min(border, less)
                              : std::min(config.key_count, border + less));
    }
    std::ranges::sort(steps);
    // Values differ in the first digit, or only in the low bits below a long common prefix.
    int const shift = random.below(2) == 0 ? bits_of(config) - config.digit_bits
                                           : static_cast<int>(random.below(8));
    std::uint64_t const base = shift < 8 ? (random.next() & mask_of(config)) >> 16 << 16 : 0;
    std::vector<std::uint64_t> images(config.key_count);
    std::size_t step = 0;
    for (std::uint64_t i = 0; i < images.size(); ++i) {
        while (step < steps.size() && steps[step] <= i) {
            ++step;
        }
        images[i] = (base + (std::uint64_t{step} << std::max(0, shift))) & mask_of(config);
    }
    for (std::size_t i = images.size(); i > 1; --i) { // Fisher-Yates shuffle
        std::swap(images[i - 1], images[random.below(i)]);
    }
    return images;
}

std::uint64_t single_image(LiveShape shape,
                           model::SortConfig const& config,
                           std::uint64_t base,
                           SplitMix64& random) {
    std::uint64_t const mask = mask_of(config);
    switch (shape) {
    case LiveShape::one_value:
        return base & mask;
    case LiveShape::few_distinct:
        return mix_bits(base + random.below(2 + base % 9)) & mask;
    case LiveShape::zipf:
        return (random.next() & mask) >> random.below(static_cast<std::uint64_t>(bits_of(config)));
    case LiveShape::long_prefix:
        return ((base & mask) & ~std::uint64_t{15}) | random.below(16);
    case LiveShape::hot_bucket:
        return random.below(10) < 7 ? ((base & mask) & ~std::uint64_t{0xff}) | random.below(256)
                                    : random.next() & mask;
    case LiveShape::special_floats:
        return special_float(config, random);
    default:
        return random.next() & mask;
    }
}

std::vector<std::uint64_t>
images_of(LiveShape shape, model::SortConfig const& config, std::uint64_t seed) {
    SplitMix64 random(seed);
    std::uint64_t const base = random.next();
    model::Chunks const chunks(config.key_count, config.gpu_count);
    if (shape == LiveShape::runs_at_borders) {
        return stepped(config, 0, false, random);
    }
    if (shape == LiveShape::tolerance_edge) {
        return stepped(config, model::tolerance_keys(chunks, config.tolerance_ppm), true, random);
    }
    std::vector<std::uint64_t> images(config.key_count);
    for (std::uint64_t& image : images) {
        image = single_image(shape, config, base, random);
    }
    if (shape == LiveShape::sorted || shape == LiveShape::reversed) {
        std::ranges::sort(images);
    }
    if (shape == LiveShape::reversed) {
        std::ranges::reverse(images);
    }
    return images;
}

/// Draws GPUs: all virtual on one device, or physical ones in random order.
std::vector<int> draw_devices(LiveLimits const& limits) {
    using rc::gen::inRange;
    // Single-GPU sorts take a path of their own.
    bool const alone = *inRange(0, 5) == 0 && !limits.over_nccl;
    auto const count = alone ? 1 : *inRange<std::uint32_t>(1, limits.gpu_count_max + 1);
    bool const virtual_ones =
        limits.device_count < 2 || (*rc::gen::arbitrary<bool>() && !limits.over_nccl);
    std::vector<int> devices(count, 0);
    if (virtual_ones) {
        return devices;
    }
    auto const real = static_cast<std::size_t>(limits.device_count);
    devices.resize(std::min<std::size_t>(count, real));
    std::iota(devices.begin(), devices.end(), 0);
    SplitMix64 random(*rc::gen::arbitrary<std::uint64_t>());
    for (std::size_t i = devices.size(); i > 1; --i) {
        std::swap(devices[i - 1], devices[random.below(i)]);
    }
    return devices;
}

/// Turns an RMG sort case into one that variant `fast` sorts by counting: 32-bit keys without
/// values, placed in one pass so that each GPU's images differ only in a few low bits.
void make_dense(LiveCase& live_case, std::uint64_t key_count, std::uint64_t seed) {
    model::SortConfig& config = live_case.config;
    live_case.variant = "fast";
    live_case.tuning.counting_min = 0;
    live_case.tuning.leading_bytes_min = 0;
    config.key_type = key_bits(config.key_type) == 32 ? config.key_type : KeyType::u32;
    config.value_type = ValueType::none;
    config.digit_bits = 8;
    config.tolerance_ppm = 100'000;
    config.key_count = key_count;
    SplitMix64 random(seed);
    std::uint64_t const middle = random.below(1U << 9) << 15;
    std::uint64_t const values = std::uint64_t{1} << random.below(16);
    live_case.images.resize(key_count);
    for (std::uint64_t& image : live_case.images) {
        std::uint64_t const share = random.below(config.gpu_count) * 256 / config.gpu_count;
        image = share << 24 | middle | random.below(values);
    }
}

/// A sort and variant that can be drawn.
struct DrawnSort {
    AlgorithmInfo const* algorithm = nullptr;
    VariantInfo const* variant = nullptr;
};

/// Weights by repetition: the first variant counts twice; sorts with several variants or with wide
/// keys count more.
std::vector<DrawnSort> drawn_sorts(LiveLimits const& limits) {
    std::vector<DrawnSort> sorts;
    for (model::Algorithm const* const algorithm : model::algorithms()) {
        AlgorithmInfo const& row = algorithm->info();
        if ((limits.has_sort != nullptr && !limits.has_sort(row, KeyType::u32)) ||
            (limits.over_nccl && !model::ranks_can_sort(*algorithm))) {
            continue;
        }
        bool const is_wide = limits.has_sort != nullptr && limits.has_sort(row, KeyType::u128);
        for (VariantInfo const& variant : row.variants) {
            std::size_t const times = &variant == &row.variants.front() ? 2 : 1;
            sorts.insert(
                sorts.end(), times * row.variants.size() * (is_wide ? 3 : 1), {&row, &variant});
        }
    }
    return sorts;
}

/// Sets the sort and its parameters to default, minimum or maximum.
void set_algorithm(LiveCase& live_case, DrawnSort const& sort) {
    live_case.algorithm = sort.algorithm->name;
    live_case.variant = sort.variant->name;
    for (ParameterInfo const& parameter : sort.algorithm->parameters) {
        set_value(live_case.config,
                  parameter,
                  *rc::gen::element(parameter.default_value, parameter.least, parameter.most));
    }
}

/// Draws a sort that swaps keys in rounds and sorts them level by level, however few there are,
/// because these have the most code paths; any sort if there is none.
void draw_sort_in_rounds(LiveCase& live_case, std::vector<DrawnSort> const& all) {
    std::vector<DrawnSort> in_rounds;
    std::ranges::copy_if(all, std::back_inserter(in_rounds), [](DrawnSort const& sort) {
        return sort.variant->layout == SwapLayout::by_round;
    });
    set_algorithm(live_case, *rc::gen::elementOf(in_rounds.empty() ? all : in_rounds));
    live_case.tuning.digits_min = 0;
    live_case.tuning.leading_bytes_min =
        *rc::gen::element<std::uint64_t>(0, LiveCase{}.tuning.leading_bytes_min);
    live_case.tuning.rounds_min =
        *rc::gen::element<std::optional<std::uint64_t>>(0, 0, std::nullopt);
    live_case.tuning.fill_min = 0;
}

/// Limit of keys for which the model can list every run. \pre the algorithm's parameters are set
std::uint64_t keys_of_a_plan(LiveCase const& live_case) {
    constexpr std::uint64_t runs_most = std::uint64_t{1} << 19;
    ParameterInfo const* const run_keys =
        find_parameter(**find_algorithm_info(live_case.algorithm), "run-keys");
    return run_keys == nullptr ? std::numeric_limits<std::uint64_t>::max()
                               : runs_most * value_of(live_case.config, *run_keys);
}

/// Draws host or GPU memory, ranks if the sort supports them, and delays every other time.
void draw_environment(LiveCase& live_case, LiveLimits const& limits) {
    auto const residences = (*find_algorithm_info(live_case.algorithm))->residences;
    live_case.on_devices = *rc::gen::arbitrary<bool>() && limits.operation == Operation::sort &&
                           std::ranges::find(residences, Residence::devices) != residences.end();
    // Ranks support only host memory, and are slow to start.
    model::Algorithm const* const algorithm = model::find_algorithm(live_case.algorithm).value();
    live_case.by_ranks = *rc::gen::inRange(0, 4) == 0 && limits.operation == Operation::sort &&
                         !live_case.on_devices && model::ranks_can_sort(*algorithm);
    if (limits.over_nccl) {
        live_case.on_devices = false;
        live_case.by_ranks = true;
        live_case.over_nccl = true;
    }
    if (*rc::gen::arbitrary<bool>()) {
        live_case.delay_seed = *rc::gen::arbitrary<std::uint32_t>();
    }
}

/// Draws among the types that the sort supports; multisplits are limited to 64 bits.
KeyType draw_key_type(LiveCase const& live_case, LiveLimits const& limits) {
    AlgorithmInfo const& info = **find_algorithm_info(live_case.algorithm);
    std::vector<KeyType> types(narrow_key_types.begin(), narrow_key_types.end());
    for (KeyType const type : every_key_type) {
        if (key_bits(type) > 64 && limits.operation == Operation::sort &&
            limits.has_sort != nullptr && limits.has_sort(info, type)) {
            types.push_back(type);
        }
    }
    return *rc::gen::elementOf(types);
}

std::vector<std::string> methods_of_model(LiveCase const& live_case) {
    std::vector<std::string> names;
    for (model::MultisplitMethod const& method : model::multisplit_methods()) {
        // Key-only methods of the model drop values.
        if (model::takes(method, live_case.split->function.buckets) &&
            (method.stability == Stability::stable ||
             live_case.config.value_type == ValueType::none)) {
            names.emplace_back(method.name);
        }
    }
    return names;
}

/// Turns a case into a multisplit, on one GPU or several.
void make_split(LiveCase& live_case, LiveLimits const& limits, std::uint64_t seed) {
    int const bits = bits_of(live_case.config);
    if (*rc::gen::inRange(0, 3) != 0) {
        live_case.devices.resize(1);
    }
    live_case.config.gpu_count = static_cast<std::uint32_t>(live_case.devices.size());
    live_case.split = draw_split(bits, live_case.images, seed);
    move_to_edges(*live_case.split, bits, seed, live_case.images);
    auto const methods =
        limits.methods == nullptr ? methods_of_model(live_case) : limits.methods(live_case);
    live_case.split->method = *rc::gen::elementOf(methods);
}

} // namespace

rc::Gen<LiveCase> any_live_case(LiveLimits const& limits) {
    return rc::gen::exec([limits] {
        using rc::gen::element;
        using rc::gen::inRange;
        LiveCase live_case;
        model::SortConfig& config = live_case.config;
        live_case.tuning.counting_min = *element<std::uint64_t>(0, LiveCase{}.tuning.counting_min);
        live_case.tuning.leading_bytes_min =
            *element<std::uint64_t>(0, LiveCase{}.tuning.leading_bytes_min);
        live_case.tuning.digits_min = *element<std::optional<std::uint64_t>>(0, std::nullopt);
        live_case.tuning.rounds_min = *element<std::optional<std::uint64_t>>(0, std::nullopt);
        live_case.tuning.fill_min = *element<std::optional<std::uint64_t>>(0, 4, std::nullopt);
        live_case.tuning.leaf_max = *element<std::optional<std::uint32_t>>(64, 700, std::nullopt);
        std::vector<DrawnSort> const sorts = drawn_sorts(limits);
        bool const in_rounds = limits.operation == Operation::sort && *inRange(0, 3) == 0;
        if (in_rounds) {
            draw_sort_in_rounds(live_case, sorts);
        } else {
            set_algorithm(live_case, *rc::gen::elementOf(sorts));
        }
        draw_environment(live_case, limits);
        live_case.devices = draw_devices(limits);
        GpuCounts const gpus = (*find_algorithm_info(live_case.algorithm))->gpus;
        if (!takes_gpus(gpus, 2)) {
            live_case.devices.resize(1);
        }
        config.gpu_count = static_cast<std::uint32_t>(live_case.devices.size());
        if (live_case.algorithm == "rmg") {
            config.stability = *element(Stability::unstable, Stability::stable);
        }
        config.key_type = draw_key_type(live_case, limits);
        config.direction = *element(Direction::ascending, Direction::descending);
        config.value_type = *element(ValueType::none, ValueType::bits32, ValueType::bits64);
        if (in_rounds && *inRange(0, 3) == 0) {
            // Such keys are sorted by counting if their values are dense, whatever their number.
            config.key_type = *element(KeyType::u32, KeyType::i32, KeyType::f32);
            config.value_type = ValueType::none;
            live_case.tuning.counting_min = LiveCase{}.tuning.counting_min;
            live_case.tuning.leaf_max = 64;
        }
        live_case.wide_shift = key_bits(config.key_type) > 64 ? *inRange(0, 65) : 64;
        config.digit_bits = *element(8, 8, 8, 1, 3, 4, 5, 7, 10, 12);
        if (auto const* const digits =
                find_parameter(**find_algorithm_info(live_case.algorithm), "digit-bits");
            digits != nullptr) {
            config.digit_bits = std::min(config.digit_bits, static_cast<int>(digits->most));
        }
        config.tolerance_ppm = *element<std::uint32_t>(5'000, 5'000, 0, 100'000, 500'000);
        config.fuse_ppm = *element<std::uint32_t>(10'000, 10'000, 0, 200'000, 1'000'000);
        // Larger than a block, so that a single GPU divides the keys level by level.
        bool const large = *inRange(0, live_case.devices.size() == 1 || in_rounds ? 4 : 16) == 0;
        // Log-uniform size: the number of bits is uniform.
        std::uint64_t const factor = live_case.devices.size() == 1 ? 8 : in_rounds ? 16 : 64;
        std::uint64_t const bound =
            std::min(limits.key_count_max * (large ? factor : 1), keys_of_a_plan(live_case));
        int const bits =
            *rc::gen::resize(100, inRange(0, static_cast<int>(std::bit_width(bound)) + 1));
        auto const draw = *rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>());
        config.key_count = std::min(bound, mix_bits(draw) & ((std::uint64_t{1} << bits) - 1));
        auto const shape = static_cast<LiveShape>(*inRange(0, shape_count));
        if (live_case.algorithm == "rmg" && *inRange(0, 96) == 0) {
            make_dense(live_case, limits.key_count_max * 64, draw);
        } else {
            live_case.images = images_of(shape, config, draw);
        }
        if (limits.operation == Operation::multisplit) {
            make_split(live_case, limits, draw);
        }
        return live_case;
    });
}

} // namespace keyswap::proptests
