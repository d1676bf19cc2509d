#include "simulator/prediction/partition_choice.hpp"
#include "tools/commands/simulate/simulate_options.hpp"
#include "tools/commands/simulate/whatif_options.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/records/key_type.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <sstream>

namespace keyswap::tools {

namespace {

using simulator::MethodTime;
using simulator::PartitionLoad;

constexpr std::uint32_t buckets_max = 1U << 16U; ///< limit of a label in reduced-bit sort

/// A load, with key type and distribution as given.
struct NamedLoad {
    std::string key_type;
    std::string distribution;
    PartitionLoad load;
};

/// Parses a distribution: "alpha-uniform=0.25".
Expected<void> set_distribution(NamedLoad& named, std::string const& text) {
    named.distribution = text;
    KEYSWAP_TRY(auto const parsed, parse_distribution(text, "--distribution"));
    named.load.distribution = parsed.name;
    named.load.parameter = parsed.parameter.value_or(named.load.parameter);
    bool const parameter = parsed.parameter.has_value();
    bool const alpha = named.load.distribution == "alpha-uniform";
    bool const known =
        alpha || named.load.distribution == "uniform" || named.load.distribution == "binomial";
    bool const fits = alpha
                          ? parameter && named.load.parameter >= 0.0 && named.load.parameter <= 1.0
                          : !parameter;
    if (!known || !fits) {
        return input_error("--distribution",
                           "'" + text + "' does not say how keys are spread over buckets",
                           "choose uniform, binomial, or alpha-uniform with a part from 0 to 1, as "
                           "alpha-uniform=0.25");
    }
    return {};
}

/// All combinations but buckets.
Expected<std::vector<NamedLoad>> loads_of(WhatIfOptions const& options) {
    KEYSWAP_TRY(auto const values, parse_value_type(options.values));
    if (options.rule != "digit" && options.rule != "delta" && options.rule != "splitters") {
        return input_error("--rule",
                           "is '" + options.rule + "', whose cost is not known",
                           "choose digit, delta or splitters");
    }
    std::vector<NamedLoad> loads;
    for (std::string const& count : options.keys) {
        KEYSWAP_TRY(auto const key_count, parse_count(count, "--keys"));
        if (key_count == 0) {
            return input_error("--keys", "is 0: there is nothing to predict", "give 1 or more");
        }
        for (std::string const& type : options.key_types) {
            KEYSWAP_TRY(auto const key_type, parse_sorted_type(type));
            for (std::string const& distribution : options.distributions) {
                NamedLoad named;
                named.key_type = type;
                named.load.rule = options.rule;
                named.load.key_bytes = static_cast<int>(key_size_bytes(key_type));
                named.load.value_bytes = static_cast<int>(value_size_bytes(values));
                named.load.key_count = key_count;
                KEYSWAP_RETURN_IF_ERROR(set_distribution(named, distribution));
                loads.push_back(std::move(named));
            }
        }
    }
    return loads;
}

/// Billions of keys or pairs per second.
double rate_Gps(PartitionLoad const& load, MethodTime const& time) {
    return static_cast<double>(load.key_count) / time.stages.total_ms() * 1e-6;
}

Json methods_json(PartitionLoad const& load, std::vector<MethodTime> const& methods) {
    return json_array(methods, [&](MethodTime const& time) {
        return Json{{"method", time.method},
                    {"stable", time.stable},
                    {"total_ms", time.stages.total_ms()},
                    {"rate_Gps", rate_Gps(load, time)}};
    });
}

void print_header(std::ostream& out,
                  simulator::RateProfile const& profile,
                  NamedLoad const& named) {
    out << formatted("# %s (%s): %s %s keys%s, %s over buckets by %s; predicted, billion %s/s\n",
                     printable_text(profile.name).c_str(),
                     printable_text(profile.description).c_str(),
                     grouped_count(named.load.key_count).c_str(),
                     named.key_type.c_str(),
                     named.load.value_bytes == 0   ? ""
                     : named.load.value_bytes == 4 ? " with 32-bit values"
                                                   : " with 64-bit values",
                     named.distribution.c_str(),
                     named.load.rule.c_str(),
                     named.load.value_bytes == 0 ? "keys" : "pairs");
    out << formatted("%7s  %-26s %9s  %s\n",
                     "buckets",
                     "fastest (any order)",
                     "ms",
                     "all methods, fastest first");
}

void print_row(std::ostream& out, NamedLoad const& named, std::vector<MethodTime> const& methods) {
    auto const stable = simulator::fastest_stable(methods);
    std::string name = stable ? std::string(stable->method) : "-";
    MethodTime const& first = methods.front();
    if (stable && stable->method != first.method) {
        name += " (" + std::string(first.method) + ")";
    }
    std::string const others = joined_text(methods, ", ", [&](MethodTime const& time) {
        return std::string(time.method) + printed(" %.3g", rate_Gps(named.load, time));
    });
    out << formatted("%7u  %-26s %9.4g  %s\n",
                     named.load.buckets,
                     name.c_str(),
                     (stable ? *stable : first).stages.total_ms(),
                     others.c_str());
}

} // namespace

CLI::Option* add_partition_options(CLI::App& command, WhatIfOptions& options) {
    CLI::Option* const flag =
        command.add_flag("--partition",
                         options.partition,
                         "Predict multisplits instead of sorts: which method is fastest?");
    command
        .add_option("--device", options.devices, "Rate profiles by name or file, for --partition")
        ->delimiter(',')
        ->capture_default_str()
        ->needs(flag);
    command.add_option("--buckets", options.buckets, "Numbers of buckets, for --partition")
        ->delimiter(',')
        ->capture_default_str()
        ->needs(flag)
        ->check(CLI::Range(1U, buckets_max));
    command
        .add_option(
            "--rule", options.rule, "Rule of the buckets, for --partition: digit, delta, splitters")
        ->capture_default_str()
        ->needs(flag);
    return flag;
}

Expected<ExitCode> run_partition_sweep(WhatIfOptions const& options) {
    KEYSWAP_TRY(auto const loads, loads_of(options));
    Json rows = Json::array();
    std::ostringstream table; // printed only if no device fails
    for (std::string const& device : options.devices) {
        KEYSWAP_TRY(auto const profile, simulator::load_rate_profile(device));
        if (!profile.partition && !profile.fused && !profile.bit_split) {
            return input_error("--device",
                               "'" + device + "' has costs of sorts only",
                               "choose one with [partition] or [fused], as h200");
        }
        for (NamedLoad named : loads) {
            KEYSWAP_RETURN_IF_ERROR(check_device_memory(
                profile,
                named.load.key_count,
                static_cast<std::uint64_t>(named.load.key_bytes + named.load.value_bytes)));
            if (!options.json) {
                print_header(table, profile, named);
            }
            for (std::uint32_t const buckets : options.buckets) {
                named.load.buckets = buckets;
                auto const methods = simulator::partition_methods(profile, named.load);
                if (methods.empty()) {
                    return input_error("--buckets",
                                       std::to_string(buckets) + " are more than any method of '" +
                                           device + "' takes",
                                       "give fewer buckets");
                }
                if (!options.json) {
                    print_row(table, named, methods);
                    continue;
                }
                auto const stable = simulator::fastest_stable(methods);
                rows.push_back({{"device", profile.name},
                                {"description", profile.description},
                                {"keys", named.load.key_count},
                                {"key_type", named.key_type},
                                {"value_bits", 8 * named.load.value_bytes},
                                {"distribution", named.distribution},
                                {"rule", named.load.rule},
                                {"buckets", buckets},
                                {"fastest", methods.front().method},
                                {"fastest_stable", stable ? Json(stable->method) : Json()},
                                {"methods", methods_json(named.load, methods)}});
            }
        }
    }
    if (options.json) {
        Json json =
            json_result("whatif", {{"question", "partition"}, {"devices", options.devices}});
        json["rows"] = std::move(rows);
        print_json(json, std::cout);
    } else {
        std::cout << table.str();
    }
    return ExitCode::fine;
}

} // namespace keyswap::tools
