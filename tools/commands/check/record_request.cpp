#include "tools/commands/check/record_request.hpp"

#include "model/key_files/stored_keys.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/record/case_keys.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

namespace keyswap::tools {

namespace {

Expected<void> check_conflicts(RecordOptions const& options) {
    if (options.library.has_value() == options.command.has_value()) {
        return input_error("--library and --command",
                           options.library ? "both specify what to run" : "one of them is needed",
                           "for instance --library ./mysort.so");
    }
    if (options.command && options.function) {
        return input_error(
            "--command and --function", "only a library has functions", "leave --function out");
    }
    if (options.command && options.command->find("{input}") == std::string::npos) {
        return input_error("--command '" + *options.command + "'",
                           "has no {input}, so that the sort would not get the keys",
                           "write {input} where it takes the name of its input, for instance "
                           "'mysort {input} {output}'");
    }
    if (options.command && options.command->find("{output}") == std::string::npos) {
        return input_error("--command '" + *options.command + "'",
                           "has no {output}, so that no sorted keys would come back",
                           "write {output} where it takes the name of its output, '> {output}' if "
                           "it prints the keys, or 'cp {input} {output} && mysort {output}' if it "
                           "sorts a file in place");
    }
    if (options.command && options.values != "none") {
        return input_error(
            "--command and --values", "values go to libraries only", "leave one of them out");
    }
    if (options.stable && options.values == "none") {
        return input_error("--stable", "only values can show it", "add --values 32");
    }
    if (options.runs == 0 || options.same_keys == std::uint64_t{0}) {
        return input_error(
            options.runs == 0 ? "--runs" : "--same-keys", "0 runs show nothing", "give at least 1");
    }
    if (options.stop_after == std::uint64_t{0}) {
        return input_error("--stop-after", "0 failures would stop at once", "give at least 1");
    }
    if (options.parameter && options.distributions.size() > 1) {
        return input_error("--parameter and --distribution",
                           "several distributions do not share a parameter",
                           "give each its own: uniform,zipf=0.75");
    }
    for (auto const& [option, seconds] : {std::pair{"--timeout", options.timeout_s},
                                          std::pair{"--shrink-seconds", options.shrink_s}}) {
        if (!std::isfinite(seconds)) { // NaN would pass comparisons with limits
            return input_error(option, "is not a number of seconds", "give at least 0.001");
        }
    }
    return {};
}

/// Reads all keys of a file.
Expected<std::vector<std::byte>> keys_of_file(std::string const& path, KeyType type) {
    model::KeyFileOptions options;
    options.key_type = type;
    KEYSWAP_TRY(auto const stored, model::StoredKeys::open(path, options));
    std::vector<std::byte> keys(stored.key_count() * key_size_bytes(type));
    return stored.read(0, keys).map([&] { return std::move(keys); });
}

/// All entries of the zoo, or the named ones.
Expected<std::vector<model::KeyRequest>>
zoo_keys(std::string const& names, std::uint64_t seed, KeyType type) {
    auto const entries = conformance::zoo_entries(type);
    std::vector<model::KeyRequest> all;
    auto const add = [&](conformance::ZooEntry const& entry) {
        all.push_back(
            {conformance::zoo_distribution(entry.name), std::nullopt, type, entry.key_count, seed});
    };
    if (names == "all") {
        std::ranges::for_each(entries, add);
        return all;
    }
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');) {
        auto const found = std::ranges::find(entries, name, &conformance::ZooEntry::name);
        if (found == entries.end()) {
            return input_error("--zoo " + name,
                               "is not among the inputs of " + std::string(to_string(type)) +
                                   " keys",
                               "--zoo alone runs, and lists, all of them");
        }
        add(*found);
    }
    if (all.empty()) {
        return input_error("--zoo", "names no input", "leave the names out for all");
    }
    return all;
}

} // namespace

Expected<conformance::ThirdPartyRuns> resolved_runs(RecordOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_conflicts(options));
    KEYSWAP_TRY(auto const type, parse_sorted_type(options.type));
    conformance::ThirdPartyRuns runs;
    KEYSWAP_TRY(runs.direction, parse_direction(options.direction));
    KEYSWAP_TRY(runs.zero_order, parse_zero_order(options.zero_order));
    KEYSWAP_RETURN_IF_ERROR(check_float_orders(type, runs.zero_order));
    KEYSWAP_TRY(runs.value_type, parse_value_type(options.values));
    if (key_bits(type) > 64) {
        return input_error("--type " + options.type,
                           "keys of 128 bits are not handed to sorts yet",
                           "choose one of at most 64 bits");
    }
    runs.library = options.library.value_or("");
    runs.function = options.function.value_or(record_function_default);
    runs.command = options.command.value_or("");
    runs.keys.key_type = type;
    runs.stability = options.stable ? Stability::stable : Stability::unstable;
    runs.run_count = options.same_keys.value_or(options.runs);
    if (options.same_keys || options.input) {
        runs.keys_of_runs = conformance::KeysOfRuns::same;
    }
    runs.job_count = options.jobs;
    runs.timeout = std::chrono::milliseconds(std::llround(options.timeout_s * 1000));
    runs.folder = std::filesystem::absolute(options.folder);
    if (options.input) {
        KEYSWAP_TRY(auto keys, keys_of_file(*options.input, type));
        runs.keys.key_count = keys.size() / key_size_bytes(type);
        runs.given_keys = std::make_shared<std::vector<std::byte> const>(std::move(keys));
    }
    return runs;
}

Expected<std::vector<model::KeyRequest>> resolved_keys(RecordOptions const& options,
                                                       conformance::ThirdPartyRuns const& runs) {
    KeyType const type = runs.keys.key_type;
    if (options.input) {
        return std::vector{
            model::KeyRequest{"file", std::nullopt, type, runs.keys.key_count, options.seed}};
    }
    if (options.zoo) {
        return zoo_keys(*options.zoo, options.seed, type);
    }
    std::vector<model::KeyRequest> all;
    for (std::string const& distribution : options.distributions) {
        KEYSWAP_TRY(auto const named, parse_distribution_and(distribution, options.parameter));
        for (std::string const& text : options.key_counts) {
            KEYSWAP_TRY(auto const count, parse_count(text, "--keys"));
            KEYSWAP_TRY(auto const generator,
                        model::KeyGenerator::make(
                            {named.name, named.parameter, type, count, options.seed}));
            all.push_back(generator.request());
        }
    }
    return all;
}

} // namespace keyswap::tools
