#include "tools/bench/bench_plan.hpp"

#include "tools/options/distribution_option.hpp"
#include "tools/options/gpu_list.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::tools {

namespace {

/// Sort with the given name; an algorithm's name selects its first variant.
std::vector<BenchSort>::const_iterator find_sort(std::vector<BenchSort> const& known,
                                                 std::string const& name) {
    auto const named = std::ranges::find(known, name, &BenchSort::name);
    return named != known.end() ? named : std::ranges::find(known, name, [](BenchSort const& sort) {
        return sort.choice.algorithm->name;
    });
}

Expected<std::vector<BenchSort>> parse_sorts(std::vector<std::string> const& names) {
    std::vector<BenchSort> const known = known_bench_sorts();
    if (names.empty()) {
        return known;
    }
    std::vector<BenchSort> sorts;
    for (std::string const& name : names) {
        auto const entry = find_sort(known, name);
        if (entry == known.end()) {
            return KnownNames(known, &BenchSort::name).not_known("--sorts", name);
        }
        sorts.push_back(*entry);
    }
    return sorts;
}

Expected<std::vector<Residence>> parse_residences(std::vector<std::string> const& names) {
    std::vector<Residence> residences;
    for (std::string const& name : names) {
        if (name != "device" && name != "host") {
            return input_error("--where " + name, "is not known", "use device, host or both");
        }
        residences.push_back(name == "host" ? Residence::host : Residence::devices);
    }
    return residences;
}

} // namespace

Expected<std::vector<std::vector<int>>> bench_sets(BenchOptions const& options, int found) {
    auto const available = static_cast<std::uint32_t>(found);
    if (options.gpu_count) {
        if (options.gpu_sets.size() > 1) {
            return input_error("--gpus and --gpu-count",
                               "several sets are named",
                               "name one device, or leave --gpu-count out");
        }
        auto const named =
            options.gpu_sets.empty() ? std::nullopt : std::optional(options.gpu_sets.front());
        return choose_devices(named, options.gpu_count, available)
            .map([](std::vector<int> const& set) { return std::vector<std::vector<int>>{set}; });
    }
    std::vector<std::vector<int>> sets;
    for (std::string const& text : options.gpu_sets) {
        KEYSWAP_TRY(auto const set, parse_gpu_list(text, "--gpus", available));
        sets.emplace_back(set.begin(), set.end());
    }
    for (int count = 1; options.gpu_sets.empty() && count <= found; count *= 2) {
        auto& set = sets.emplace_back(static_cast<std::size_t>(count));
        std::iota(set.begin(), set.end(), 0);
    }
    return sets;
}

Expected<std::vector<SortRequest>> bench_inputs(BenchOptions const& options) {
    std::vector<SortRequest> inputs;
    for (std::string const& type : options.types) {
        for (std::string const& distribution : options.distributions) {
            for (std::string const& count_text : options.key_counts) {
                KEYSWAP_TRY(auto const count, parse_count(count_text, "--keys"));
                SortArguments input;
                input.type = type;
                input.key_count = count;
                input.seed = options.seed;
                input.values = options.values;
                // Sorts that support every key type.
                input.algorithm.name = options.backend == "cpu" ? "buffered-radix" : "sample-sort";
                KEYSWAP_TRY(auto const named, parse_distribution(distribution, "--distributions"));
                input.distribution = named.name;
                input.parameter = named.parameter;
                KEYSWAP_TRY(auto request, resolve(input));
                inputs.push_back(std::move(request));
            }
        }
    }
    return inputs;
}

namespace {

/// Returns an error for the first requested sort that supports none of the inputs.
Expected<void> check_sorts_used(std::vector<BenchSort> const& sorts,
                                std::vector<SortRequest> const& inputs) {
    for (BenchSort const& sort : sorts) {
        bool const is_idle = std::ranges::none_of(
            inputs, [&sort](SortRequest const& input) { return sort.takes(input.config); });
        if (is_idle) {
            return input_error("--sorts " + sort.name + " and --types",
                               "there is no type that it sorts on GPUs",
                               "name another sort or type");
        }
    }
    return {};
}

} // namespace

Expected<BenchPlan> resolve(BenchOptions const& options, int found) {
    if (!options.methods.empty() || !options.buckets.empty() || !options.bins.empty()) {
        return input_error("--methods, --buckets or --bins",
                           "are not for sorts",
                           "give --operation multisplit or histogram");
    }
    KEYSWAP_TRY(auto const sorts, parse_sorts(options.sorts));
    KEYSWAP_TRY(auto const sets, bench_sets(options, found));
    KEYSWAP_TRY(auto const inputs, bench_inputs(options));
    KEYSWAP_TRY(auto const residences, parse_residences(options.residences));
    KEYSWAP_TRY(auto const rate_bytes, parse_count(options.rate_bytes, "--rate-bytes"));
    if (!options.sorts.empty()) {
        KEYSWAP_RETURN_IF_ERROR(check_sorts_used(sorts, inputs));
    }
    Stability const stability = options.stable ? Stability::stable : Stability::unstable;
    return BenchPlan{sorts, sets, inputs, residences, stability, rate_bytes, options.runs};
}

} // namespace keyswap::tools
