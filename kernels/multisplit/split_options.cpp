#include "kernels/multisplit/split_options.hpp"

#include "traces/errors/error_subject.hpp"

#include <algorithm>
#include <cstddef>

namespace keyswap::kernels {

namespace {

constexpr std::uint64_t count_limit = 0xffffffffU;

/// Number of buckets of a rule; nullopt if the caller chooses m.
std::optional<std::uint64_t> buckets_of(BucketRule const& rule) {
    if (auto const* const digit = std::get_if<DigitBuckets>(&rule)) {
        return std::uint64_t{1} << digit->bits;
    }
    if (auto const* const splitters = std::get_if<SplitterBuckets>(&rule)) {
        return splitters->splitters.size() + 1 +
               static_cast<std::uint64_t>(std::ranges::count(splitters->equality, true));
    }
    if (std::holds_alternative<PrimeBuckets>(rule)) {
        return 2;
    }
    return std::nullopt;
}

bool fits(KeyImage const& image, int key_bits) {
    return image.high == 0 && (key_bits == 64 || image.low >> key_bits == 0);
}

std::optional<std::string> digit_problem(DigitBuckets const& digit, int key_bits) {
    if (digit.bits < 0 || digit.bits > 16 || digit.shift < 0 ||
        digit.shift + digit.bits > key_bits) {
        return "a digit of " + std::to_string(digit.bits) + " bits from bit " +
               std::to_string(digit.shift) + " does not fit into a key of " +
               std::to_string(key_bits) + " bits (use 0 to 16 bits inside the key)";
    }
    return std::nullopt;
}

std::optional<std::string> delta_problem(DeltaBuckets const& delta, int key_bits) {
    bool const is_zero = delta.width == KeyImage{};
    bool const is_whole = key_bits == 64 ? delta.width == KeyImage{1, 0}
                                         : delta.width == KeyImage{0, std::uint64_t{1} << key_bits};
    if (is_zero || (!fits(delta.width, key_bits) && !is_whole)) {
        return "the width of a bucket must lie between 1 and 2^" + std::to_string(key_bits);
    }
    if (!fits(delta.origin, key_bits)) {
        return "the origin of the buckets is not an image of " + std::to_string(key_bits) + " bits";
    }
    return std::nullopt;
}

std::optional<std::string> splitter_problem(SplitterBuckets const& splitters, int key_bits) {
    auto const& list = splitters.splitters;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!fits(list[i], key_bits)) {
            return "splitter " + std::to_string(i + 1) + " is not an image of " +
                   std::to_string(key_bits) + " bits";
        }
        if (i > 0 && !(list[i - 1] < list[i])) {
            return "splitters " + std::to_string(i) + " and " + std::to_string(i + 1) +
                   " do not ascend (sort them, and remove duplicates)";
        }
    }
    bool const flagged = std::ranges::count(splitters.equality, true) != 0;
    if (!splitters.equality.empty() && splitters.equality.size() != list.size()) {
        return "there are " + std::to_string(splitters.equality.size()) + " equality flags for " +
               std::to_string(list.size()) + " splitters";
    }
    if (flagged && splitters.tie == Tie::right) {
        return "splitters whose ties go right have no equality buckets";
    }
    return std::nullopt;
}

std::optional<std::string> rule_problem(BucketFunction const& function, int key_bits) {
    std::optional<std::string> problem;
    if (auto const* const digit = std::get_if<DigitBuckets>(&function.rule)) {
        problem = digit_problem(*digit, key_bits);
    } else if (auto const* const delta = std::get_if<DeltaBuckets>(&function.rule)) {
        problem = delta_problem(*delta, key_bits);
    } else if (auto const* const splitters = std::get_if<SplitterBuckets>(&function.rule)) {
        problem = splitter_problem(*splitters, key_bits);
    } else if (std::holds_alternative<ForeignBuckets>(function.rule)) {
        problem =
            "a function of your own is compiled into its kernels (see kernels/multisplit.cuh)";
    }
    if (problem) {
        return problem;
    }
    auto const given = buckets_of(function.rule);
    if (function.buckets == 0 || (given && *given != function.buckets)) {
        return "the rule makes " + (given ? std::to_string(*given) : std::string("at least one")) +
               " buckets, not " + std::to_string(function.buckets);
    }
    return std::nullopt;
}

/// True if labels are evaluated again; otherwise they are stored, one byte per key.
bool is_cheap(BucketRule const& rule, KeyType type) {
    return std::holds_alternative<DigitBuckets>(rule) ||
           (std::holds_alternative<DeltaBuckets>(rule) && key_size_bytes(type) == 4);
}

std::string methods_for(std::uint32_t buckets) {
    std::string names;
    for (MultisplitMethodInfo const& info : multisplit_methods()) {
        if (buckets <= info.buckets_max) {
            names += (names.empty() ? "" : ", ") + std::string(info.name);
        }
    }
    return names;
}

std::optional<std::string> method_problem(MultisplitOptions const& options,
                                          MultisplitMethod method) {
    MultisplitMethodInfo const& info = info_of(method);
    std::uint32_t const buckets = options.function.buckets;
    if (buckets > info.buckets_max) {
        std::string const others = methods_for(buckets);
        return "method " + std::string(info.name) + " takes at most " +
               std::to_string(info.buckets_max) + " buckets, not " + std::to_string(buckets) +
               (others.empty() ? " (no method supports so many)" : " (take " + others + ")");
    }
    if (method == MultisplitMethod::atomic) {
        if (options.value_type != ValueType::none) {
            return "method atomic moves keys only (use fused)";
        }
        if (buckets > 256 && !is_cheap(options.function.rule, options.key_type)) {
            return "method atomic keeps labels of a byte for this rule, which allows at most 256 "
                   "buckets (use reduced-bit)";
        }
    }
    return std::nullopt;
}

MultisplitMethod fastest(MultisplitOptions const& options) {
    std::uint32_t const buckets = options.function.buckets;
    if (buckets <= info_of(MultisplitMethod::split1).buckets_max) {
        return MultisplitMethod::split1;
    }
    return buckets <= info_of(MultisplitMethod::fused).buckets_max ? MultisplitMethod::fused
                                                                   : MultisplitMethod::reduced_bit;
}

bool overlap(void const* a, void const* b, std::uint64_t bytes) {
    auto const* const first = static_cast<unsigned char const*>(a);
    auto const* const second = static_cast<unsigned char const*>(b);
    return bytes != 0 && std::less<>{}(first, second + bytes) &&
           std::less<>{}(second, first + bytes);
}

} // namespace

tl::expected<MultisplitMethod, std::string> method_of(MultisplitOptions const& options,
                                                      std::uint64_t count_max) {
    int const key_bits = static_cast<int>(key_size_bytes(options.key_type)) * 8;
    if (key_bits > 64) {
        return tl::unexpected(std::string("keys of 128 bits are not split on GPUs (use " +
                                          setting("backend") + " cpu)"));
    }
    if (auto const problem = rule_problem(options.function, key_bits)) {
        return tl::unexpected(*problem);
    }
    if (count_max > count_limit) {
        return tl::unexpected("a multisplit takes at most 2^32 - 1 elements, not " +
                              std::to_string(count_max) + " (split the input)");
    }
    if (options.slice_count == 0 || options.slice_count % 16 != 0 ||
        options.slice_count > fused_slice_max) {
        return tl::unexpected("a slice has a multiple of 16 elements, at most " +
                              std::to_string(fused_slice_max) + ", not " +
                              std::to_string(options.slice_count));
    }
    MultisplitMethod const method = options.method.value_or(fastest(options));
    if (auto const problem = method_problem(options, method)) {
        return tl::unexpected(*problem);
    }
    return method;
}

std::vector<MultisplitMethod> supported_methods(MultisplitOptions const& options) {
    std::vector<MultisplitMethod> supported;
    MultisplitOptions named = options;
    for (MultisplitMethodInfo const& info : multisplit_methods()) {
        named.method = info.method;
        if (method_of(named, 0)) {
            supported.push_back(info.method);
        }
    }
    return supported;
}

std::optional<std::string> problem_of(MultisplitOptions const& options,
                                      MultisplitArrays const& arrays,
                                      std::uint64_t count,
                                      std::uint64_t count_max) {
    if (count > count_max) {
        return std::to_string(count) + " elements are more than the " + std::to_string(count_max) +
               " that memory was allocated for";
    }
    if (arrays.starts == nullptr) {
        return "bucket starts are a null pointer";
    }
    bool const has_values = options.value_type != ValueType::none;
    bool const has_labels = std::holds_alternative<LabelBuckets>(options.function.rule);
    if (count != 0 &&
        (arrays.keys_in == nullptr || arrays.keys_out == nullptr ||
         (has_values && (arrays.values_in == nullptr || arrays.values_out == nullptr)) ||
         (has_labels && arrays.labels == nullptr))) {
        return "an array of " + std::to_string(count) + " elements is a null pointer";
    }
    if (has_labels && arrays.label_bytes != 1 && arrays.label_bytes != 2 &&
        arrays.label_bytes != 4) {
        return "labels have 1, 2 or 4 bytes, not " + std::to_string(arrays.label_bytes);
    }
    if (overlap(arrays.keys_in, arrays.keys_out, count * key_size_bytes(options.key_type)) ||
        (has_values && overlap(arrays.values_in,
                               arrays.values_out,
                               count * value_size_bytes(options.value_type)))) {
        return "output and input overlap (a multisplit is out of place)";
    }
    return std::nullopt;
}

} // namespace keyswap::kernels
