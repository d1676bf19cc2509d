/// \file keyswap_sort(), keyswap_generate(), keyswap_zoo(): functions that write arrays.

#include "kernels/cpu/cpu_sort.hpp"
#include "model/distributions/key_generator.hpp"
#include "model/key_files/key_file.hpp"
#include "model/keys/key_order.hpp"
#include "tools/backends/cpu_sort.hpp"
#include "tools/c/boundary.hpp"
#include "tools/c/key_arrays.hpp"
#include "tools/output/json_result.hpp"
#include "tools/record/case_keys.hpp"
#include "traces/errors/interruption.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace keyswap::c {

namespace {

/// Options of the CPU sorts, resolved like those of `keyswap sort --backend cpu`.
Expected<kernels::CpuSortOptions> cpu_sort_options(KeyType type,
                                                   keyswap_sort_options const& given) {
    tools::SortArguments arguments;
    arguments.type = std::string(to_string(type));
    KEYSWAP_TRY(arguments.direction, direction_name(given.direction));
    arguments.algorithm.name = given.algorithm != nullptr ? given.algorithm : "buffered-radix";
    auto const sorts = kernels::cpu_sorts();
    if (std::ranges::find(sorts, *arguments.algorithm.name) == sorts.end()) {
        return KnownNames(sorts).not_known("algorithm", *arguments.algorithm.name);
    }
    if (given.threads > kernels::cpu_threads_max) {
        return input_error(
            "threads", "is " + std::to_string(given.threads), "give 1 to 1024, or 0");
    }
    bool const has_width = given.value_bits == 32 || given.value_bits == 64;
    if (given.values != nullptr && !has_width) {
        return input_error("value_bits", "is " + std::to_string(given.value_bits), "give 32 or 64");
    }
    if (given.values != nullptr) {
        arguments.values = std::to_string(given.value_bits);
    } else if (given.value_bits != 0) {
        return input_error(
            "value_bits", "there are no values", "give the values, or leave value_bits 0");
    }
    KEYSWAP_TRY(auto const request, tools::resolve_sort(arguments));
    return tools::cpu_options(request,
                              given.threads == 0 ? std::nullopt : std::optional(given.threads));
}

/// Gathers NaNs, which total order places at both ends, at one end. \pre keys are in total order
template <class Key, class Value>
void gather_nans(std::span<Key> keys, std::span<Value> values, keyswap_nan_order order) {
    auto const is_number = [](Key key) { return !std::isnan(key); };
    auto const first = std::ranges::find_if(keys, is_number) - keys.begin();
    auto const end = keys.rend() - std::find_if(keys.rbegin(), keys.rend(), is_number);
    auto const middle = order == KEYSWAP_NANS_LAST ? first : std::max(first, end);
    std::rotate(keys.begin(), keys.begin() + middle, keys.end());
    if (!values.empty()) {
        std::rotate(values.begin(), values.begin() + middle, values.end());
    }
}

template <class T>
std::span<T> words_of(std::span<std::byte> bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

void place_nans(kernels::CpuSortOptions const& options,
                std::span<std::byte> keys,
                std::span<std::byte> values,
                keyswap_nan_order order) {
    if (!is_floating(options.key_type) || order == KEYSWAP_NANS_TOTAL) {
        return;
    }
    auto const place = [&]<class Key>(Key) {
        if (options.value_type == ValueType::bits64) {
            gather_nans(words_of<Key>(keys), words_of<std::uint64_t>(values), order);
        } else {
            gather_nans(words_of<Key>(keys), words_of<std::uint32_t>(values), order);
        }
    };
    key_size_bytes(options.key_type) == sizeof(float) ? place(float{}) : place(double{});
}

bool overlap(std::span<std::byte const> left, std::span<std::byte const> right) {
    std::less<std::byte const*> const is_before;
    return is_before(left.data(), right.data() + right.size()) &&
           is_before(right.data(), left.data() + left.size());
}

Expected<void>
sort(void* keys, std::size_t count, keyswap_type type, keyswap_sort_options const* given) {
    KEYSWAP_TRY(auto const known, options_of(given));
    KEYSWAP_RETURN_IF_ERROR(nan_order_name(known.nan_order));
    KEYSWAP_TRY(auto const key_type, sorted_type(type, "keys"));
    KEYSWAP_TRY(auto const key_bytes, written_bytes(keys, count, key_size_bytes(key_type), "keys"));
    KEYSWAP_TRY(auto const options, cpu_sort_options(key_type, known));
    std::span<std::byte> value_bytes;
    if (options.value_type != ValueType::none) {
        KEYSWAP_TRY(
            value_bytes,
            written_bytes(known.values, count, value_size_bytes(options.value_type), "values"));
    }
    if (overlap(key_bytes, value_bytes)) {
        return input_error(
            "values", "overlap the keys in memory", "give them an array of their own");
    }
    // as words, for the widest alignment
    std::vector<model::uint128> key_scratch((key_bytes.size() + 15) / 16);
    std::vector<model::uint128> value_scratch((value_bytes.size() + 15) / 16);
    bool const swaps = model::is_big_endian_in_files(key_type);
    if (swaps) {
        model::swap_key_bytes(key_type, key_bytes);
    }
    ProgressCall progress(known.progress, known.progress_data);
    InterruptionPoll const poll([&progress] { return progress.wants_end(); });
    auto const sorted = kernels::sort_on_cpu(
        options,
        {key_bytes,
         value_bytes,
         std::as_writable_bytes(std::span(key_scratch)).first(key_bytes.size()),
         std::as_writable_bytes(std::span(value_scratch)).first(value_bytes.size())},
        nullptr);
    if (swaps) {
        model::swap_key_bytes(key_type, key_bytes);
    }
    if (sorted) {
        place_nans(options, key_bytes, value_bytes, known.nan_order);
    }
    return sorted;
}

Expected<void> generate(void* keys,
                        std::size_t count,
                        keyswap_type type,
                        char const* distribution,
                        std::uint64_t seed,
                        double const* parameter) {
    model::KeyRequest request;
    KEYSWAP_TRY(request.key_type, sorted_type(type, "keys"));
    KEYSWAP_TRY(auto const bytes,
                written_bytes(keys, count, key_size_bytes(request.key_type), "keys"));
    request.distribution = distribution != nullptr ? distribution : request.distribution;
    request.key_count = count;
    request.seed = seed;
    if (parameter != nullptr) {
        request.parameter = *parameter;
    }
    KEYSWAP_TRY(auto const generator, model::KeyGenerator::make(request));
    model::with_image_type(request.key_type, [&]<class Image>(Image) {
        std::span<Image> const words{reinterpret_cast<Image*>(bytes.data()), count};
        generator.images(0, words);
        model::to_keys(request.key_type, Direction::ascending, words);
    });
    if (model::is_big_endian_in_files(request.key_type)) {
        model::swap_key_bytes(request.key_type, bytes);
    }
    return {};
}

Expected<std::vector<conformance::ZooEntry>> zoo_of(keyswap_type type, KeyType& key_type) {
    KEYSWAP_TRY(key_type, sorted_type(type, "type"));
    if (key_bits(key_type) > 64) {
        return input_error(
            "type", "has 128 bits, and the zoo has keys of 32 and 64", "give a narrower type");
    }
    return conformance::zoo_entries(key_type);
}

Expected<void> zoo(keyswap_type type, keyswap_result** result) {
    KEYSWAP_RETURN_IF_ERROR(needs(result, "result"));
    KeyType key_type{};
    KEYSWAP_TRY(auto const entries, zoo_of(type, key_type));
    auto json = tools::json_result("zoo", {{"type", to_string(key_type)}});
    json["cases"] = nlohmann::ordered_json::array();
    for (auto const& entry : entries) {
        json["cases"].push_back(
            {{"name", entry.name}, {"source", entry.source}, {"keys", entry.key_count}});
    }
    give(result, true, "", json);
    return {};
}

Expected<void> zoo_keys(keyswap_type type, char const* name, void* keys, std::size_t count) {
    KEYSWAP_RETURN_IF_ERROR(needs(name, "name"));
    model::KeyRequest request;
    KEYSWAP_TRY(auto const entries, zoo_of(type, request.key_type));
    auto const entry =
        std::ranges::find(entries, std::string_view(name), &conformance::ZooEntry::name);
    if (entry == entries.end()) {
        auto const name_of = [](auto const& each) { return each.name; };
        return KnownNames(entries, name_of).not_known("name", name);
    }
    if (entry->key_count != count) {
        return input_error("count",
                           "is " + std::to_string(count) + ", and the case has " +
                               std::to_string(entry->key_count) + " keys",
                           "give the number that keyswap_zoo() lists");
    }
    request.distribution = conformance::zoo_distribution(entry->name);
    KEYSWAP_TRY(auto const made, conformance::case_keys(request));
    KEYSWAP_TRY(auto const bytes,
                written_bytes(keys, count, key_size_bytes(request.key_type), "keys"));
    std::ranges::copy(made, bytes.begin());
    return {};
}

Expected<void> type_of(char const* name, keyswap_type* type) {
    KEYSWAP_RETURN_IF_ERROR(needs(name, "name").and_then([&] { return needs(type, "type"); }));
    auto const narrow = std::ranges::find_if(model::narrow_traits, [&](auto const& row) {
        return row.name == name || row.published_name == name;
    });
    std::string_view canonical;
    if (narrow != model::narrow_traits.end()) {
        canonical = narrow->name;
    } else {
        KEYSWAP_TRY(auto const known, parse_key_type(name));
        canonical = to_string(known);
    }
    for (int number = KEYSWAP_U8; number <= KEYSWAP_B128; ++number) {
        if (keyswap_type_name(static_cast<keyswap_type>(number)) == canonical) {
            *type = static_cast<keyswap_type>(number);
        }
    }
    return {};
}

} // namespace

} // namespace keyswap::c

keyswap_error* keyswap_type_of(char const* name, keyswap_type* type) {
    return keyswap::c::guarded([&] { return keyswap::c::type_of(name, type); });
}

keyswap_error*
keyswap_sort(void* keys, size_t count, keyswap_type type, keyswap_sort_options const* options) {
    return keyswap::c::guarded([&] { return keyswap::c::sort(keys, count, type, options); });
}

keyswap_error* keyswap_generate(void* keys,
                                size_t count,
                                keyswap_type type,
                                char const* distribution,
                                uint64_t seed,
                                double const* parameter) {
    return keyswap::c::guarded(
        [&] { return keyswap::c::generate(keys, count, type, distribution, seed, parameter); });
}

keyswap_error* keyswap_zoo(keyswap_type type, keyswap_result** result) {
    return keyswap::c::guarded([&] { return keyswap::c::zoo(type, result); });
}

keyswap_error* keyswap_zoo_keys(keyswap_type type, char const* name, void* keys, size_t count) {
    return keyswap::c::guarded([&] { return keyswap::c::zoo_keys(type, name, keys, count); });
}
