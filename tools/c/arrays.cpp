/// \file keyswap_check(), keyswap_check_order(), keyswap_plan(): functions that read arrays.

#include "model/check/output_check.hpp"
#include "model/check/value_check.hpp"
#include "model/key_files/stored_source.hpp"
#include "tools/c/boundary.hpp"
#include "tools/c/key_arrays.hpp"
#include "tools/commands/check/check_request.hpp"
#include "tools/commands/sort/plan_document.hpp"
#include "traces/errors/try.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::c {

namespace {

using Json = nlohmann::ordered_json;

/// Converts options to those of `keyswap check`, which resolves them for both interfaces.
Expected<tools::CheckOptions> check_options(keyswap_check_options const& given) {
    tools::CheckOptions options;
    KEYSWAP_TRY(options.direction, direction_name(given.direction));
    KEYSWAP_TRY(options.zero_order, zero_order_name(given.zero_order));
    KEYSWAP_TRY(options.nan_order, nan_order_name(given.nan_order));
    if (given.gpu_count > model::gpu_count_max) {
        return input_error(
            "gpu_count", "is " + std::to_string(given.gpu_count), "give 1 to 1024, or 0");
    }
    if (given.gpu_count > 0) {
        options.gpu_count = given.gpu_count;
    }
    if (given.hash_seed > 0) {
        options.hash_seed = given.hash_seed;
    }
    options.threads = given.threads;
    options.stable = given.stable != 0;
    if (options.stable && given.values == nullptr) {
        return input_error("stable", "only values can show it", "give the sorted values");
    }
    return options;
}

/// The configuration as repeated in results.
Json config_json(ArrayType const& type, tools::CheckOptions const& options) {
    return {{"type", type.name()},
            {"direction", options.direction},
            {"zero_order", options.zero_order},
            {"nan_order", options.nan_order}};
}

/// The caller's values. \return an error unless they are integers of 32 or 64 bits
Expected<ReadArray> read_values(keyswap_array const& array) {
    KEYSWAP_TRY(auto values, ReadArray::of(array, "values"));
    KeyKind const kind = kind_of(values.type().type);
    bool const whole = kind == KeyKind::unsigned_integer || kind == KeyKind::signed_integer;
    if (!whole || values.type().narrow || values.type().size_bytes() > sizeof(std::uint64_t)) {
        return input_error("values",
                           "have the type " + std::string(values.type().name()),
                           "give indices of 32 or 64 bits");
    }
    return values;
}

Expected<void> check(keyswap_array const& input_array,
                     keyswap_array const& output_array,
                     keyswap_check_options const* given,
                     keyswap_result** result) {
    KEYSWAP_RETURN_IF_ERROR(needs(result, "result"));
    KEYSWAP_TRY(auto const known, options_of(given));
    KEYSWAP_TRY(auto const options, check_options(known));
    KEYSWAP_TRY(auto checked, tools::output_check_options(options));
    KEYSWAP_TRY(auto const input, ReadArray::of(input_array, "input"));
    KEYSWAP_TRY(auto const output, ReadArray::of(output_array, "output"));
    if (input.type().name() != output.type().name()) {
        return input_error("output",
                           "has keys of " + std::string(output.type().name()) +
                               ", and the input of " + std::string(input.type().name()),
                           "compare arrays of one type");
    }
    ProgressCall progress(known.progress, known.progress_data);
    checked.on_keys_read = [&progress](std::uint64_t more, std::uint64_t all) {
        progress.advance(more, all);
    };
    auto const stop = [&progress] { return progress.wants_end(); };
    auto const input_keys = input.keys(stop);
    auto const output_keys = output.keys(stop);
    auto keys = model::check_keys(input_keys, output_keys, checked);
    std::optional<model::ValueCheck> values;
    if (keys && known.values != nullptr) {
        KEYSWAP_TRY(auto const read, read_values(*known.values));
        auto found = model::check_values(input_keys, output_keys, read.keys(stop), checked);
        if (!found) {
            return tl::unexpected(progress.wants_end() ? cancelled() : found.error());
        }
        values = *std::move(found);
    }
    if (!keys) {
        return tl::unexpected(progress.wants_end() ? cancelled() : keys.error());
    }
    keys->narrow_type = input.type().narrow;
    Json config = config_json(input.type(), options);
    config["gpu_count"] = options.gpu_count ? Json(*options.gpu_count) : Json();
    config["hash_seed"] = keys->hash_seed;
    Json const json = tools::check_document(std::move(config), *keys, values, options.stable);
    std::vector<std::string> lines = sentences(*keys);
    for (std::string& line : tools::value_sentences(values, options.stable, "Equal keys are")) {
        lines.push_back(std::move(line));
    }
    give(result, json["holds"].get<bool>(), tools::lines_of(lines), json);
    return {};
}

Expected<void> check_order(keyswap_array const& array,
                           keyswap_check_options const* given,
                           keyswap_result** result) {
    KEYSWAP_RETURN_IF_ERROR(needs(result, "result"));
    KEYSWAP_TRY(auto const known, options_of(given));
    if (known.values != nullptr || known.stable != 0 || known.hash_seed != 0) {
        return input_error("values, stable and hash_seed",
                           "need the keys before the sort",
                           "call keyswap_check(), or leave them 0");
    }
    KEYSWAP_TRY(auto const options, check_options(known));
    KEYSWAP_TRY(auto checked, tools::output_check_options(options));
    KEYSWAP_TRY(auto const read, ReadArray::of(array, "keys"));
    ProgressCall progress(known.progress, known.progress_data);
    checked.on_keys_read = [&progress](std::uint64_t more, std::uint64_t all) {
        progress.advance(more, all / 2); // the check counts the array as both input and output
    };
    auto found =
        model::check_order(read.keys([&progress] { return progress.wants_end(); }), checked);
    if (!found) {
        return tl::unexpected(progress.wants_end() ? cancelled() : found.error());
    }
    found->narrow_type = read.type().narrow;
    std::string text = found->holds() ? "The keys are in order."
                                      : model::order_sentence(found->order, "The array");
    give(result,
         found->holds(),
         text + '\n',
         tools::order_document(config_json(read.type(), options), *found));
    return {};
}

Expected<void>
plan(keyswap_array const& array, keyswap_plan_options const* given, keyswap_result** result) {
    KEYSWAP_RETURN_IF_ERROR(needs(result, "result"));
    KEYSWAP_TRY(auto const known, options_of(given));
    KEYSWAP_TRY(auto const type, sorted_type(array.type, "keys"));
    KEYSWAP_TRY(auto const read, ReadArray::of(array, "keys"));
    tools::SortArguments arguments;
    KEYSWAP_TRY(arguments.direction, direction_name(known.direction));
    KEYSWAP_TRY(arguments.zero_order, zero_order_name(known.zero_order));
    arguments.type = std::string(to_string(type));
    arguments.key_count = array.count;
    if (known.gpu_count > 0) {
        arguments.gpu_count = known.gpu_count;
    }
    if (known.algorithm != nullptr) {
        arguments.algorithm.name = known.algorithm;
    }
    KEYSWAP_TRY(auto const request, tools::resolve_sort(arguments));
    ProgressCall progress(known.progress, known.progress_data);
    model::StoredSource source(
        read.keys([&progress] { return progress.wants_end(); }),
        request.config.direction,
        request.config.zero_order,
        [&progress](std::uint64_t more, std::uint64_t all) { progress.advance(more, all); });
    auto planned =
        model::plan_stored_keys([&] { return request.algorithm->plan(request.config, source); });
    if (progress.wants_end()) {
        return tl::unexpected(cancelled());
    }
    KEYSWAP_TRY(auto const plan, std::move(planned));
    tools::AccountDetail const detail{known.list_buckets != 0, true};
    give(result, true, "", tools::plan_document(request, "array", *plan, detail));
    return {};
}

} // namespace

} // namespace keyswap::c

keyswap_error* keyswap_check(keyswap_array input,
                             keyswap_array output,
                             keyswap_check_options const* options,
                             keyswap_result** result) {
    return keyswap::c::guarded([&] { return keyswap::c::check(input, output, options, result); });
}

keyswap_error* keyswap_check_order(keyswap_array keys,
                                   keyswap_check_options const* options,
                                   keyswap_result** result) {
    return keyswap::c::guarded([&] { return keyswap::c::check_order(keys, options, result); });
}

keyswap_error*
keyswap_plan(keyswap_array keys, keyswap_plan_options const* options, keyswap_result** result) {
    return keyswap::c::guarded([&] { return keyswap::c::plan(keys, options, result); });
}
